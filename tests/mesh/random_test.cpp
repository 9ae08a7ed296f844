// SPDX-License-Identifier: Apache-2.0
// Random mesh shaders: the layer's pictures are those of vertex shaders that compute the same, bit for bit. The
// variables MILLRACE_TEST_MESH_SEED and MILLRACE_TEST_MESH_COUNT choose others than those of every day.
//
// The driver's own mesh shaders are no judge: those of lavapipe clip lines wrongly, and hand on wrong values where the
// locations of vertices and of primitives are mixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "mesh/random_device.h"

namespace millrace::meshtest {

namespace {

constexpr uint32_t kEveryDay = 60;
constexpr uint32_t kOfADevice = 20;  // which keeps what it draws with

uint32_t numberFrom(const char* variable, uint32_t otherwise)
{
    const char* value = std::getenv(variable);
    return value ? static_cast<uint32_t>(std::strtoul(value, nullptr, 10)) : otherwise;
}

size_t differences(const RandomDevice::Pixels& a, const RandomDevice::Pixels& b)
{
    size_t count = a.size() == b.size() ? 0 : std::max(a.size(), b.size());
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
        count += a[i] != b[i];
    return count;
}

// Adds the pixels that are not as they were cleared.
void compare(uint32_t first, uint32_t count, size_t& painted)
{
    RandomDevice device;
    for (uint32_t seed = first; seed < first + count; seed++) {
        const RandomShader shader = makeRandomShader(seed, device.abilities());
        const RandomDevice::Pixels drawn = device.draw(shader, seed), expected = device.drawExpected(shader, seed);
        EXPECT_EQ(differences(drawn, expected), 0u) << "seed " << seed << "\n"
                                                    << shader.task << shader.mesh << shader.fragment;
        painted += static_cast<size_t>(std::ranges::count_if(expected, [](uint32_t pixel) { return pixel != 0; }));
    }
}

TEST(RandomMeshShaders, PicturesAreThoseOfVertexShaders)
{
    const uint32_t first = numberFrom("MILLRACE_TEST_MESH_SEED", 0);
    const uint32_t count = numberFrom("MILLRACE_TEST_MESH_COUNT", kEveryDay);
    size_t painted = 0;
    for (uint32_t done = 0; done < count; done += kOfADevice)
        compare(first + done, std::min(kOfADevice, count - done), painted);
    // Pictures without anything in them compare equal.
    EXPECT_GT(painted, size_t{count} * 100);
}

}  // namespace

}  // namespace millrace::meshtest
