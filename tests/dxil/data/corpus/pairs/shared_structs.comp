#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
struct Item { uint key; uint parts[2]; };
shared Item kept[32];
void main()
{
    uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
    kept[l].key = source[i];
    kept[l].parts[l & 1] = l;
    kept[l].parts[1 - (l & 1)] = 7;
    barrier();
    words[i] = kept[31 - l].key + kept[l ^ 1].parts[0] * 100 + kept[l ^ 2].parts[1];
}
