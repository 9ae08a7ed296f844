// SPDX-License-Identifier: Apache-2.0
// What W4 has to write, by the CPU: for the execution graph, the program by hand and CUDA (bench/cuda) alike.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace millrace::bench::w04 {

using Line = std::array<int32_t, 4>;
using Square = std::array<int32_t, 2>;

struct Depths {
    uint32_t koch, sponge;
    uint32_t segments() const { return 3u << (2 * koch); }
    uint32_t squares() const { return 1u << (3 * sponge); }
    int32_t boxSize() const
    {
        int32_t size = 1;
        for (uint32_t i = 0; i < sponge; ++i)
            size *= 3;
        return size;
    }
};

inline constexpr std::array<Line, 3> kTriangle{{{0, 0, 131072, 0}, {131072, 0, 65536, 113512}, {65536, 113512, 0, 0}}};

inline std::vector<Line> bend(const std::vector<Line>& lines)
{
    std::vector<Line> out;
    out.reserve(4 * lines.size());
    for (const auto& [ax, ay, bx, by] : lines) {
        const int32_t dx = bx - ax, dy = by - ay;
        const int32_t xs[] = {ax, ax + dx / 3, ax + dx / 2 + dy * 4731 / 16384, ax + 2 * dx / 3, bx};
        const int32_t ys[] = {ay, ay + dy / 3, ay + dy / 2 + -dx * 4731 / 16384, ay + 2 * dy / 3, by};
        for (uint32_t i = 0; i < 4; ++i)
            out.push_back({xs[i], ys[i], xs[i + 1], ys[i + 1]});
    }
    return out;
}

// Segments, then squares.
inline std::vector<uint32_t> expectedFor(const Depths& depths)
{
    std::vector<Line> lines(kTriangle.begin(), kTriangle.end());
    for (uint32_t i = 0; i < depths.koch; ++i)
        lines = bend(lines);
    std::vector<Square> squares{{0, 0}};
    for (int32_t third = depths.boxSize() / 3; third > 0; third /= 3) {
        std::vector<Square> next;
        for (const Square& square : squares)
            for (int32_t part : {0, 1, 2, 3, 5, 6, 7, 8})
                next.push_back({square[0] + third * (part % 3), square[1] + third * (part / 3)});
        squares = std::move(next);
    }
    std::vector<uint32_t> words;
    for (const Line& line : lines)
        words.insert(words.end(), line.begin(), line.end());
    for (const Square& square : squares)
        words.insert(words.end(), square.begin(), square.end());
    return words;
}

}  // namespace millrace::bench::w04
