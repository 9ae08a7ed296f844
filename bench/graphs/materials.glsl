// SPDX-License-Identifier: Apache-2.0
// The picture of the classification: blocks of R x R pixels, each of one of 111 materials.
const uint kWidth = 3831u;
const uint kHeight = 1757u;
const uint kMaterials = 111u;

uint hash(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

uint materialAt(uvec2 pixel, uint blockSide)
{
    return hash(pixel.x / blockSide * 7919u + pixel.y / blockSide * 104729u) % kMaterials;
}
