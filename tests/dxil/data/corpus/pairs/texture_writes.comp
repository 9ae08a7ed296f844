#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1, rgba32f) uniform image1D strip;
layout(set = 0, binding = 2, rgba32f) uniform image2D flat_;
layout(set = 0, binding = 3, rgba32ui) uniform uimage2DArray layers;
layout(set = 0, binding = 4, r32i) uniform iimage3D solid;
layout(set = 0, binding = 5, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 6, r32i) uniform iimage2D extremes;
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    int n = 16 * id.y + id.x;
    vec4 before = imageLoad(flat_, id.xy);
    imageStore(flat_, id.xy, before.yxwz + vec4(1, 2, 3, id.x));
    if (id.y == 0) { imageStore(strip, id.x, imageLoad(strip, id.x) * 2); }
    uvec4 layer = imageLoad(layers, ivec3(id.yx, 2));
    imageStore(layers, ivec3(id.yx, 2), layer.zwxy + id.x);
    imageStore(layers, ivec3(id.xy, 1), uvec4(n));
    ivec3 place = ivec3(id.xy & 7, id.x >> 3);
    imageStore(solid, place, ivec4(imageLoad(solid, place).x + n - 100));
    imageAtomicAdd(counts, id.xy & 1, uint(n));
    imageAtomicOr(counts, ivec2(2, id.y), 1u << id.x);
    imageAtomicMax(counts, ivec2(3, 0), uint(n * 7));
    imageAtomicMin(extremes, ivec2(1, 0), -n);
    imageAtomicMax(extremes, ivec2(2, 0), 3 - n);
    imageAtomicMin(solid, place + ivec3(0, 0, 4), n - 5);
    ivec2 own = ivec2(id.x, 8 + id.y);
    imageAtomicCompSwap(counts, own, imageLoad(counts, own).x + uint(n & 1), 777u);
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(before[c]);
        words[8 * n + 4 + c] = layer[c];
    }
}
