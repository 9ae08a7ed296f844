// SPDX-License-Identifier: Apache-2.0
// Dispatches of one recording share buffers: few are made, and each dispatch has its own inputs and its own status.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "layer/recorder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kDispatches = 300;
constexpr uint32_t kSums = 8;

size_t buffersMade(const std::vector<Event>& events)
{
    return static_cast<size_t>(std::ranges::count_if(
        events, [](const Event& event) { return event.what == Seen::Create && event.type == VK_OBJECT_TYPE_BUFFER; }));
}

// Of node "a", a payload n sends n payloads, of which number i has a grid of i + 1 and has "b" add 4 to out[i] for each
// workgroup.
void addTo(std::vector<uint32_t>& sums, uint32_t payload)
{
    for (uint32_t i = 0; i < payload; ++i)
        sums[i] += 4 * (i + 1);
}

class SharedMemory : public testing::TestWithParam<const char*> {
protected:
    SharedMemory() : device({.recorder = true, .settings = settings()})
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                                    TestDevice::stage(device.createProgram("level_b"), "b")});
        out = device.createBuffer(1024);
        set = device.createSet(out);
    }

    static std::map<std::string, std::string> settings()
    {
        const std::string what = GetParam();
        if (what == "indirect")
            return {{"disable", "direct"}};
        return what == "breadcrumbs" ? std::map<std::string, std::string>{{"breadcrumbs", "true"}}
                                     : std::map<std::string, std::string>{};
    }

    std::vector<uint32_t> sums() const { return {out.words, out.words + kSums}; }

    TestDevice device;
    Graph graph;
    Buffer out;
    VkDescriptorSet set = VK_NULL_HANDLE;
};

TEST_P(SharedMemory, ManyDispatches_FewBuffersAndAllInputsArrive)
{
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    takeEvents();
    std::vector<uint32_t> expected(kSums);
    for (uint32_t i = 0; i < kDispatches; ++i) {
        device.dispatch(cmd, graph, "a", 1, {i % kSums});
        addTo(expected, i % kSums);
    }
    const size_t own = GetParam() == std::string("breadcrumbs") ? kDispatches : 0;  // the trail of each
    EXPECT_LT(buffersMade(takeEvents()), own + 30);
    device.submitAndWait(cmd);
    EXPECT_EQ(sums(), expected);
    std::fill_n(out.words, kSums, 0u);
    device.submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(sums(), expected);
}

// What is wrong with one is told of it, once, and not of those beside it.
TEST_P(SharedMemory, OneDispatchAmongOthersIsWrong_ToldOnce)
{
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    std::vector<uint32_t> expected(kSums);
    for (uint32_t i = 0; i < 5; ++i) {
        if (i != 2) {
            device.dispatch(cmd, graph, "a", 1, {i});
            addTo(expected, i);
            continue;
        }
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = 1234;
        info.payloadCount = 1;
        info.payloadStride = 4;
        const uint32_t payload = 0;
        info.payloads.hostAddress = &payload;
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = 1;
        counts.stride = sizeof info;
        counts.infos.hostAddress = &info;
        device.cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
    }
    device.submitAndWait(cmd);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148");
    EXPECT_EQ(sums(), expected);
}

INSTANTIATE_TEST_SUITE_P(Layer, SharedMemory, testing::Values("direct", "indirect", "breadcrumbs"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace

}  // namespace millrace::layertest
