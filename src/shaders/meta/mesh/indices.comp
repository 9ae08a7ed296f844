// SPDX-License-Identifier: Apache-2.0
// Behind the lists: writes the index buffers of draws that have one, an invocation for each primitive, in their order.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { IndicesArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };

#include "meta/mesh/drawn.glsl"

// The last draw whose writers do not begin behind this one. Each has one at least.
MeshIndexing findDraw(const uint writer)
{
    uint low = 0u;
    uint high = a.count - 1u;
    while (low < high) {
        uint middle = (low + high + 1u) / 2u;
        if (Indexings(a.indexings).v[middle].firstWriter <= writer)
            low = middle;
        else
            high = middle - 1u;
    }
    return Indexings(a.indexings).v[low];
}

// Likewise the last workgroup whose primitives do not begin behind this one, between the marks around it.
uint findGroup(const Groups groups, const Marks marks, const uint primitive)
{
    uint mark = primitive / kMeshMarkPrimitives;
    uint low = mark == 0u ? 0u : marks.v[mark - 1u];
    uint high = marks.v[mark];
    while (low < high) {
        uint middle = (low + high + 1u) / 2u;
        if (groups.v[middle].firstPrimitive <= primitive)
            low = middle;
        else
            high = middle - 1u;
    }
    return low;
}

// What command buffers that are recorded later may need.
void reportWanted(const MeshWork work)
{
    MeshOutputMemory memory = Memory(work.memory).v;
    if (memory.report != uint64_t(0) && Report(memory.report).v.wantedIndices < memory.wantedIndices)
        Report(memory.report).v.wantedIndices = memory.wantedIndices;
}

void writePrimitive(const MeshIndexing draw, const Words indices, const Groups groups, const uint group,
                    const uint primitive)
{
    MeshGroup found = groups.v[group];
    uint vertices = found.counts & kMeshCountMask;
    uint offset = draw.vertexBytes == 0u
                      ? draw.primitivesOffset
                      : (vertices * draw.vertexBytes + kMeshUnitBytes - 1u) / kMeshUnitBytes * kMeshUnitBytes;
    uint64_t place =
        found.outputs + uint64_t(offset) + uint64_t((primitive - found.firstPrimitive) * draw.primitiveBytes);
    bool is_culled = draw.cullOffset != kNeverCulled && Words(place + uint64_t(draw.cullOffset)).v[0] != 0u;
    Words numbers = Words(place + uint64_t(draw.indicesOffset));
    for (uint corner = 0u; corner < draw.corners; ++corner) {
        uint vertex = is_culled ? 0u : numbers.v[corner];
        // Whatever the shader wrote, nothing else's memory is read.
        vertex = vertex < vertices ? vertex : 0u;
        if (is_culled)
            vertex = (1u << draw.vertexBits) - 1u;
        indices.v[primitive * draw.corners + corner] = group << draw.vertexBits | vertex;
    }
}

void main()
{
    uint writer = gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y;
    if (writer >= a.writers)
        return;
    MeshIndexing draw = findDraw(writer);
    MeshWork work = Work(draw.work).v;
    uint own = writer - draw.firstWriter;
    if (own == 0u && gl_LocalInvocationIndex == 0u && draw.isShared != 0u)
        reportWanted(work);
    MeshIndexedCommand command = indexedDrawOf(draw.draw).v;
    uint primitives = command.indexCount / draw.corners;
    Words indices = Words(draw.indices + uint64_t(command.firstIndex) * uint64_t(4u));
    Groups groups = Groups(work.results);
    Marks marks = marksOf(work, 1u);
    uint step = draw.writers * gl_WorkGroupSize.x;
    for (uint p = own * gl_WorkGroupSize.x + gl_LocalInvocationIndex; p < primitives; p += step)
        writePrimitive(draw, indices, groups, findGroup(groups, marks, p), p);
}
