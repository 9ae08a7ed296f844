#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D flat_;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
layout(set = 4, binding = 0) buffer Pairs { uvec2 pairs[]; } listed[];
layout(set = 5, binding = 0) uniform sampler samplers[];
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    uint n = 16 * id.y + id.x;
    uvec2 pair = uvec2(0);
    for (uint i = 0; i <= (id.x & 3); ++i)
        pair += listed[nonuniformEXT(3 - ((i - id.y) & 3))].pairs[n + i] * (i + 1);
    uint target = n % 3 == 2 ? 4 + (listed[nonuniformEXT(3 - ((0 - id.y) & 3))].pairs[5].x & 1) : 4 + n % 3;
    listed[nonuniformEXT(target)].pairs[n] = pair;
    uint which = (id.y & 1) == 0 ? id.x & 1 : 1 - (id.x & 1);
    vec4 texel = textureLod(nonuniformEXT(sampler2D(flat_, samplers[which])), (vec2(id.xy) + 0.5) / 16, 1);
    words[n] = floatBitsToUint(texel) + pair.y;
}
