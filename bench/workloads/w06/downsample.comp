#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "reduce.glsl"
layout(name = "downsample", static_grid = uvec3(SIZE / 64, SIZE / 64, 1), api_entry = false) node;
layout(local_size_x = 256) in;

struct Image {
    uint unused;
};
layout(finish_tracking) nodein Image image;

layout(push_constant, scalar) uniform Arguments { Picture picture; };

void main()
{
    reduceTile(picture, gl_WorkGroupID.xy);
    memoryBarrierBuffer();
    if (finishWriting()) {
        reduceRest(picture);
    }
}
