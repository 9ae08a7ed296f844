// SPDX-License-Identifier: Apache-2.0
// Streams that are recorded again where they are submitted, while another thread records command buffers of the pool.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "layer/commands/generated_objects.h"
#include "layer/fake_driver.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kTimes = 30;

class LateStreams : public testing::Test {
protected:
    void draw(VkCommandBuffer cmd) const
    {
        const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
        objects.drawUnordered(cmd);
        FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd);
    }
    static void end(VkCommandBuffer cmd)
    {
        EXPECT_EQ(FakeDriver::get<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(cmd), VK_SUCCESS);
    }
    void submit(VkCommandBuffer cmd) const
    {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &cmd;
        EXPECT_EQ(FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(driver.queue(), 1, &info, VK_NULL_HANDLE),
                  VK_SUCCESS);
    }
    static std::vector<VkCommandBuffer> streamsOf(VkCommandBuffer cmd)
    {
        return FakeDriver::of(cmd).submittedStreams();
    }

    FakeDriver driver{Version::All, Provided::GeneratedCommands};
    GeneratedObjects objects{driver};
};

TEST_F(LateStreams, SetThatHasChanged_RecordedAgainOnce)
{
    const VkCommandBuffer cmd = driver.begin();
    draw(cmd);
    end(cmd);
    EXPECT_GT(streamsOf(cmd).size(), 2u);
    const auto binds = [&] {
        FakeDriver::takeAllCalls();
        submit(cmd);
        return std::ranges::count(FakeDriver::takeCalls(), "vkCmdBindPipeline", &Call::command);
    };
    EXPECT_EQ(binds(), 0);
    objects.changeSet(0);
    EXPECT_GT(binds(), 0);
    EXPECT_EQ(binds(), 0);
}

// Pending command buffers, so that streams are replaced, not recorded anew.
TEST_F(LateStreams, SubmittedWhileOthersOfThePoolAreRecorded_EachHasItsOwn)
{
    std::vector<VkCommandBuffer> submitted;
    for (uint32_t i = 0; i < 2; ++i) {
        const VkCommandBuffer cmd = submitted.emplace_back(driver.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
        draw(cmd);
        end(cmd);
    }
    std::vector<VkCommandBuffer> recorded;
    std::thread recorder([&] {
        for (uint32_t i = 0; i < kTimes; ++i) {
            const VkCommandBuffer cmd = recorded.emplace_back(driver.begin());
            objects.dispatchOfSet(cmd);
            if (i % 3 == 0)
                FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
            else
                end(cmd);
        }
    });
    for (uint32_t i = 0; i < kTimes; ++i) {
        objects.changeSet(i);
        submit(submitted[i % 2]);
    }
    recorder.join();
    std::set<VkCommandBuffer> different;
    size_t count = 0;
    for (const std::vector<VkCommandBuffer>* list : {&submitted, &recorded})
        for (VkCommandBuffer cmd : *list) {
            const std::vector<VkCommandBuffer> streams = streamsOf(cmd);
            different.insert(streams.begin(), streams.end());
            count += streams.size();
        }
    EXPECT_EQ(different.size(), count);
}

}  // namespace

}  // namespace millrace::layertest
