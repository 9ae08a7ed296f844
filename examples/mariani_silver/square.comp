#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// Looks at the border of a square and decides who goes on: if all of it has one colour, so has the inside, which "fill"
// paints; of others, four smaller squares come here again, and the smallest go to "draw".
#include "payloads.glsl"
layout(constant_id = 0) const uint DEPTH = 4;
layout(name = "square", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 32) in;

nodein Square square;
// One of the three, so they share one budget.
layout(node = "square") nodeout Square parts[4];
layout(node = "fill", shares_budget_with = parts) nodeout Area same[];
layout(node = "draw", shares_budget_with = parts) nodeout Square small[];

shared uint least;
shared uint most;

// Pixel i of the border, of 4 (size - 1).
uvec2 borderPixel(uint i)
{
    const uint last = square.size - 1;
    const uint along = i % last;
    const uvec2 places[4] = {uvec2(along, 0), uvec2(last, along), uvec2(last - along, last), uvec2(0, last - along)};
    return places[i / last];
}

void look()
{
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(counts.squares, 1);
        least = kLimit;
        most = 0;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < 4 * (square.size - 1); i += 32) {
        const uint dwell = dwellAt(square.corner + borderPixel(i));
        atomicMin(least, dwell);
        atomicMax(most, dwell);
    }
    barrier();
}

void main()
{
    look();
    const uint i = gl_LocalInvocationIndex;
    if (least == most) {
        allocateWorkgroup(same, 1);
        if (i == 0) {
            same[0].groups = uvec2((square.size + 7) / 8);
            same[0].corner = square.corner;
            same[0].size = square.size;
            same[0].dwell = least;
        }
        enqueue(same);
    } else if (remainingRecursion() == 0) {
        allocateWorkgroup(small, 1);
        if (i == 0) {
            small[0].corner = square.corner;
            small[0].size = square.size;
        }
        enqueue(small);
    } else {
        allocateWorkgroup(parts, 4);
        if (i < 4) {
            parts[i].corner = square.corner + uvec2(i % 2, i / 2) * (square.size / 2);
            parts[i].size = square.size / 2;
        }
        enqueue(parts);
    }
}
