// SPDX-License-Identifier: Apache-2.0
// W5's arithmetic, as in bench/workloads/w05/mandelbrot.glsl.
#pragma once

#include "bench/cuda/portable.h"

namespace millrace::cuda {

struct Mandelbrot {
    static constexpr uint32_t kLimit = 256;
    static constexpr uint32_t kLeast = 16;

    uint32_t* dwells;
    uint32_t tiles, tile;
    float step;  // 3 / width

    MILLRACE_BOTH uint32_t width() const { return tiles * tile; }
    // Of the squares in a square of this size; below kLeast there are none.
    MILLRACE_BOTH static uint32_t partOf(uint32_t size) { return (size - 2) / 2; }
    MILLRACE_BOTH static bool isLast(uint32_t size) { return partOf(size) < kLeast; }
    MILLRACE_BOTH static uint32_t borderOf(uint32_t size) { return 4 * (size - 1); }

    MILLRACE_BOTH uint32_t dwellAt(uint32_t px, uint32_t py) const
    {
        const float re = add(multiply(static_cast<float>(px), step), -2.25f);
        const float im = add(multiply(static_cast<float>(py), step), -1.5f);
        float x = 0, y = 0;
        for (uint32_t i = 0; i < kLimit; ++i) {
            const float xx = multiply(x, x), yy = multiply(y, y);
            if (add(xx, yy) > 4)
                return i;
            const float xy = multiply(x, y);
            x = add(add(xx, -yy), re);
            y = add(add(xy, xy), im);
        }
        return kLimit;
    }
    // Pixel i of the border of a square.
    MILLRACE_BOTH static void borderPixel(uint32_t i, uint32_t size, uint32_t* x, uint32_t* y)
    {
        const uint32_t side = i / (size - 1), along = i % (size - 1);
        *x = side == 0 ? along : side == 1 ? size - 1 : side == 2 ? size - 1 - along : 0;
        *y = side == 0 ? 0 : side == 1 ? along : side == 2 ? size - 1 : size - 1 - along;
    }
    MILLRACE_BOTH uint32_t draw(uint32_t x, uint32_t y) const
    {
        const uint32_t dwell = dwellAt(x, y);
        dwells[y * width() + x] = dwell;
        return dwell;
    }
};

}  // namespace millrace::cuda
