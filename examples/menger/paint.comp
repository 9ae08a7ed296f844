#version 460
// SPDX-License-Identifier: Apache-2.0
// Runs in a second dispatch: colours for what is nearest.
layout(name = "paint", static_grid = uvec3(14, 14, 1)) node;
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, r32ui) readonly uniform uimage2D nearest;
layout(set = 0, binding = 1, rgba8ui) writeonly uniform uimage2D picture;

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    const uint key = imageLoad(nearest, at).r;
    const uvec3 sides[4] = {uvec3(0), uvec3(3, 3, 2), uvec3(2, 1, 1), uvec3(1, 1, 2)};
    const uint light = key == 0 ? 0 : key / 4 + 5;  // far ones are darker
    imageStore(picture, at, uvec4(sides[key % 4] * light, 255));
}
