#version 460
// SPDX-License-Identifier: Apache-2.0
// Makes the samples, in a dispatch of its own: sums of hashes, so that there is a hill, and a narrow peak beside it.
layout(name = "fill", static_grid = uvec3(64, 1, 1)) node;
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) writeonly buffer Samples { uint samples[]; };

uint hash(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const uint hill = ((hash(i) & 0xffff) + (hash(i + 4096) & 0xffff) + (hash(i + 8192) & 0xffff)) / 3;
    samples[i] = i % 8 == 0 ? 50000 + (hash(i) & 63) : hill;
}
