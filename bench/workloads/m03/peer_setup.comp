#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "peer.glsl"
layout(local_size_x = 1) in;

void grid(uint at, uint all, uint size)
{
    const uint groups = (all + size - 1) / size;
    extra.v[at] = min(groups, 1024);
    extra.v[at + 1] = (groups + 1023) / 1024;
    extra.v[at + 2] = 1;
    extra.v[at + 3] = all;
}

void main()
{
    grid(kExpandGrid, extra.v[kEntries], 64);
    grid(kAbsorbGrid, extra.v[kCount], 64);
    extra.v[kPool] = 0;
    extra.v[kEntries] = 0;
    extra.v[kCount] = 0;
}
