// SPDX-License-Identifier: Apache-2.0
// Draws a forest whose draws the GPU writes, and compares the picture with one that the host recorded draw by draw. The
// program knows nothing of Millrace: it uses VK_EXT_device_generated_commands as its specification says.
//
//   forest [OUTPUT.png [DEVICE]]
#include <stb_image_write.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "device.h"
#include "forest.h"

namespace {

size_t countDifferences(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i)
        count += a[i] != b[i];
    return count;
}

// True if both pictures are the same.
bool draw(const std::string& output, const std::string& deviceName)
{
    const Device device(deviceName);
    std::printf("device   %s\n", device.name().c_str());
    Forest forest(device);
    forest.growAndDraw();
    const std::vector<uint32_t> generated = forest.pixels();
    std::printf("trees    %u of %u places have one that is seen\n", forest.treeCount(), kPlaces);
    forest.drawByLoop();
    const size_t wrong = countDifferences(generated, forest.pixels());
    if (wrong > 0)
        std::printf("check    FAILED: %zu of %zu pixels differ from draws that the host recorded\n", wrong,
                    generated.size());
    else
        std::printf("check    all %zu pixels are those of draws that the host recorded\n", generated.size());
    if (!output.empty() && !stbi_write_png(output.c_str(), kExtent.width, kExtent.height, 4, generated.data(),
                                           static_cast<int>(kExtent.width * 4)))
        throw std::runtime_error("cannot write " + output);
    return wrong == 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return draw(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "") ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "forest: %s\n", error.what());
        return 1;
    }
}
