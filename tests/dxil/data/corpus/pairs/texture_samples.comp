#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1000) uniform texture1D strip;
layout(set = 0, binding = 1001) uniform texture1DArray strips;
layout(set = 0, binding = 1002) uniform texture2D flat_;
layout(set = 0, binding = 1003) uniform texture2DArray layers;
layout(set = 0, binding = 1004) uniform texture3D solid;
layout(set = 0, binding = 1005) uniform textureCube cube;
layout(set = 0, binding = 1006) uniform textureCubeArray cubes;
layout(set = 0, binding = 1007) uniform texture2D single;
layout(set = 0, binding = 3000) uniform sampler plain;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec3 id = ivec3(gl_GlobalInvocationID);
    vec2 at = (vec2(id.xy) + 0.5) / 16;
    vec4 first = textureLod(sampler2D(flat_, plain), at, 0) + textureLod(sampler2D(flat_, plain), at, 1) * 2;
    first += textureLodOffset(sampler2D(flat_, plain), at, 2, ivec2(1, -2)) * 3;
    first += textureLod(sampler2DArray(layers, plain), vec3(at, 2), 1);
    first += textureLod(sampler1D(strip, plain), at.x, 0);
    first += textureLodOffset(sampler1DArray(strips, plain), vec2(at.x, 3), 0, 2) * 2;
    vec4 second = textureLod(sampler3D(solid, plain), vec3(at, 0.3125), 1);
    second += textureLod(samplerCube(cube, plain), vec3(at - 0.5, 1), 0);
    second += textureLod(samplerCubeArray(cubes, plain), vec4(1, at - 0.5, 1), 1) * 2;
    second += textureLod(sampler2D(single, plain), at.yx, 0).x;
    second += textureGrad(sampler2D(flat_, plain), at, vec2(0.125, 0), vec2(0, 0.125));
    second += textureGradOffset(sampler2DArray(layers, plain), vec3(at, 1), vec2(0.0625, 0), vec2(0, 0.0625), ivec2(1, 0)) * 3;
    int n = 16 * id.y + id.x;
    for (int c = 0; c < 4; c++) {
        words[8 * n + c] = floatBitsToUint(first[c]);
        words[8 * n + 4 + c] = floatBitsToUint(second[c]);
    }
}
