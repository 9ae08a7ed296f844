// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/picture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace millrace::bench {

namespace {

int component(uint32_t pixel, uint32_t which)
{
    return static_cast<int>(pixel >> 8 * which & 0xff);
}

bool differ(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < 4; ++i)
        if (std::abs(component(a, i) - component(b, i)) > kMostApart)
            return true;
    return false;
}

}  // namespace

size_t countDiffering(const std::vector<uint32_t>& one, const std::vector<uint32_t>& other)
{
    size_t count = 0;
    for (size_t i = 0; i < one.size(); ++i)
        count += differ(one[i], other[i]);
    return count;
}

double covered(const std::vector<uint32_t>& pixels)
{
    const auto drawn = std::ranges::count_if(pixels, [](uint32_t pixel) { return (pixel & 0xffffff) != 0; });
    return static_cast<double>(drawn) / static_cast<double>(pixels.size());
}

void writePpm(const std::string& file, const Scene& scene, const std::vector<uint32_t>& pixels)
{
    std::ofstream out(file, std::ios::binary);
    out << "P6\n" << scene.width << " " << scene.height << "\n255\n";
    for (const uint32_t pixel : pixels)
        for (uint32_t i = 0; i < 3; ++i)
            out.put(static_cast<char>(component(pixel, i)));
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + file);
}

}  // namespace millrace::bench
