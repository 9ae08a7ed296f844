#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) flat in dvec3 exact;
layout(location = 2) in f16vec3 small;
layout(location = 3) in float usual;
layout(location = 4) flat in u16vec2 pair;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(vec3(exact) + vec3(small), usual) + vec4(pair, pair);
}
