// SPDX-License-Identifier: Apache-2.0
// Random mesh shaders: the layer's pictures are those of vertex shaders that compute the same, bit for bit. The
// variables MILLRACE_TEST_MESH_SEED and MILLRACE_TEST_MESH_COUNT choose others than those of every day.
//
// The driver's own mesh shaders are no judge: those of lavapipe clip lines wrongly, and hand on wrong values where the
// locations of vertices and of primitives are mixed. Neither is lavapipe where vertices of several views have cull
// distances: it paints some of their primitives into another view. So what differs is drawn view by view where the
// driver's vertex shaders do not paint several views as they paint each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <vector>

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
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        count += a[i] != b[i];
    return count;
}

// A fragment shader that shows one of the values that it mixes, bit for bit.
std::string showOne(const std::string& fragment, uint32_t which)
{
    const std::string head = "void mixIn(uint value) {";
    const size_t at = fragment.find(head);
    return fragment.substr(0, at) + "uint number = 0u;\n" + head + " if (number++ == " + std::to_string(which) +
           "u) sum = value ^ 0x80000000u; }\nvoid mixAll(uint value) {" + fragment.substr(at + head.size());
}

// Views one after the other.
RandomDevice::Pixels drawByViews(RandomDevice& device, const RandomShader& shader, uint32_t seed,
                                 RandomDevice::Pixels (RandomDevice::*draw)(const RandomShader&, uint32_t))
{
    RandomDevice::Pixels out;
    for (uint32_t mask = shader.viewMask; mask != 0; mask &= mask - 1) {
        RandomShader one = shader;
        one.viewMask = mask & -mask;
        const RandomDevice::Pixels view = (device.*draw)(one, seed);
        out.resize(view.size(), 0);
        std::ranges::transform(out, view, out.begin(), std::bit_or());
    }
    return out;
}

// Of several views NVIDIA's driver loses the device now and then where vertex shaders draw them together.
RandomDevice::Pixels drawReference(RandomDevice& device, const RandomShader& shader, uint32_t seed)
{
    return std::popcount(shader.viewMask) > 1 ? drawByViews(device, shader, seed, &RandomDevice::drawExpected)
                                              : device.drawExpected(shader, seed);
}

// What a fragment shader reads that differs, one line each.
std::string differentValues(RandomDevice& device, const RandomShader& shader, uint32_t seed)
{
    std::istringstream lines(shader.fragment);
    std::string out, line;
    uint32_t which = 0;
    while (std::getline(lines, line)) {
        if (!line.starts_with("mixIn("))
            continue;
        RandomShader one = shader;
        one.fragment = showOne(shader.fragment, which);
        one.expectedFragment = showOne(shader.expectedFragment, which);
        const size_t count = differences(device.draw(one, seed), drawReference(device, one, seed));
        if (count > 0)
            out += std::to_string(count) + " pixels differ by " + line + "\n";
        ++which;
    }
    return out;
}

struct Summary {
    size_t painted = 0;  // pixels that are not as they were cleared
    // Without cull distances.
    uint32_t ofSeveral = 0;     // seeds with several views,
    uint32_t drawnByViews = 0;  // and those of which the driver paints each view otherwise by itself
};

