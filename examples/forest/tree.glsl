// SPDX-License-Identifier: Apache-2.0
// What a tree is: the push constants of its sequence.
#ifndef TREE_GLSL
#define TREE_GLSL

struct Tree {
    vec2 place;  // on the ground: to the right, and away
    float size;  // meters
    uint seed;
};

const uint kFir = 0u;
const uint kBroadleaf = 1u;

const vec3 kHaze = vec3(0.80, 0.86, 0.88);

uint hashed(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// From 0 to 1.
float random(const uint seed)
{
    return float(hashed(seed) >> 8) / 16777216.0;
}

#endif
