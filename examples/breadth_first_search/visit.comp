#version 460
// SPDX-License-Identifier: Apache-2.0
// Visits a cell of a cave and sends its open neighbours to itself. Mostly all cells of one distance run before those of
// the next, but nobody promises it: whoever comes a shorter way than others before goes on again.
#include "cave.glsl"

layout(constant_id = 0) const uint LONGEST = 128;
layout(name = "visit", static_grid = uvec3(1, 1, 1), recursion = LONGEST) node;
layout(local_size_x = 4) in;

struct Cell {
    ivec2 at;
};
nodein Cell cell;
layout(node = "visit") nodeout Cell neighbours[4];

layout(set = 0, binding = 0, r8ui) readonly uniform uimage2D cave;

shared bool improves;

void main()
{
    const uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        const uint steps = LONGEST - remainingRecursion();
        improves = steps < atomicMin(distances[cell.at.y * kSide + cell.at.x], steps);
    }
    barrier();
    const ivec2 ways[4] = {ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1)};
    const ivec2 next = cell.at + ways[i];  // the picture has a border of rock
    if (remainingRecursion() > 0) {
        const bool goesOn = improves && imageLoad(cave, next).r != kRock;
        allocateInvocation(neighbours, goesOn ? 1 : 0);
        if (goesOn) {
            neighbours[0].at = next;
        }
        enqueue(neighbours);
    }
}
