#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec4 unrolled[3];
layout(location = 3) in vec4 indexed[3];
layout(location = 6) in mat3 frame;
layout(location = 9) perprimitiveEXT in Face { vec2 first; float second[2]; } face;
layout(location = 0) out vec4 color;

void main()
{
    color = unrolled[0] + unrolled[1] * unrolled[2] + indexed[0] - indexed[1] + indexed[2];
    color += vec4(frame[0] + frame[1] * frame[2], face.first.x) * face.first.y + face.second[0] * face.second[1];
}
