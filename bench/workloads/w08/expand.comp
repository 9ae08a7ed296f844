#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Looks at the neighbours of a vertex that is LEVEL away: KIND 0 with one invocation, 1 with one workgroup, 2 with many.
// Payloads may come in any order, so a shorter way may be found later; it then goes on from there again.
#include "search.glsl"

#if KIND == 0
layout(name = "few", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;
#define STEP 1
#define MOST 31
#define TOTAL 31
#elif KIND == 1
layout(name = "some", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 64) in;
#define STEP 64
#define MOST 16
#define TOTAL 1024
#else
layout(name = "many", max_grid = uvec3(MANY_GROUPS, 1, 1), api_entry = false) node;
layout(local_size_x = 256) in;
#define STEP 256
#define MOST 1
#define TOTAL 256
#endif

struct Vertex {
    uint id;
};
struct Large {
#if KIND == 2 || !defined(LAST)
    dispatch_grid uint groups;
#endif
    uint id;
};
#if KIND == 0
nodein Vertex vertex[1];
#define ID vertex[0].id
#elif KIND == 1
nodein Vertex vertex;
#define ID vertex.id
#else
nodein Large vertex;
#define ID vertex.id
#endif

#ifndef LAST
layout(node = "few", base_index = LEVEL + 1, array_size = 1) nodeout Vertex few[TOTAL];
layout(node = "some", base_index = LEVEL + 1, array_size = 1, shares_budget_with = few) nodeout Vertex some[];
layout(node = "many", base_index = LEVEL + 1, array_size = 1, shares_budget_with = few) nodeout Large many[];
#endif

layout(push_constant, scalar) uniform Arguments { Words distances; Words offsets; Words neighbours; };

void main()
{
    const uint id = ID;
    const uint begin = offsets.v[id];
    const uint end = offsets.v[id + 1];
#if KIND == 2
    const uint first = begin + gl_WorkGroupID.x * 256 + gl_LocalInvocationIndex;
#else
    const uint first = begin + gl_LocalInvocationIndex;
#endif
    uint found[3] = uint[](0, 0, 0);
    for (uint i = 0; i < MOST; ++i) {
        const uint at = first + i * STEP;
        if (at < end) {
            const uint other = neighbours.v[at];
            if (distances.v[other] > LEVEL + 1 && atomicMin(distances.v[other], LEVEL + 1) > LEVEL + 1) {
                found[kindOf(offsets.v[other + 1] - offsets.v[other])] |= 1 << i;
            }
        }
    }
#ifndef LAST
    allocateInvocation(few, bitCount(found[0]));
    for (uint i = 0, bits = found[0]; bits != 0; ++i, bits &= bits - 1) {
        few[i].id = neighbours.v[first + findLSB(bits) * STEP];
    }
    enqueue(few);
    allocateInvocation(some, bitCount(found[1]));
    for (uint i = 0, bits = found[1]; bits != 0; ++i, bits &= bits - 1) {
        some[i].id = neighbours.v[first + findLSB(bits) * STEP];
    }
    enqueue(some);
    allocateInvocation(many, bitCount(found[2]));
    for (uint i = 0, bits = found[2]; bits != 0; ++i, bits &= bits - 1) {
        const uint other = neighbours.v[first + findLSB(bits) * STEP];
        many[i].id = other;
        many[i].groups = (offsets.v[other + 1] - offsets.v[other] + 255) / 256;
    }
    enqueue(many);
#endif
}
