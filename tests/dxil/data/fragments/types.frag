// SPDX-License-Identifier: Apache-2.0
// Outputs of many types, a few bits of each.
#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 1) in vec2 pairs[3];
layout(location = 1, component = 2) in vec2 left;
layout(location = 2, component = 2) in vec2 right;
layout(location = 4) flat in int number;
layout(location = 8) perprimitiveEXT flat in ivec3 numbers;
layout(location = 8, component = 3) perprimitiveEXT flat in int flag;
layout(location = 0) out uint result;
void main()
{
    vec2 at = pairs[0] + pairs[1] - pairs[2] + vec2(10, 20);
    result = uint(at.x) | uint(round(at.y)) << 3 | uint(round(left.x + left.y)) << 6 | uint(right.x + right.y) << 10;
    result |= uint(-number) << 14 | uint(-numbers.x) << 17 | uint(numbers.y) << 19 | uint(numbers.z) << 21;
    result |= uint(flag) << 24 | uint(gl_PrimitiveID) << 25;
}
