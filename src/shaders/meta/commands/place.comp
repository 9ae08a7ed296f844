// SPDX-License-Identifier: Apache-2.0
// Generated dispatches, third kernel: a workgroup per block writes the entries of its sequences; all of them together
// write the tables and the dispatches of the pipelines.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "meta/commands/sequences.glsl"
#include "meta/commands/place.glsl"

void main()
{
    uint block = gl_WorkGroupID.x;
    readBlock(block);
    placeBlock(block);
}
