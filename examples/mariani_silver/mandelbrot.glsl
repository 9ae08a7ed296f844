// SPDX-License-Identifier: Apache-2.0
// How many steps a pixel's number takes to escape, in integers with 12 bits of fraction: every device, and the test,
// compute the same.
const uint kLimit = 63;
const int kOne = 4096;
const int kWidth = 128;

uint dwellAt(uvec2 pixel)
{
    // From -2.25 to 0.75 and from -1.5 to 1.5.
    const ivec2 c = ivec2(pixel) * (3 * kOne / kWidth) - ivec2(9 * kOne / 4, 3 * kOne / 2);
    ivec2 z = ivec2(0);
    for (uint i = 0; i < kLimit; i++) {
        const ivec2 squares = z * z;
        if (squares.x + squares.y > 4 * kOne * kOne) {
            return i;
        }
        z = ivec2((squares.x - squares.y) / kOne, 2 * z.x * z.y / kOne) + c;
    }
    return kLimit;
}

uvec4 colourOf(uint dwell)
{
    return dwell == kLimit ? uvec4(0, 0, 0, 255) : uvec4(4 * dwell, 2 * dwell, 160 - 2 * dwell, 255);
}
