// SPDX-License-Identifier: Apache-2.0
// What the node shaders in mandelbrot.spvasm and the host have to agree on.
#pragma once

#include <array>
#include <cstdint>

// Numbers of the complex plane are fixed-point: -8 to 8 with 28 fractional bits.
inline constexpr int kFractionBits = 28;

inline constexpr uint32_t kTileSide = 542;     // of the squares that cover the picture
inline constexpr uint32_t kSmallSquare = 16;   // squares up to this side are not cut any further
inline constexpr uint32_t kMaxRecursion = 5;   // of "mariani_silver"
inline constexpr uint32_t kBorderPixels = 32;  // that one workgroup of "mariani_silver" computes

// The push constants.
struct View {
    uint64_t image = 0;  // device address of side * side dwells, row by row
    int32_t left = 0;    // real part of the first column
    int32_t top = 0;     // imaginary part of the first row
    int32_t step = 0;    // from pixel to pixel
    uint32_t side = 0;
    uint32_t maxIterations = 0;
    uint32_t unused = 0;
};
static_assert(sizeof(View) == 32);

// What became of the squares with the same recursion level remaining.
struct LevelCounters {
    uint32_t filled = 0;
    uint32_t iterated = 0;
    uint32_t split = 0;
    uint32_t workgroups = 0;  // for their borders

    uint32_t squares() const { return filled + iterated + split; }
    bool operator==(const LevelCounters&) const = default;
};

using Counters = std::array<LevelCounters, kMaxRecursion + 1>;
