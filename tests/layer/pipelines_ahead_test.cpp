// SPDX-License-Identifier: Apache-2.0
// Pipelines that a dispatch may need are made once the graph is there, so that recording makes none.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "layer/recorder.h"
#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr std::chrono::minutes kHang{2};

std::vector<Event> pipelinesMade()
{
    std::vector<Event> events = takeEvents();
    std::erase_if(
        events, [](const Event& event) { return event.what != Seen::Create || event.type != VK_OBJECT_TYPE_PIPELINE; });
    return events;
}

// A node that is a graph by itself, and a dispatch of it.
struct Subject {
    const char* program;
    const char* entryPoint;
    uint32_t count;
    std::vector<uint32_t> payloads;
    uint32_t word;      // of its output, which counts
    uint32_t expected;  // there
};

// The host cannot prove that the dispatch fits: with the least scratch memory it does not, with more it may.
const Subject kTree{"recurse", "recurse", 20, std::vector<uint32_t>(20, 0), 4, 20 * 16};
// Is launched as a leaf where the host knows the grid. The device alone knows it here.
const Subject kGrids{"single_noinput", "count", 1, {3, 2, 1}, 0, 6};

struct Recorded {
    Recorded(const Subject& which, const std::string& disabled)
        : subject(which), device({.recorder = true, .settings = {{"disable", disabled}}})
    {
        takeEvents();
        graph = device.createGraph({TestDevice::stage(device.createProgram(which.program), which.entryPoint)},
                                   Scratch::Minimum);
    }

    // Returns the pipelines that are made meanwhile.
    std::vector<Event> record()
    {
        const Graph ample = {graph.pipeline, device.createScratch(graph.pipeline, Scratch::Ample)};
        const Buffer counts = device.createBuffer(256);
        const VkDescriptorSet set = device.createSet(counts);
        std::vector<Event> made;
        for (const Graph& each : {graph, ample}) {
            VkCommandBuffer cmd = device.begin();
            device.prepare(cmd, each, set);
            pipelinesMade();
            device.dispatchIndirect(cmd, each, subject.entryPoint, subject.count, subject.payloads);
            std::ranges::copy(pipelinesMade(), std::back_inserter(made));
            device.submitAndWait(cmd);
        }
        EXPECT_EQ(counts.words[subject.word], 2 * subject.expected);
        return made;
    }

    const Subject& subject;
    TestDevice device;
    Graph graph;
};

class PipelinesAhead : public testing::TestWithParam<const Subject*> {};

TEST_P(PipelinesAhead, TheyAreThere_RecordingMakesNone)
{
    Recorded without(*GetParam(), "ahead");
    const size_t atCreation = pipelinesMade().size();
    EXPECT_GT(atCreation, 0u);
    const size_t missing = without.record().size();
    EXPECT_GT(missing, 0u);

    Recorded recorded(*GetParam(), "");
    const auto limit = std::chrono::steady_clock::now() + kHang;
    for (size_t made = pipelinesMade().size(); made < atCreation + missing && std::chrono::steady_clock::now() < limit;
         made += pipelinesMade().size())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(recorded.record().size(), 0u);
}

// With the setting a recording makes what there is not, on whatever threads.
TEST_P(PipelinesAhead, RecordedAtOnce_TheRecordingWaits)
{
    const auto isHere = [](const Event& event) { return event.thread == std::this_thread::get_id(); };
    Recorded without(*GetParam(), "ahead");
    EXPECT_GT(without.record().size(), 0u);
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(std::ranges::count_if(Recorded(*GetParam(), "").record(), isHere), 0);
}

// Neither the threads nor a graph that is gone are a reason to wait, or to make anything for.
TEST_P(PipelinesAhead, GraphsAreDestroyedAtOnce)
{
    for (uint32_t i = 0; i < 4; ++i)
        const Recorded recorded(*GetParam(), "");
}

INSTANTIATE_TEST_SUITE_P(Nodes, PipelinesAhead, testing::Values(&kTree, &kGrids),
                         [](const auto& info) { return info.param == &kTree ? "Recursion" : "LeafWithGrids"; });

}  // namespace

}  // namespace millrace::layertest
