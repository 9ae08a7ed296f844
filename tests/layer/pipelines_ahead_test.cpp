// SPDX-License-Identifier: Apache-2.0
// Pipelines that a dispatch may need are made once the graph is there, so that recording makes none.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "layer/recorder.h"
#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr std::chrono::minutes kHang{2};

size_t pipelinesMade()
{
    const std::vector<Event> events = takeEvents();
    return static_cast<size_t>(std::ranges::count_if(events, [](const Event& event) {
        return event.what == Seen::Create && event.type == VK_OBJECT_TYPE_PIPELINE;
    }));
}

// Dispatches that the host cannot prove to fit, with the least scratch memory and with more.
struct Tree {
    explicit Tree(const std::string& disabled) : device({.recorder = true, .settings = {{"disable", disabled}}})
    {
        takeEvents();
        const auto stage = TestDevice::stage(device.createProgram("recurse"), "recurse");
        graph = device.createGraph({stage}, Scratch::Minimum);
        atCreation = pipelinesMade();
        ample = {graph.pipeline, device.createScratch(graph.pipeline, Scratch::Ample)};
    }

    // Returns how many pipelines recording makes.
    size_t record()
    {
        const Buffer counts = device.createBuffer(256);
        const VkDescriptorSet set = device.createSet(counts);
        pipelinesMade();
        size_t made = 0;
        for (const Graph& each : {graph, ample}) {
            VkCommandBuffer cmd = device.begin();
            device.prepare(cmd, each, set);
            device.dispatchIndirect(cmd, each, "recurse", 20, std::vector<uint32_t>(20, 0));
            made += pipelinesMade();
            device.submitAndWait(cmd);
        }
        EXPECT_EQ(counts.words[4], 2u * 20 * 16);
        return made;
    }

    TestDevice device;
    Graph graph;
    Graph ample;
    size_t atCreation = 0;
};

TEST(PipelinesAhead, RecordingMakesNone)
{
    Tree without("ahead");
    EXPECT_GT(without.atCreation, 0u);
    const size_t missing = without.record();
    EXPECT_GT(missing, 0u);

    Tree tree("");
    const auto limit = std::chrono::steady_clock::now() + kHang;
    for (size_t made = tree.atCreation; made < without.atCreation + missing && std::chrono::steady_clock::now() < limit;
         made += pipelinesMade())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(tree.record(), 0u);
}

// Neither the thread nor a graph that is gone is a reason to wait, or to make anything for.
TEST(PipelinesAhead, GraphsAreDestroyedAtOnce)
{
    for (uint32_t i = 0; i < 4; ++i)
        const Tree tree("");
}

}  // namespace

}  // namespace millrace::layertest
