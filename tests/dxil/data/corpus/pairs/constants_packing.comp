#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 2000) uniform Constants { uvec4 rows[64]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    words[i] = rows[0].x + rows[0].y * 3 + rows[0].w * 5 + rows[1].y * 7 + rows[1].z * 11 + rows[2 + i % 3].x * 13 + rows[4].y * 17;
}
