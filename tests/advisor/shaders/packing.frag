#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec3 normal;
layout(location = 1) in vec2 uv;
layout(location = 2) in float fog;
layout(location = 3) flat in uvec2 material;
layout(location = 4) in vec3 tangent;
layout(location = 5, component = 1) in float a;
layout(location = 5, component = 3) in float b;
layout(location = 6) perprimitiveEXT in flat uint group;
layout(location = 7) perprimitiveEXT in vec3 middle;
layout(location = 8) flat in uint single;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(normal + tangent * middle, fog * a - b) + uv.xyxy + vec4(material, group, single);
}
