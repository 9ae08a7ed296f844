#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture2D images[4];
layout(set = 1, binding = 1000) buffer Lists { uint values[]; } lists[];
layout(set = 0, binding = 3000) uniform sampler samplers[2];
layout(set = 0, binding = 1, rgba32f) uniform image2D targets[3];
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    int n = 16 * id.y + id.x;
    vec2 at = (vec2(id.xy) + 0.5) / 16;
    vec4 texel = textureLod(nonuniformEXT(sampler2D(images[n & 3], samplers[id.x & 1])), at, 1);
    texel += texelFetch(images[nonuniformEXT(n % 3)], id.xy, 0);
    uint listed = lists[nonuniformEXT(n & 7)].values[n];
    imageStore(targets[nonuniformEXT(n % 3)], id.xy, texel);
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(texel[c]);
    }
    words[8 * n + 4] = listed + uint(texelFetch(images[1], id.xy, 0).x);
}