// The reference draws several views together only to find out whether the driver's vertex shaders are to blame.
void compareSeed(RandomDevice& device, uint32_t seed, Summary& summary)
{
    const RandomShader shader = makeRandomShader(seed, device.abilities());
    const bool areSeveral = std::popcount(shader.viewMask) > 1;
    RandomDevice::Pixels drawn = device.draw(shader, seed);
    const RandomDevice::Pixels expected = drawReference(device, shader, seed);
    // Which of them the driver paints wrongly depends on other primitives, so the reference need not show it.
    const bool hasCullDistances = shader.expectedVertex.find("gl_CullDistance") != std::string::npos;
    summary.ofSeveral += areSeveral && !hasCullDistances;
    if (areSeveral && drawn != expected && (hasCullDistances || device.drawExpected(shader, seed) != expected)) {
        std::cout << "seed " << seed << " is drawn view by view" << std::endl;
        drawn = drawByViews(device, shader, seed, &RandomDevice::draw);
        summary.drawnByViews += !hasCullDistances;
    }
    if (const size_t count = differences(drawn, expected); count > 0)
        ADD_FAILURE() << "seed " << seed << ", views " << shader.viewMask << ": " << count << " pixels differ, "
                      << differences(drawByViews(device, shader, seed, &RandomDevice::draw), expected)
                      << " where each view is drawn by itself\n"
                      << differentValues(device, shader, seed) << shader.task << shader.mesh << shader.fragment
                      << "instead of\n"
                      << shader.expectedVertex << shader.expectedFragment;
    summary.painted += static_cast<size_t>(std::ranges::count_if(expected, [](uint32_t pixel) { return pixel != 0; }));
    // Who waits for many sees that none of them hangs (scripts/gpu_check.sh). Both tests draw odd seeds.
    if (seed % kOfADevice == 1)
        std::cout << "seed " << seed << " is drawn" << std::endl;
}

void compare(uint32_t first, uint32_t count, Summary& summary)
{
    RandomDevice device;
    for (uint32_t seed = first; seed < first + count; ++seed)
        compareSeed(device, seed, summary);
}

TEST(RandomMeshShaders, PicturesAreThoseOfVertexShaders)
{
    const uint32_t first = numberFrom("MILLRACE_TEST_MESH_SEED", 0);
    const uint32_t count = numberFrom("MILLRACE_TEST_MESH_COUNT", kEveryDay);
    Summary summary;
    for (uint32_t done = 0; done < count; done += kOfADevice)
        compare(first + done, std::min(kOfADevice, count - done), summary);
    // Pictures without anything in them compare equal.
    EXPECT_GT(summary.painted, size_t{count} * 100);
    EXPECT_LE(summary.drawnByViews, summary.ofSeveral / 3 + 1);
}

// Vertices of the same shaders are computed again in the test above.
TEST(RandomMeshShaders, IndependentVerticesThatAreStored_SamePictures)
{
    const uint32_t first = numberFrom("MILLRACE_TEST_MESH_SEED", 0);
    const uint32_t count = numberFrom("MILLRACE_TEST_MESH_COUNT", kEveryDay) / 3;
    RandomDevice device(Ways::StoredVertices);
    Summary summary;
    for (uint32_t seed = first; seed < first + 2 * count; ++seed)
        if (hasIndependentVerticesBySeed(seed))
            compareSeed(device, seed, summary);
    EXPECT_GT(summary.painted, size_t{count} * 100);
    EXPECT_LE(summary.drawnByViews, summary.ofSeveral / 3 + 1);
}

// Draws have index buffers wherever they may, only where they are small, and nowhere.
TEST(RandomMeshShaders, WithIndexBuffersAndWithout_SamePictures)
{
    const uint32_t first = numberFrom("MILLRACE_TEST_MESH_SEED", 0);
    const uint32_t count = numberFrom("MILLRACE_TEST_MESH_COUNT", kEveryDay) / 3;
    std::vector<uint64_t> runs;
    for (const Ways ways : {Ways::All, Ways::FewIndices, Ways::NoIndices}) {
        RandomDevice device(ways);
        Summary summary;
        for (uint32_t seed = first; seed < first + 2 * count; ++seed)
            if (sharesVerticesBySeed(seed))
                compareSeed(device, seed, summary);
        runs.push_back(device.vertexRuns());
        EXPECT_GT(summary.painted, size_t{count} * 100);
        EXPECT_LE(summary.drawnByViews, summary.ofSeveral / 3 + 1);
    }
    // Each way was drawn, where the driver counts that: vertices that primitives share are fewer.
    if (runs[0] == 0 || count < kOfADevice)
        return;
    // Traits of the environment come before a device's own, by which few indices are.
    if (!std::getenv("VK_MILLRACE_EMULATION_TRAITS"))
        EXPECT_LT(runs[0], runs[1]);
    EXPECT_LT(runs[1], runs[2]);
}

}  // namespace

}  // namespace millrace::meshtest
