#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) in vec4 v2;
layout(location = 3) in vec4 v3;
layout(location = 4) in vec4 v4;
layout(location = 5) in vec4 v5;
layout(location = 6) perprimitiveEXT in vec4 p6;
layout(location = 7) perprimitiveEXT in vec4 p7;
layout(location = 8) perprimitiveEXT in vec4 p8;
layout(location = 0) out vec4 color;

void main()
{
    color = v0 + v1 + v2 + v3 + v4 + v5 + p6 + p7 + p8;
}
