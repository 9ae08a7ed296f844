// SPDX-License-Identifier: Apache-2.0
// What mesh shaders have left of a draw, and what draws it.

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Groups { MeshGroup v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Marks { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Draw { MeshDrawCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer IndexedDraw { MeshIndexedCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Report { MeshMemoryReport v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Indexings { MeshIndexing v[]; };

// Behind the MeshGroup, 16 bytes, of each workgroup and view.
Marks marksOf(const MeshWork work, const uint views)
{
    return Marks(work.results + uint64_t(work.table.groupCount) * uint64_t(views * 16u));
}

// Behind the MeshDrawCommand, 16 bytes.
IndexedDraw indexedDrawOf(const uint64_t draw)
{
    return IndexedDraw(draw + uint64_t(16u));
}
