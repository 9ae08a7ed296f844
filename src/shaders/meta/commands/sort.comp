// SPDX-License-Identifier: Apache-2.0
// Generated dispatches of one block: its workgroup does what all three kernels do.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_SUMS coherent
#include "meta/commands/sequences.glsl"
#include "meta/commands/count.glsl"
#include "meta/commands/scan.glsl"
#include "meta/commands/place.glsl"

// What the workgroup has written is visible to all of it.
void passOn()
{
    memoryBarrierBuffer();
    barrier();
}

void main()
{
    readBlock(0u);
    countBlock(0u);
    passOn();
    addUpBlocks();
    passOn();
    placeBlock(0u);
}
