#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1001) readonly buffer Items { uint items[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    words[0] = 4 * source.length();
    words[1] = items.length() / 3;
    words[2] = 12;
}
