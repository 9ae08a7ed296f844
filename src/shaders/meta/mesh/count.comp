// SPDX-License-Identifier: Apache-2.0
// Adds what draws have done to queries of the application's: an invocation for each draw and query. What had no room
// counts when it has run, in a repeat.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 64) in;

layout(push_constant, scalar) uniform Arguments { CountQueriesArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Parts { MeshQueryPart v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Sums { MeshQuerySums v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pair { uint v[2]; };

#include "meta/mesh/drawn.glsl"

MeshQuerySums countDraw(const MeshQueryPart part)
{
    MeshQuerySums sums = MeshQuerySums(uint64_t(0), uint64_t(0), uint64_t(0));
    MeshWork work = Work(part.work).v;
    if (Memory(work.memory).v.unfit != 0u)
        return sums;
    if (part.tasks != uint64_t(0))
        sums.taskInvocations = uint64_t(Work(part.tasks).v.table.groupCount) * uint64_t(part.taskInvocations);
    sums.meshInvocations = uint64_t(work.table.groupCount) * uint64_t(part.meshInvocations);
    uint vertices = Draw(part.draw).v.vertexCount;
    if (part.isIndexed != 0u)
        vertices += indexedDrawOf(part.draw).v.indexCount;
    sums.primitives = uint64_t(vertices / part.corners);
    return sums;
}

// Two words, the lower one first. Other invocations add to them, too.
void add(const uint64_t address, const uint64_t value)
{
    if (value == uint64_t(0))
        return;
    Pair pair = Pair(address);
    uint low = uint(value & uint64_t(0xffffffffu));
    uint before = atomicAdd(pair.v[0], low);
    uint high = uint(value >> 32) + (before + low < before ? 1u : 0u);
    if (high != 0u)
        atomicAdd(pair.v[1], high);
}

void main()
{
    uint number = gl_LocalInvocationIndex + gl_WorkGroupSize.x * (gl_WorkGroupID.x + kRowGroups * gl_WorkGroupID.y);
    if (number >= a.count)
        return;
    MeshQueryPart part = Parts(a.parts).v[number];
    MeshQuerySums sums;
    if (part.work == uint64_t(0))
        sums = Sums(part.draw).v;
    else
        sums = countDraw(part);
    MeshQuerySums taken = MeshQuerySums(uint64_t(0), uint64_t(0), uint64_t(0));
    if (a.isRepeat != 0u)
        taken = Sums(part.taken).v;
    add(part.sums, sums.taskInvocations - taken.taskInvocations);
    add(part.sums + uint64_t(8u), sums.meshInvocations - taken.meshInvocations);
    add(part.sums + uint64_t(16u), sums.primitives - taken.primitives);
    Sums(part.taken).v = sums;
}
