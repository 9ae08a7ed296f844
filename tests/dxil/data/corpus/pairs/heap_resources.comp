#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D flat_;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
layout(set = 4, binding = 0) buffer Pairs { uvec2 pairs[]; } listed[];
layout(set = 4, binding = 0) buffer Numbers { uint numbers[]; } counted[];
layout(set = 4, binding = 1) buffer Counters { uint count; } counters[];
layout(set = 5, binding = 0) uniform sampler samplers[];
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    uint n = 16 * id.y + id.x;
    uvec2 pair = listed[nonuniformEXT(id.x & 3)].pairs[n];
    listed[4].pairs[n] = pair.yx * 3;
    if (n % 3 == 0) { atomicAdd(counters[7].count, 1); }
    counted[7].numbers[n] = pair.x + n;
    vec4 texel = textureLod(nonuniformEXT(sampler2D(flat_, samplers[id.y & 1])), (vec2(id.xy) + 0.5) / 16, 1);
    words[n] = floatBitsToUint(texel) + pair.y;
}
