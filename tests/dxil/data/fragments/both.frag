// SPDX-License-Identifier: Apache-2.0
// Values of the primitive behind that of its vertices.
#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 1) flat in uint value;
layout(location = 2) perprimitiveEXT flat in uvec2 pair;
layout(location = 0) out uint result;
void main()
{
    result = value + 10000 * pair.x + 1000 * pair.y;
}
