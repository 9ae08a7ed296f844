// SPDX-License-Identifier: Apache-2.0
// The value of a primitive, where its vertices have only a position.
#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 1) perprimitiveEXT flat in uint value;
layout(location = 0) out uint result;
void main()
{
    result = value;
}
