// SPDX-License-Identifier: Apache-2.0
// Push constants as an array with indices known and unknown, shared memory, barriers, all built-ins, a workgroup whose
// size is a specialization constant.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tell.glsl"

layout(local_size_x_id = 0, local_size_y = 2, local_size_z_id = 1) in;
layout(constant_id = 2) const uint kSeed = 5u;

layout(push_constant) uniform Push
{
    uint words[32];
};

shared uint sum;

uint wordAt(uint i)
{
    return words[i % 32u];
}

void main()
{
    if (gl_LocalInvocationIndex == 0u)
        sum = kSeed;
    barrier();
    uint h = mixed(wordAt(gl_LocalInvocationIndex + gl_WorkGroupID.x), words[3] ^ words[17]);
    for (uint i = 0u; i < 32u; ++i)
        h = mixed(h, words[i]);
    for (int i = 0; i < 3; ++i)
        h = mixed(h, mixed(gl_WorkGroupID[i], mixed(gl_NumWorkGroups[i], gl_GlobalInvocationID[i])));
    atomicAdd(sum, h);
    barrier();
    tell(mixed(sum, gl_LocalInvocationIndex));
}
