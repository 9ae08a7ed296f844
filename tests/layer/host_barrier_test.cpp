// SPDX-License-Identifier: Apache-2.0
// What a graph writes for the host becomes visible once, behind everything else of a command buffer.
#include <gtest/gtest.h>

#include <algorithm>

#include "layer/recorder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kRoots = 20;
constexpr uint32_t kSize = 8;

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

    static void beginRendering(VkCommandBuffer cmd, const Image& image, VkRenderingFlags flags)
    {
        VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        color.imageView = image.view;
        color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
        color.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
        color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.flags = flags;
        info.renderArea.extent = {kSize, kSize};
        info.layerCount = 1;
        info.colorAttachmentCount = 1;
        info.pColorAttachments = &color;
        vkCmdBeginRendering(cmd, &info);
    }

    static void toGeneral(VkCommandBuffer cmd, const Image& image)
    {
        VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
        barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
        barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.image = image.handle;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.imageMemoryBarrierCount = 1;
        info.pImageMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(cmd, &info);
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
    // The sweep that continues it, what the application has recorded up to it, and the rest, in which nothing is.
    EXPECT_EQ(seen, (std::vector<Seen>{Seen::HostBarrier, Seen::EndCommandBuffer, Seen::HostBarrier,
                                       Seen::EndCommandBuffer, Seen::EndCommandBuffer}));
    EXPECT_EQ(out.words[4], 16u * kRoots);
}

// Between a suspended instance and the one that resumes it no barrier is allowed.
TEST_F(HostBarrier, BeforeASuspendedInstance)
{
    const Image image = device.createTarget(kSize, kSize);
    VkCommandBuffer cmd = begin();
    toGeneral(cmd, image);
    dispatch(cmd);
    beginRendering(cmd, image, VK_RENDERING_SUSPENDING_BIT);
    vkCmdEndRendering(cmd);
    vkEndCommandBuffer(cmd);
    EXPECT_EQ(order(takeEvents()),
              (std::vector<Seen>{Seen::HostBarrier, Seen::BeginRendering, Seen::EndCommandBuffer}));
    VkCommandBuffer rest = device.begin();
    beginRendering(rest, image, VK_RENDERING_RESUMING_BIT);
    vkCmdEndRendering(rest);
    vkEndCommandBuffer(rest);
    const VkCommandBuffer both[] = {cmd, rest};
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 2;
    info.pCommandBuffers = both;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &info, VK_NULL_HANDLE));
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(out.words[4], 16u * kRoots);
    takeEvents();
}

}  // namespace millrace::layertest
