// SPDX-License-Identifier: Apache-2.0
// Generated dispatches, second kernel: one workgroup adds up what the blocks have.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/commands.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { SortArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Sums { BlockSum v[]; };

#include "meta/commands/scan.glsl"

void main()
{
    addUpBlocks();
}
