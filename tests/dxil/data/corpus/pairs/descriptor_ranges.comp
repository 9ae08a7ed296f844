#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
// A table of 8 buffers that are written and any number that are read; one of four images; two samplers.
layout(set = 0, binding = 0) buffer Written { uint words[]; } written[8];
layout(set = 0, binding = 1) buffer Read { uint words[]; } listed[];
layout(set = 1, binding = 0) uniform texture2D picture[4];
layout(set = 2, binding = 1) uniform sampler smooth_;
void main()
{
    int i = int(gl_LocalInvocationIndex);
    uint sum = listed[2].words[i] + listed[nonuniformEXT(3 + i % 4)].words[0] + listed[1].words[2 * i + 1];
    vec4 texel = textureLod(nonuniformEXT(sampler2D(picture[i & 3], smooth_)), vec2(i, sum) / 16, 0);
    written[4].words[i] = sum + uint(texel.x);
}
