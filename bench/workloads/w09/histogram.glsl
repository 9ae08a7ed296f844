// SPDX-License-Identifier: Apache-2.0
// TILE keys make a histogram of 256 counts.
#include "../buffers.glsl"

shared uint counts[256];

// By 256 invocations, of which each has one count in the end.
void countTile(Quads keys, uint tile)
{
    const uint lane = gl_LocalInvocationIndex;
    counts[lane] = 0;
    barrier();
    for (uint i = lane; i < TILE / 4; i += 256) {
        const uvec4 four = keys.v[tile * (TILE / 4) + i];
        for (uint j = 0; j < 4; ++j) {
            atomicAdd(counts[four[j] >> 24], 1);
        }
    }
    barrier();
}
