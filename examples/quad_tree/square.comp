#version 460
// SPDX-License-Identifier: Apache-2.0
// A square of a picture is drawn in its mean colour if its pixels are much alike, and otherwise cut in four.
layout(constant_id = 0) const uint DEPTH = 5;
layout(constant_id = 1) const uint TOLERANCE = 24;
layout(local_size_x = 8, local_size_y = 8) in;

struct Square {
    uvec2 corner;
    uint size;
};
layout(name = "square", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
nodein Square square;                                // what it receives
layout(node = "square") nodeout Square quarters[4];  // what it may send, and to whom

layout(set = 0, binding = 0, rgba8ui) readonly uniform uimage2D source;
layout(set = 0, binding = 1, rgba8ui) writeonly uniform uimage2D picture;
layout(set = 0, binding = 2) buffer Leaves { uint leaves; };

shared uint sums[3];
shared uint least[3];
shared uint most[3];

void measure()
{
    if (gl_LocalInvocationIndex < 3) {
        sums[gl_LocalInvocationIndex] = 0;
        least[gl_LocalInvocationIndex] = 255;
        most[gl_LocalInvocationIndex] = 0;
    }
    barrier();
    for (uint y = gl_LocalInvocationID.y; y < square.size; y += 8) {
        for (uint x = gl_LocalInvocationID.x; x < square.size; x += 8) {
            const uvec4 texel = imageLoad(source, ivec2(square.corner + uvec2(x, y)));
            for (uint c = 0; c < 3; c++) {
                atomicAdd(sums[c], texel[c]);
                atomicMin(least[c], texel[c]);
                atomicMax(most[c], texel[c]);
            }
        }
    }
    barrier();
}

// With a dark line on two sides, so that squares can be told apart.
void draw()
{
    const uint count = square.size * square.size;
    const uvec3 mean = uvec3(sums[0], sums[1], sums[2]) / count;
    for (uint y = gl_LocalInvocationID.y; y < square.size; y += 8) {
        for (uint x = gl_LocalInvocationID.x; x < square.size; x += 8) {
            const bool isLine = square.size > 2 && (x == 0 || y == 0);
            imageStore(picture, ivec2(square.corner + uvec2(x, y)), uvec4(isLine ? mean * 3 / 4 : mean, 255));
        }
    }
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(leaves, 1);
    }
}

bool isMixed()
{
    return max(most[0] - least[0], max(most[1] - least[1], most[2] - least[2])) > TOLERANCE;
}

void main()
{
    measure();
    if (!isMixed() || remainingRecursion() == 0) {
        draw();
        return;
    }
    allocateWorkgroup(quarters, 4);
    const uint i = gl_LocalInvocationIndex;
    if (i < 4) {
        quarters[i].corner = square.corner + uvec2(i % 2, i / 2) * (square.size / 2);
        quarters[i].size = square.size / 2;
    }
    enqueue(quarters);
}
