#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Each pixel goes to the node that its key says.
#include "../buffers.glsl"
layout(name = "scatter", static_grid = uvec3(WIDTH / 16, HEIGHT / 16, 1)) node;
layout(local_size_x = 16, local_size_y = 16) in;

struct Item {
    uint place;
    uint value;
};
layout(node = "gather", array_size = NODES) nodeout Item items[256];

layout(push_constant, scalar) uniform Arguments { Words keys; Words results; };

void main()
{
    const uint place = gl_GlobalInvocationID.y * WIDTH + gl_GlobalInvocationID.x;
    allocateInvocationAt(items, keys.v[place], 1);
    items[0].place = place;
    items[0].value = mix32(place);
    enqueue(items);
}
