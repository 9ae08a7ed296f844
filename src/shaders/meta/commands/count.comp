// SPDX-License-Identifier: Apache-2.0
// Generated dispatches, first kernel: a workgroup per block counts what the block has for each pipeline.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "meta/commands/sequences.glsl"
#include "meta/commands/count.glsl"

void main()
{
    uint block = gl_WorkGroupID.x;
    readBlock(block);
    countBlock(block);
}
