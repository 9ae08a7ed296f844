#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture1D strip;
layout(set = 0, binding = 1001) uniform utexture1DArray strips;
layout(set = 0, binding = 1002) uniform texture2D flat_;
layout(set = 0, binding = 1003) uniform itexture2DArray layers;
layout(set = 0, binding = 1004) uniform utexture3D solid;
layout(set = 0, binding = 1005) uniform texture2DMS many;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    vec4 sum = texelFetch(strip, id.x, 0) + texelFetch(strip, id.x / 2, 1);
    sum += texelFetch(flat_, id.xy, 0) * 2 + texelFetch(flat_, id.xy / 4, 2) + texelFetch(flat_, id.xy / 2, 1);
    sum += texelFetch(flat_, ivec2(id.x / 2 + 3, id.y + 1), 0) * 3 + texelFetch(flat_, id.yx, 0) + texelFetch(many, id.xy, 2);
    ivec4 number = texelFetch(layers, ivec3(id.xy, id.x & 3), 0) - ivec4(texelFetch(solid, ivec3(id.xy & 7, id.y), 0));
    number += int(texelFetch(strips, ivec2(id.x, id.y & 3), 0).x);
    int n = 16 * id.y + id.x;
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(sum[c]);
        words[8 * n + 4 + c] = uint(number[c]);
    }
}
