#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) flat in uint vertexValue;
layout(location = 1) perprimitiveEXT flat in uint primitiveValue;
layout(location = 0) out vec4 result;

void main()
{
    result = vec4(vertexValue, primitiveValue, 0, 255) / 255;
}
