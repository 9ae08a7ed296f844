#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level, for one kind of vertices: 256 of few neighbours to a workgroup, four of some, or PART
// neighbours of one of many.
#include "search.glsl"
layout(local_size_x = 256) in;
layout(push_constant, scalar) uniform Arguments {
    Words distances;
    Words offsets;
    Words neighbours;
    Words from;      // few, then some, then many, with room for `room` each; of many, the second half says which part
    Words to;
    Words counters;  // of level and kind, 128 bytes apart
    uint room;
    uint level;
};
shared uint counts[3];
shared uint bases[3];

#define BATCH 8  // loads that do not wait for each other
#if KIND == 0
#define STEP 1
#define MOST 31
#define PACKED 256
#elif KIND == 1
#define STEP 64
#define MOST 16
#define PACKED 4
#else
#define STEP 256
#define MOST (PART / STEP)
#define PACKED 1
#endif

void main()
{
    const uint lane = gl_LocalInvocationIndex;
    const uint all = counters.v[(3 * level + KIND) * 32];
    for (uint start = gl_WorkGroupID.x * PACKED; start < all; start += gl_NumWorkGroups.x * PACKED) {
        const uint mine = start + lane / STEP;
        const uint id = mine < all ? from.v[KIND * room + mine] : 0;
        uint first = offsets.v[id] + lane % STEP;
#if KIND == 2
        first += from.v[3 * room + mine] * PART;
#endif
        const uint end = mine < all ? offsets.v[id + 1] : 0;
        if (lane < 3) {
            counts[lane] = 0;
        }
        uint found[3] = uint[](0, 0, 0);
        uint sizes[3] = uint[](0, 0, 0);
        for (uint i = 0; i < MOST && first + i * STEP < end; i += BATCH) {
            uint others[BATCH];
            uint seen[BATCH];
            for (uint j = 0; j < BATCH; ++j) {
                const uint at = first + (i + j) * STEP;
                others[j] = at < end && i + j < MOST ? neighbours.v[at] : id;
            }
            for (uint j = 0; j < BATCH; ++j) {
                seen[j] = distances.v[others[j]];
            }
            for (uint j = 0; j < BATCH; ++j) {
                if (seen[j] > level + 1 && atomicMin(distances.v[others[j]], level + 1) > level + 1) {
                    const uint degree = offsets.v[others[j] + 1] - offsets.v[others[j]];
                    const uint kind = kindOf(degree);
                    found[kind] |= 1 << i + j;
                    sizes[kind] += kind == 2 ? (degree + PART - 1) / PART : 1;
                }
            }
        }
        barrier();
        uint places[3];
        for (uint kind = 0; kind < 3; ++kind) {
            places[kind] = sizes[kind] == 0 ? 0 : atomicAdd(counts[kind], sizes[kind]);
        }
        barrier();
        if (lane < 3 && counts[lane] != 0) {
            bases[lane] = atomicAdd(counters.v[(3 * level + 3 + lane) * 32], counts[lane]);
        }
        barrier();
        for (uint kind = 0; kind < 3; ++kind) {
            uint place = bases[kind] + places[kind];
            for (uint bits = found[kind]; bits != 0; bits &= bits - 1) {
                const uint other = neighbours.v[first + findLSB(bits) * STEP];
                if (kind < 2) {
                    to.v[kind * room + place++] = other;
                } else {
                    const uint parts = (offsets.v[other + 1] - offsets.v[other] + PART - 1) / PART;
                    for (uint part = 0; part < parts; ++part) {
                        to.v[2 * room + place] = other;
                        to.v[3 * room + place++] = part;
                    }
                }
            }
        }
        barrier();
    }
}
