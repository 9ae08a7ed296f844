// SPDX-License-Identifier: Apache-2.0
// Generated dispatches, by the layer and by the driver if it can: equal to a loop on the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "commands/dispatches.h"

namespace millrace::commandtest {

namespace {

class GeneratedDispatches : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasGeneratedCommands())
            GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    }
};

TEST_P(GeneratedDispatches, RandomLayouts_AsALoopOnTheHost)
{
    constexpr uint32_t kSeeds = 150;
    Dispatches dispatches(GetParam());
    for (uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
        DispatchCase drawn(firstSeed() + seed);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << "seed " << firstSeed() + seed;
    }
}

TEST_P(GeneratedDispatches, ShaderObjects_AsALoopOnTheHost)
{
    if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    constexpr uint32_t kSeeds = 80;
    Dispatches dispatches(GetParam(), {.objects = true});
    for (uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
        DispatchCase drawn(firstSeed() + seed);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << "seed " << firstSeed() + seed;
    }
}

// More workgroups than a row has, in one sequence and in many.
TEST_P(GeneratedDispatches, ManyWorkgroups_AsALoopOnTheHost)
{
    Dispatches dispatches(GetParam());
    DispatchCase drawn(3);
    for (uint32_t sequences : {1u, 20000u}) {
        drawn.resize(sequences);
        for (uint32_t i = 0; i < sequences; ++i) {
            uint32_t* const grid = drawn.gridOf(i);
            grid[0] = sequences == 1 ? 50001 : i % 5;
            grid[1] = 1;
            grid[2] = 1;
        }
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << sequences;
    }
}

// What no driver promises: sequences that lead to no pipeline are left out.
TEST(GeneratedDispatchesByTheLayer, IndexWithoutPipeline_SequenceLeftOut)
{
    uint32_t seed = 0;
    while (!DispatchCase(seed).hasSet)
        ++seed;
    DispatchCase drawn(seed);
    drawn.resize(300);
    DispatchCase valid(seed);
    valid.resize(300);
    for (uint32_t i = 0; i < 300; i += 3) {
        // One is in the set and empty, the others are beyond it.
        const uint32_t indices[] = {3, 4, 0x80000000u, UINT32_MAX};
        drawn.stream[size_t{i} * drawn.layout.strideWords + static_cast<uint32_t>(drawn.layout.setWord)] =
            indices[i / 3 % 4];
        std::fill_n(valid.gridOf(i), 3, 0u);
    }
    Dispatches dispatches(Provider::Layer);
    Sums expected = valid.expected();
    addOwn(expected, valid);
    EXPECT_EQ(dispatches.run(drawn), expected);
}

// Nothing says where in its buffer the memory for preprocessing begins. Some GPUs read wrong words where tables are at
// no multiple of 16.
TEST(GeneratedDispatchesByTheLayer, MemoryAtAnyWord_AsALoopOnTheHost)
{
    Dispatches dispatches(Provider::Layer);
    for (uint32_t seed = 0; seed < 6; ++seed) {
        DispatchCase drawn(seed);
        drawn.memoryOffset = 4 + seed % 3 * 4;
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << "seed " << seed;
    }
}

TEST(GeneratedDispatchesByTheLayer, PreprocessedOnAnotherQueue_AsALoopOnTheHost)
{
    Dispatches dispatches(Provider::Layer, {.twoQueues = true});
    if (!dispatches.generated.device.secondQueue)
        GTEST_SKIP() << "the driver has one queue";
    for (uint32_t seed = 0; seed < 40; ++seed) {
        DispatchCase drawn(seed);
        if (!drawn.isExplicit)
            continue;
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << "seed " << seed;
    }
}

// Behind a graph that splits the command buffer, the rest of the commands is in another one of the driver's.
TEST(GeneratedDispatchesByTheLayer, BehindAGraphThatIsContinued_AsALoopOnTheHost)
{
    Dispatches dispatches(Provider::Layer, {.graphs = true});
    layertest::TestDevice& device = dispatches.generated.device;
    using layertest::TestDevice;
    const layertest::Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")},
                                                      layertest::Scratch::Minimum);
    const layertest::Buffer counts = device.createBuffer(256);
    const VkDescriptorSet set = device.createSet(counts);
    constexpr uint32_t kRoots = 300;
    for (uint32_t seed = 0; seed < 6; ++seed) {
        DispatchCase drawn(seed);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        const Sums sums = dispatches.run(drawn, [&](VkCommandBuffer cmd) {
            device.prepare(cmd, graph, set);
            device.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
            TestDevice::barrier(cmd);
        });
        EXPECT_EQ(sums, expected) << "seed " << seed;
        EXPECT_EQ(counts.words[4], (seed + 1) * 16 * kRoots);  // leaves of a tree with four levels of two
    }
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDispatches, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });

}  // namespace

}  // namespace millrace::commandtest
