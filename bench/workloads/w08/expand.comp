#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Looks at the neighbours of vertices that are LEVEL away: KIND 0 with one invocation for each, 1 with 32, 2 with a
// workgroup for each PART neighbours.
// Payloads may come in any order, so a shorter way may be found later; it then goes on from there again.
#include "search.glsl"
#define BATCH 4  // loads that do not wait for each other

#if KIND == 0
#define SIZE 1
#define LANES 1
#define MOST 31
layout(name = "few", coalescing, api_entry = false) node;
#elif KIND == 1
#define SIZE 64
#define LANES 32
#define MOST 32
layout(name = "some", coalescing) node;
#else
#define SIZE 64
#define LANES 64
#define MOST (PART / LANES)
layout(name = "many", max_grid = uvec3(MANY_GROUPS, 1, 1), api_entry = false) node;
#endif
layout(local_size_x = SIZE) in;

struct Vertex {
    uint id;
};
struct Large {
#if KIND == 2 || !defined(LAST)
    dispatch_grid uint groups;
#endif
    uint id;
};
#if KIND == 2
nodein Large vertex;
#else
nodein Vertex vertices[SIZE / LANES];
#endif

#ifndef LAST
layout(node = "few", base_index = LEVEL + 1, array_size = 1) nodeout Vertex few[SIZE * MOST];
layout(node = "some", base_index = LEVEL + 1, array_size = 1, shares_budget_with = few) nodeout Vertex some[];
layout(node = "many", base_index = LEVEL + 1, array_size = 1, shares_budget_with = few) nodeout Large many[];
#endif

layout(push_constant, scalar) uniform Arguments { Words distances; Words offsets; Words neighbours; };

void main()
{
#if KIND == 2
    const uint id = vertex.id;
    const uint end = offsets.v[id + 1];
    const uint first = offsets.v[id] + gl_WorkGroupID.x * PART + gl_LocalInvocationIndex;
#else
    const uint which = gl_LocalInvocationIndex / LANES;
    const bool works = which < vertices.length();
    const uint id = vertices[works ? which : 0].id;
    const uint end = works ? offsets.v[id + 1] : 0;
    const uint first = offsets.v[id] + gl_LocalInvocationIndex % LANES;
#endif
    uint found[3] = uint[](0, 0, 0);
    for (uint i = 0; i < MOST && first + i * LANES < end; i += BATCH) {
        uint others[BATCH];
        uint seen[BATCH];
        for (uint j = 0; j < BATCH; ++j) {
            const uint at = first + (i + j) * LANES;
            others[j] = at < end && i + j < MOST ? neighbours.v[at] : id;
        }
        for (uint j = 0; j < BATCH; ++j) {
            seen[j] = distances.v[others[j]];
        }
        for (uint j = 0; j < BATCH; ++j) {
            seen[j] = seen[j] > LEVEL + 1 ? atomicMin(distances.v[others[j]], LEVEL + 1) : 0;
        }
        uint degrees[BATCH];
        for (uint j = 0; j < BATCH; ++j) {
            degrees[j] = seen[j] > LEVEL + 1 ? offsets.v[others[j] + 1] - offsets.v[others[j]] : 0;
        }
        for (uint j = 0; j < BATCH; ++j) {
            if (seen[j] > LEVEL + 1) {
                found[kindOf(degrees[j])] |= 1 << i + j;
            }
        }
    }
#ifndef LAST
    allocateInvocation(few, bitCount(found[0]));
    for (uint i = 0, bits = found[0]; bits != 0; ++i, bits &= bits - 1) {
        few[i].id = neighbours.v[first + findLSB(bits) * LANES];
    }
    enqueue(few);
    allocateInvocation(some, bitCount(found[1]));
    for (uint i = 0, bits = found[1]; bits != 0; ++i, bits &= bits - 1) {
        some[i].id = neighbours.v[first + findLSB(bits) * LANES];
    }
    enqueue(some);
    allocateInvocation(many, bitCount(found[2]));
    for (uint i = 0, bits = found[2]; bits != 0; ++i, bits &= bits - 1) {
        const uint other = neighbours.v[first + findLSB(bits) * LANES];
        many[i].id = other;
        many[i].groups = (offsets.v[other + 1] - offsets.v[other] + PART - 1) / PART;
    }
    enqueue(many);
#endif
}
