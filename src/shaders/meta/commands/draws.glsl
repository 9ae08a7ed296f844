// SPDX-License-Identifier: Apache-2.0
// What the kernels that write draws share: how many a sequence has, and one of them.
#extension GL_GOOGLE_include_directive : require

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer DrawEntries { DrawEntry v[]; };

#include "meta/commands/records.glsl"

const uint kWordBytes = 4u;

// Workgroups are in rows.
uint invocationNumber()
{
    uint group = gl_WorkGroupID.x + kRowGroups * (gl_WorkGroupID.y + kRows * gl_WorkGroupID.z);
    return group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

// None where the commands would be at address 0.
uint drawsOf(const uint64_t record)
{
    if ((a.flags & kSortCounted) == 0u)
        return 1u;
    Words counted = Words(record + uint64_t(a.actionOffset));
    return (counted.v[0] | counted.v[1]) == 0u ? 0u : min(counted.v[3], a.maxDrawCount);
}

// Draw number `place` draws nothing.
void writeNothing(const uint place)
{
    Words target = Words(a.draws + uint64_t(place) * uint64_t(a.commandWords * kWordBytes));
    for (uint w = 0u; w < a.commandWords; ++w)
        target.v[w] = 0u;
}

// Draw number `draw_index` of a sequence becomes draw number `place`.
void writeDraw(const uint place, const uint sequence, const uint draw_index)
{
    // Drivers may crash where a reference has another value behind a branch, so the address does.
    uint64_t from = recordOf(sequence) + uint64_t(a.actionOffset);
    if ((a.flags & kSortCounted) != 0u) {
        Words counted = Words(from);
        uint64_t address = uint64_t(counted.v[0]) | (uint64_t(counted.v[1]) << 32);
        from = address + uint64_t(counted.v[2]) * uint64_t(draw_index);
    }
    Words source = Words(from);
    Words target = Words(a.draws + uint64_t(place) * uint64_t(a.commandWords * kWordBytes));
    for (uint w = 0u; w < a.commandWords; ++w)
        target.v[w] = w == 3u && (a.flags & kSortNoBegin) != 0u ? 0u : source.v[w];
    DrawEntries(a.drawEntries).v[place] =
        DrawEntry(sequence, draw_index, a.commandWords == 5u ? source.v[3] : 0u, source.v[a.commandWords - 1u]);
}
