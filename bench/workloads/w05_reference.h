// SPDX-License-Identifier: Apache-2.0
// What W5 has to write, by the CPU: for the execution graph, the program by hand and CUDA (bench/cuda) alike. What
// includes this must be compiled without fused multiply-add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::bench::w05 {

inline constexpr uint32_t kLeast = 16;
inline constexpr uint32_t kLimit = 256;

struct Picture {
    uint32_t tiles, tile;
    uint32_t width() const { return tiles * tile; }
};

struct Level {
    uint32_t size = 0;
    uint32_t squares = 0;
    uint32_t same = 0;
    uint32_t drawn = 0;
};

// The picture, and how much work there is at each level.
class Reference {
public:
    explicit Reference(const Picture& picture)
        : m_width(picture.width()), dwells(size_t{picture.width()} * picture.width())
    {
        for (uint32_t size = picture.tile; size >= kLeast; size = (size - 2) / 2)
            levels.push_back({size});
        for (uint32_t y = 0; y < picture.tiles; ++y)
            for (uint32_t x = 0; x < picture.tiles; ++x)
                square(x * picture.tile, y * picture.tile, 0);
    }

private:
    uint32_t m_width;

public:
    std::vector<Level> levels;
    std::vector<uint32_t> dwells;

private:
    uint32_t dwellAt(uint32_t px, uint32_t py) const
    {
        const float step = 3.0f / static_cast<float>(m_width);
        const float re = static_cast<float>(px) * step - 2.25f;
        const float im = static_cast<float>(py) * step - 1.5f;
        float x = 0, y = 0;
        for (uint32_t i = 0; i < kLimit; ++i) {
            const float xx = x * x, yy = y * y;
            if (xx + yy > 4)
                return i;
            const float xy = x * y;
            x = xx - yy + re;
            y = xy + xy + im;
        }
        return kLimit;
    }
    uint32_t& at(uint32_t x, uint32_t y) { return dwells[size_t{y} * m_width + x]; }

    void square(uint32_t x0, uint32_t y0, size_t level)
    {
        const uint32_t size = levels[level].size;
        ++levels[level].squares;
        uint32_t least = ~0u, most = 0;
        const auto look = [&](uint32_t x, uint32_t y) {
            const uint32_t dwell = at(x, y) = dwellAt(x, y);
            least = std::min(least, dwell);
            most = std::max(most, dwell);
        };
        for (uint32_t i = 0; i < size; ++i) {
            look(x0 + i, y0);
            look(x0 + i, y0 + size - 1);
            look(x0, y0 + i);
            look(x0 + size - 1, y0 + i);
        }
        if (least != most && level + 1 < levels.size()) {
            const uint32_t part = levels[level + 1].size;
            for (uint32_t i = 0; i < 4; ++i)
                square(x0 + 1 + part * (i % 2), y0 + 1 + part * (i / 2), level + 1);
            return;
        }
        ++(least == most ? levels[level].same : levels[level].drawn);
        for (uint32_t y = y0 + 1; y < y0 + size - 1; ++y)
            for (uint32_t x = x0 + 1; x < x0 + size - 1; ++x)
                at(x, y) = least == most ? least : dwellAt(x, y);
    }
};

}  // namespace millrace::bench::w05
