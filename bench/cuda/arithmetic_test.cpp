// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the CUDA programs, on the host, gives what the references of the bench say. Compiled without fused
// multiply-add.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "bench/cuda/mandelbrot.h"
#include "bench/cuda/trees.h"
#include "bench/workloads/w04_reference.h"
#include "bench/workloads/w05_reference.h"

namespace {

using namespace millrace;

template <class Tree>
void grow(const Tree& tree, const typename Tree::Record& record, uint32_t remaining)
{
    if (remaining == 0) {
        tree.write(record);
        return;
    }
    for (uint32_t i = 0; i < Tree::kChildren; ++i)
        grow(tree, Tree::child(record, i), remaining - 1);
}

bool treesAgree()
{
    const bench::w04::Depths depths{6, 4};
    const std::vector<uint32_t> expected = bench::w04::expectedFor(depths);
    std::vector<uint32_t> words(expected.size(), 0xdeadbeef);
    for (uint32_t i = 0; i < 3; ++i) {
        const bench::w04::Line& line = bench::w04::kTriangle[i];
        grow(cuda::Koch{words.data()}, {line[0], line[1], line[2], line[3], i}, depths.koch);
    }
    grow(cuda::Sponge{words.data() + size_t{depths.segments()} * 4}, {0, 0, depths.boxSize(), 0}, depths.sponge);
    return words == expected;
}

bool forkWritesEachLeaf()
{
    constexpr uint32_t kInputs = 20, kDepth = 7;
    std::vector<uint32_t> words(kInputs << kDepth, 0xdeadbeef);
    for (uint32_t i = 0; i < kInputs; ++i)
        grow(cuda::Fork{words.data()}, {0, i}, kDepth);
    for (uint32_t i = 0; i < words.size(); ++i)
        if (words[i] != (i ^ 0x5a5au))
            return false;
    return true;
}

void square(const cuda::Mandelbrot& picture, uint32_t x0, uint32_t y0, uint32_t size)
{
    uint32_t least = ~0u, most = 0;
    for (uint32_t i = 0; i < cuda::Mandelbrot::borderOf(size); ++i) {
        uint32_t x, y;
        cuda::Mandelbrot::borderPixel(i, size, &x, &y);
        const uint32_t dwell = picture.draw(x0 + x, y0 + y);
        least = std::min(least, dwell);
        most = std::max(most, dwell);
    }
    const uint32_t part = cuda::Mandelbrot::partOf(size);
    if (least != most && !cuda::Mandelbrot::isLast(size)) {
        for (uint32_t i = 0; i < 4; ++i)
            square(picture, x0 + 1 + part * (i % 2), y0 + 1 + part * (i / 2), part);
        return;
    }
    for (uint32_t y = y0 + 1; y < y0 + size - 1; ++y)
        for (uint32_t x = x0 + 1; x < x0 + size - 1; ++x)
            if (least == most)
                picture.dwells[y * picture.width() + x] = least;
            else
                picture.draw(x, y);
}

bool mandelbrotAgrees()
{
    static_assert(cuda::Mandelbrot::kLeast == bench::w05::kLeast && cuda::Mandelbrot::kLimit == bench::w05::kLimit);
    const bench::w05::Picture picture{4, 190};
    const bench::w05::Reference reference(picture);
    std::vector<uint32_t> words(reference.dwells.size(), 0xdeadbeef);
    const cuda::Mandelbrot drawn{words.data(), picture.tiles, picture.tile, 3.0f / static_cast<float>(picture.width())};
    for (uint32_t y = 0; y < picture.tiles; ++y)
        for (uint32_t x = 0; x < picture.tiles; ++x)
            square(drawn, x * picture.tile, y * picture.tile, picture.tile);
    return words == reference.dwells;
}

}  // namespace

int main()
{
    struct {
        const char* name;
        bool (*agrees)();
    } const tests[] = {
        {"snowflake and sponge", treesAgree}, {"fork", forkWritesEachLeaf}, {"Mandelbrot set", mandelbrotAgrees}};
    int failed = 0;
    for (const auto& test : tests) {
        const bool agrees = test.agrees();
        std::printf("%s: %s\n", test.name, agrees ? "as the reference" : "differs from the reference");
        failed += !agrees;
    }
    return failed;
}
