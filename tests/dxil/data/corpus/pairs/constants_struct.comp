#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 2000) uniform Constants { uvec4 rows[64]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, l = i % 3;
    words[i] = rows[2 * l].z ^ rows[2 * l + 1].y * 3 ^ rows[5].w ^ rows[6 + (i & 3)].y;
}
