#version 460
// SPDX-License-Identifier: Apache-2.0
// Menger's sponge: of the 27 cubes inside of a cube, the 20 that have at most one coordinate in the middle go on. The
// smallest are drawn, each pixel with how near it is: the nearest wins, in whatever order they come.
layout(constant_id = 0) const uint DEPTH = 3;
layout(name = "cube", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 32) in;

struct Cube {
    uvec3 corner;
    uint size;
};
nodein Cube cube;
layout(node = "cube") nodeout Cube parts[20];

layout(set = 0, binding = 0, r32ui) uniform uimage2D nearest;
layout(set = 0, binding = 2) buffer Count { uint cubes; };

// Pixel (column, row) of a cube of side 1, four wide and four high: 0 nothing, 1 top, 2 left, 3 right side.
uint face(uint column, uint row)
{
    if (row == 0) {
        return column == 1 || column == 2 ? 1 : 0;
    }
    if (row == 1) {
        return 1;
    }
    return column < 2 ? 2 : 3;
}

void draw()
{
    const ivec3 at = ivec3(cube.corner);
    const ivec2 origin = ivec2((at.x - at.y) * 2 + 54, at.x + at.y - at.z * 2 + 54);
    const uint pixel = gl_LocalInvocationIndex;
    const uint side = pixel < 16 ? face(pixel % 4, pixel / 4) : 0;
    if (side != 0) {
        const uint near = cube.corner.x + cube.corner.y + cube.corner.z + 1;
        imageAtomicMax(nearest, origin + ivec2(pixel % 4, pixel / 4), near * 4 + side);
    }
    if (pixel == 0) {
        atomicAdd(cubes, 1);
    }
}

void main()
{
    if (remainingRecursion() == 0) {
        draw();
        return;
    }
    const uint i = gl_LocalInvocationIndex;
    const uvec3 place = uvec3(i % 3, i / 3 % 3, i / 9);
    const uvec3 isMiddle = uvec3(equal(place, uvec3(1)));
    const bool stays = i < 27 && isMiddle.x + isMiddle.y + isMiddle.z < 2;
    allocateInvocation(parts, stays ? 1 : 0);
    if (stays) {
        parts[0].corner = cube.corner + place * (cube.size / 3);
        parts[0].size = cube.size / 3;
    }
    enqueue(parts);
}
