#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "histogram.glsl"
layout(name = "tiles", static_grid = uvec3(TILES, 1, 1)) node;
layout(local_size_x = 256) in;

struct Histogram {
    uint counts[256];
};
layout(node = "combine") nodeout Histogram histograms[1];

layout(push_constant, scalar) uniform Arguments { Quads keys; Words sums; };

void main()
{
    countTile(keys, gl_WorkGroupID.x);
    allocateWorkgroup(histograms, 1);
    histograms[0].counts[gl_LocalInvocationIndex] = counts[gl_LocalInvocationIndex];
    enqueue(histograms);
}
