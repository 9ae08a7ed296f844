// SPDX-License-Identifier: Apache-2.0
// What of a submission with a split command buffer is with the driver, and when.
#include <gtest/gtest.h>

#include <algorithm>

#include "layer/recorder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kRoots = 20;

size_t submissions(const std::vector<Event>& events)
{
    return static_cast<size_t>(
        std::ranges::count_if(events, [](const Event& event) { return event.what == Seen::Submit; }));
}

class SplitSubmission : public testing::Test {
protected:
    // Recorded and ended; each run of it adds to what `out` has.
    VkCommandBuffer record()
    {
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        device.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
        vkEndCommandBuffer(cmd);
        takeEvents();
        return cmd;
    }

    void submit(VkCommandBuffer cmd) const
    {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &cmd;
        EXPECT_EQ(vkQueueSubmit(device.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
    }

    TestDevice device{{.recorder = true}};
    Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    Buffer out = device.createBuffer(1024);
    VkDescriptorSet set = device.createSet(out);
};

TEST_F(SplitSubmission, WhatIsInFrontOfTheSplit_WithTheDriverWhenItReturns)
{
    VkCommandBuffer cmd = record();
    submit(cmd);
    EXPECT_GE(submissions(takeEvents()), 1u);
    vkQueueWaitIdle(device.queue);
    EXPECT_GE(submissions(takeEvents()), 1u) << "the rest";
    EXPECT_EQ(out.words[4], 16u * kRoots);
}

TEST_F(SplitSubmission, BehindAnother_InOrder)
{
    VkCommandBuffer first = record(), second = record();
    submit(first);
    submit(second);
    vkQueueWaitIdle(device.queue);
    EXPECT_EQ(out.words[4], 2 * 16u * kRoots);
}

}  // namespace

}  // namespace millrace::layertest
