// SPDX-License-Identifier: Apache-2.0
// What a graph writes for the host becomes visible once, behind everything else of a command buffer.
#include <gtest/gtest.h>

#include <algorithm>

#include "layer/recorder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kRoots = 20;

class HostBarrier : public testing::Test {
protected:
    HostBarrier()
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
        out = device.createBuffer(1024);
        set = device.createSet(out);
    }

    VkCommandBuffer begin()
    {
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        takeEvents();
        return cmd;
    }

    void dispatch(VkCommandBuffer cmd)
    {
        device.dispatch(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
    }

    // Without attachments.
    static void render(VkCommandBuffer cmd, VkRenderingFlags flags)
    {
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.flags = flags;
        info.renderArea.extent = {1, 1};
        info.layerCount = 1;
        vkCmdBeginRendering(cmd, &info);
        vkCmdEndRendering(cmd);
    }

    // Without what other tests look at.
    static std::vector<Seen> order(const std::vector<Event>& events)
    {
        std::vector<Seen> seen;
        for (const Event& event : events)
            if (event.what == Seen::HostBarrier || event.what == Seen::EndCommandBuffer ||
                event.what == Seen::BeginRendering)
                seen.push_back(event.what);
        return seen;
    }

    TestDevice device{{.recorder = true}};
    Graph graph;
    Buffer out;
    VkDescriptorSet set;
};

}  // namespace

TEST_F(HostBarrier, OnceForSeveralGraphs)
{
    VkCommandBuffer cmd = begin();
    dispatch(cmd);
    dispatch(cmd);
    device.submitAndWait(cmd);
    const std::vector<Event> events = takeEvents();
    EXPECT_EQ(order(events), (std::vector<Seen>{Seen::HostBarrier, Seen::EndCommandBuffer}));
    const auto barrier = std::ranges::find(events, Seen::HostBarrier, &Event::what);
    EXPECT_EQ(std::find_if(barrier, events.end(), [](const Event& e) { return e.what == Seen::Dispatch; }),
              events.end());
    EXPECT_EQ(out.words[4], 16u * 2 * kRoots);
}

TEST_F(HostBarrier, NoneWithoutGraph)
{
    VkCommandBuffer cmd = begin();
    device.submitAndWait(cmd);
    EXPECT_EQ(order(takeEvents()), std::vector<Seen>{Seen::EndCommandBuffer});
}

// Where a graph may have to go on, each part has its own.
TEST_F(HostBarrier, BeforeTheHostLooksAtWhatIsLeft)
{
    VkCommandBuffer cmd = begin();
    device.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
    device.submitAndWait(cmd);
    const std::vector<Seen> seen = order(takeEvents());
    // What the device finds out of the inputs, the sweep that continues it, what the application has recorded up to it,
    // and the rest, in which nothing is.
    EXPECT_EQ(seen, (std::vector<Seen>{Seen::HostBarrier, Seen::HostBarrier, Seen::EndCommandBuffer, Seen::HostBarrier,
                                       Seen::EndCommandBuffer, Seen::EndCommandBuffer}));
    EXPECT_EQ(out.words[4], 16u * kRoots);
}

// Between a suspended instance and the one that resumes it no barrier is allowed.
TEST_F(HostBarrier, BeforeASuspendedInstance)
{
    VkCommandBuffer cmd = begin();
    dispatch(cmd);
    render(cmd, VK_RENDERING_SUSPENDING_BIT);
    vkEndCommandBuffer(cmd);
    EXPECT_EQ(order(takeEvents()),
              (std::vector<Seen>{Seen::HostBarrier, Seen::BeginRendering, Seen::EndCommandBuffer}));
    VkCommandBuffer rest = device.begin();
    render(rest, VK_RENDERING_RESUMING_BIT);
    vkEndCommandBuffer(rest);
    const VkCommandBuffer both[] = {cmd, rest};
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 2;
    info.pCommandBuffers = both;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &info, VK_NULL_HANDLE));
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(out.words[4], 16u * kRoots);
}

}  // namespace millrace::layertest
