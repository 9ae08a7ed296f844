// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

struct Color {
    uint8_t red = 0, green = 0, blue = 0;
};

// The set itself is black. Outside, the logarithm spreads the few large dwells near the set and keeps the many small
// ones apart.
std::vector<Color> palette(uint32_t maxIterations)
{
    struct Stop {
        double at, red, green, blue;
    };
    static constexpr Stop kStops[] = {
        {0.00, 4, 10, 40},    {0.20, 10, 40, 110}, {0.38, 30, 120, 190}, {0.52, 220, 240, 250},
        {0.66, 255, 190, 60}, {0.82, 190, 70, 20}, {1.00, 60, 5, 30},
    };
    std::vector<Color> colors(maxIterations + 1);
    const double scale = 1.0 / std::log2(maxIterations + 1.0);
    for (uint32_t n = 0; n < maxIterations; ++n) {
        const double t = std::log2(n + 1.0) * scale;
        const Stop* to = kStops + 1;
        while (to->at < t)
            ++to;
        const Stop* from = to - 1;
        const double weight = (t - from->at) / (to->at - from->at);
        auto mix = [&](double a, double b) { return static_cast<uint8_t>(std::lround(a + (b - a) * weight)); };
        colors[n] = {mix(from->red, to->red), mix(from->green, to->green), mix(from->blue, to->blue)};
    }
    return colors;
}

Color lighter(Color color)
{
    auto raise = [](uint8_t channel) { return static_cast<uint8_t>(channel + (255 - channel) / 4); };
    return {raise(color.red), raise(color.green), raise(color.blue)};
}

}  // namespace

void writePicture(const std::string& file, const View& view, std::span<const uint32_t> dwells,
                  const std::vector<bool>& marked)
{
    const std::vector<Color> colors = palette(view.maxIterations);
    std::vector<Color> pixels;
    pixels.reserve(dwells.size());
    for (uint32_t dwell : dwells)
        pixels.push_back(colors[std::min(dwell, view.maxIterations)]);
    for (size_t i = 0; i < marked.size(); ++i)
        if (marked[i])
            pixels[i] = lighter(pixels[i]);
    const int side = static_cast<int>(view.side);
    if (!stbi_write_png(file.c_str(), side, side, 3, pixels.data(), side * 3))
        throw std::runtime_error("cannot write " + file);
}
