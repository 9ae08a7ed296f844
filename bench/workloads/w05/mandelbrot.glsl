// SPDX-License-Identifier: Apache-2.0
// The picture is TILES x TILES squares of TILE x TILE pixels. A square whose border has one value is filled with it; of
// others, the inside is cut into four until they are smaller than LEAST.
#include "../buffers.glsl"
const uint kLimit = 256;
const uint kWidth = TILES * TILE;

// Every step is rounded by itself, so that the CPU comes to the same result.
uint dwellAt(uvec2 pixel)
{
    precise float step_ = 3.0 / float(kWidth);
    precise float re = float(pixel.x) * step_;
    re = re - 2.25;
    precise float im = float(pixel.y) * step_;
    im = im - 1.5;
    precise float x = 0;
    precise float y = 0;
    for (uint i = 0; i < kLimit; ++i) {
        precise float xx = x * x;
        precise float yy = y * y;
        precise float distance_ = xx + yy;
        if (distance_ > 4) {
            return i;
        }
        precise float xy = x * y;
        x = xx - yy;
        x = x + re;
        y = xy + xy;
        y = y + im;
    }
    return kLimit;
}

// Pixel i of the border of a square, of 4 (size - 1).
uvec2 borderPixel(uint i, uint size)
{
    const uint side = i / (size - 1);
    const uint along = i % (size - 1);
    return side == 0 ? uvec2(along, 0)
                     : side == 1 ? uvec2(size - 1, along)
                                 : side == 2 ? uvec2(size - 1 - along, size - 1) : uvec2(0, size - 1 - along);
}
