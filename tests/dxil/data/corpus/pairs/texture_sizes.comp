#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 3) in;
layout(set = 0, binding = 1000) uniform texture1D strip;
layout(set = 0, binding = 1001) uniform utexture1DArray strips;
layout(set = 0, binding = 1002) uniform texture2D flat_;
layout(set = 0, binding = 1003) uniform itexture2DArray layers;
layout(set = 0, binding = 1004) uniform utexture3D solid;
layout(set = 0, binding = 1005) uniform textureCube cube;
layout(set = 0, binding = 1006) uniform textureCubeArray cubes;
layout(set = 0, binding = 1007) uniform texture2DMS many;
layout(set = 0, binding = 1, rgba32f) uniform image2D target;
layout(set = 0, binding = 2, rgba32f) uniform image3D field;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
uint next;
void put(int a) { words[next++] = uint(a); }
void put(ivec2 a) { put(a.x); put(a.y); }
void put(ivec3 a) { put(a.xy); put(a.z); }
void main()
{
    if (gl_WorkGroupID.x != 0) { return; }
    int i = int(gl_LocalInvocationIndex);
    next = 40 * i;
    put(textureSize(strip, i)); put(textureQueryLevels(strip));
    put(textureSize(strips, i)); put(textureQueryLevels(strips));
    put(textureSize(flat_, i)); put(textureQueryLevels(flat_));
    put(textureSize(layers, i)); put(textureQueryLevels(layers));
    put(textureSize(solid, i)); put(textureQueryLevels(solid));
    put(textureSize(cube, i)); put(textureQueryLevels(cube));
    put(textureSize(cubes, i)); put(textureQueryLevels(cubes));
    put(textureSize(many)); put(textureSamples(many));
    put(imageSize(target));
    put(imageSize(field));
    put(textureSize(flat_, 0));
}
