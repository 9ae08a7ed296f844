// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace {

// As function %dwell in mandelbrot.spvasm, operation by operation; sums and products wrap alike.
uint32_t dwell(const View& view, uint32_t column, uint32_t row)
{
    const uint32_t cx = static_cast<uint32_t>(view.left) + column * static_cast<uint32_t>(view.step);
    const uint32_t cy = static_cast<uint32_t>(view.top) - row * static_cast<uint32_t>(view.step);
    constexpr uint32_t kEscape = 4u << (2 * kFractionBits - 32);
    int32_t x = 0, y = 0;
    uint32_t n = 0;
    for (; n < view.maxIterations; ++n) {
        const int64_t xx = int64_t{x} * x, yy = int64_t{y} * y, xy = int64_t{x} * y;
        if (static_cast<uint32_t>(xx >> 32) + static_cast<uint32_t>(yy >> 32) >= kEscape)
            break;
        x = static_cast<int32_t>(static_cast<uint32_t>(xx >> kFractionBits) -
                                 static_cast<uint32_t>(yy >> kFractionBits) + cx);
        y = static_cast<int32_t>(static_cast<uint32_t>(xy >> (kFractionBits - 1)) + cy);
    }
    return n;
}

class Subdivision {
public:
    Subdivision(const View& view, Reference& reference) : m_view(view), m_reference(reference) {}

    void square(uint32_t left, uint32_t top, uint32_t side, uint32_t remaining)
    {
        const uint32_t edge = side - 1;
        uint32_t lowest = ~0u, highest = 0;
        auto visit = [&](uint32_t column, uint32_t row) {
            const uint32_t value = plain(column, row);
            store(column, row, value);
            if (contains(column, row))
                m_reference.borders[indexOf(column, row)] = true;
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        };
        for (uint32_t i = 0; i < edge; ++i) {
            visit(left + i, top);
            visit(left + edge, top + i);
            visit(left + edge - i, top + edge);
            visit(left, top + edge - i);
        }
        LevelCounters& counters = m_reference.counters[remaining];
        counters.workgroups += (4 * edge + kBorderPixels - 1) / kBorderPixels;
        if (lowest == highest) {
            ++counters.filled;
            interior(left, top, side, [&](uint32_t, uint32_t) { return lowest; });
        } else if (remaining == 0 || side <= kSmallSquare) {
            ++counters.iterated;
            interior(left, top, side, [&](uint32_t column, uint32_t row) { return plain(column, row); });
        } else {
            ++counters.split;
            const uint32_t half = (side - 2) / 2;
            for (uint32_t i = 0; i < 4; ++i)
                square(left + 1 + (i % 2) * half, top + 1 + (i / 2) * half, half, remaining - 1);
        }
    }

private:
    // The outermost squares reach beyond the image.
    bool contains(uint32_t column, uint32_t row) const { return column < m_view.side && row < m_view.side; }
    size_t indexOf(uint32_t column, uint32_t row) const { return size_t{row} * m_view.side + column; }

    uint32_t plain(uint32_t column, uint32_t row) const
    {
        return contains(column, row) ? m_reference.plain[indexOf(column, row)] : dwell(m_view, column, row);
    }

    void store(uint32_t column, uint32_t row, uint32_t value)
    {
        if (contains(column, row))
            m_reference.subdivided[indexOf(column, row)] = value;
    }

    template <typename Value>
    void interior(uint32_t left, uint32_t top, uint32_t side, const Value& value)
    {
        const uint32_t right = std::min(left + side - 1, m_view.side);
        const uint32_t bottom = std::min(top + side - 1, m_view.side);
        for (uint32_t row = top + 1; row < bottom; ++row)
            for (uint32_t column = left + 1; column < right; ++column)
                store(column, row, value(column, row));
    }

    const View& m_view;
    Reference& m_reference;
};

}  // namespace

Reference computeReference(const View& view)
{
    Reference reference;
    const size_t pixels = size_t{view.side} * view.side;
    reference.plain.resize(pixels);
    reference.subdivided.resize(pixels);
    reference.borders.resize(pixels);

    std::atomic<uint32_t> nextRow = 0;
    auto work = [&] {
        for (uint32_t row = nextRow++; row < view.side; row = nextRow++)
            for (uint32_t column = 0; column < view.side; ++column)
                reference.plain[size_t{row} * view.side + column] = dwell(view, column, row);
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
        threads.emplace_back(work);
    work();
    threads.clear();

    Subdivision subdivision(view, reference);
    for (uint32_t top = 0; top < view.side; top += kTileSide)
        for (uint32_t left = 0; left < view.side; left += kTileSide)
            subdivision.square(left, top, kTileSide, kMaxRecursion);
    return reference;
}
