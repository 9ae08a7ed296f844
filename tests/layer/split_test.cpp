// SPDX-License-Identifier: Apache-2.0
// Graphs that the host cannot prove to fit: the command buffer is split behind them and the submission continues them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kRoots = 300;
constexpr uint32_t kLeaves = 16 * kRoots;  // the tree has four levels of two

class Splits : public testing::Test {
protected:
    void SetUp() override
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
        counts = device.createBuffer(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        copied = device.createBuffer(1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        set = device.createSet(counts);
    }

    // Needs many sweeps: the scratch memory has room for one workgroup's payloads on each level.
    void tree(VkCommandBuffer cmd, uint32_t roots = kRoots)
    {
        device.dispatchIndirect(cmd, graph, "recurse", roots, std::vector<uint32_t>(roots, 0));
        device.barrier(cmd);
    }

    // Copies the count of leaves to copied[index].
    void copyLeaves(VkCommandBuffer cmd, uint32_t index)
    {
        const VkBufferCopy copy{16, 4 * index, 4};
        vkCmdCopyBuffer(cmd, counts.handle, copied.handle, 1, &copy);
        device.barrier(cmd);
    }

    VkCommandBuffer treeCommands(uint32_t index, VkCommandBufferUsageFlags usage = 0)
    {
        VkCommandBuffer cmd = device.begin(usage);
        device.prepare(cmd, graph, set);
        tree(cmd);
        copyLeaves(cmd, index);
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
        return cmd;
    }

    TestDevice device;
    Graph graph;
    Buffer counts;
    Buffer copied;
    VkDescriptorSet set = VK_NULL_HANDLE;
};

TEST_F(Splits, CommandsBehindTheGraph_SeeItComplete)
{
    VkCommandBuffer cmd = treeCommands(0);
    device.submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(copied.words[0], kLeaves);
}

TEST_F(Splits, QueryResults_WaitForHeldWork)
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    VkQueryPool queries = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.handle, &info, nullptr, &queries));
    device.onDestroy([this, queries] { vkDestroyQueryPool(device.handle, queries, nullptr); });
    VkCommandBuffer reset = device.begin();
    vkCmdResetQueryPool(reset, queries, 0, 2);
    device.submitAndWait(reset);

    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    tree(cmd);
    vkCmdWriteTimestamp2(cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 0);
    tree(cmd);
    copyLeaves(cmd, 0);
    vkCmdWriteTimestamp2(cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    device.submit(cmd);
    struct {
        uint64_t time = 0;
        uint64_t available = 0;
    } results[2];
    EXPECT_EQ(vkGetQueryPoolResults(
                  device.handle, queries, 0, 2, sizeof results, results, sizeof results[0],
                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
              VK_SUCCESS);
    EXPECT_EQ(results[0].available, 1u);
    EXPECT_EQ(results[1].available, 1u);
    EXPECT_GE(results[1].time, results[0].time);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(copied.words[0], 2 * kLeaves);
}

TEST_F(Splits, SeveralInOneCommandBuffer_SubmittedAgain)
{
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    for (uint32_t i = 0; i < 3; ++i) {
        tree(cmd);
        copyLeaves(cmd, i);
    }
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    for (uint32_t round = 0; round < 3; ++round) {
        device.submit(cmd);
        MILLRACE_CHECK(vkDeviceWaitIdle(device.handle));
        for (uint32_t i = 0; i < 3; ++i)
            EXPECT_EQ(copied.words[i], kLeaves * (3 * round + i + 1));
    }
}

TEST_F(Splits, ResetAndRecordedAgain)
{
    VkCommandBuffer cmd = treeCommands(0);
    for (uint32_t round = 1; round <= 3; ++round) {
        device.submit(cmd);
        MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
        EXPECT_EQ(copied.words[round - 1], kLeaves * round);
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        if (round == 2)
            MILLRACE_CHECK(vkResetCommandPool(device.handle, device.pool, 0));
        else
            MILLRACE_CHECK(vkResetCommandBuffer(cmd, 0));
        vkTrimCommandPool(device.handle, device.pool, 0);
        MILLRACE_CHECK(vkBeginCommandBuffer(cmd, &begin));
        device.prepare(cmd, graph, set);
        tree(cmd);
        copyLeaves(cmd, round);
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    }
    vkFreeCommandBuffers(device.handle, device.pool, 1, &cmd);
}

TEST_F(Splits, LaterSubmissions_ComeBehind)
{
    VkCommandBuffer first = treeCommands(0);
    VkCommandBuffer second = device.begin();
    device.barrier(second);
    copyLeaves(second, 1);
    vkCmdFillBuffer(second, counts.handle, 0, VK_WHOLE_SIZE, 0);
    device.barrier(second);
    copyLeaves(second, 2);
    MILLRACE_CHECK(vkEndCommandBuffer(second));
    copied.words[2] = 77;
    device.submit(first);
    const VkFence fence = device.createFence();
    device.submit(second, fence);
    MILLRACE_CHECK(vkWaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
    EXPECT_EQ(copied.words[0], kLeaves);
    EXPECT_EQ(copied.words[1], kLeaves);
    EXPECT_EQ(copied.words[2], 0u);
}

TEST_F(Splits, FenceAndBinarySemaphore)
{
    VkCommandBuffer first = treeCommands(0);
    VkCommandBuffer second = device.begin();
    copyLeaves(second, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(second));
    const VkSemaphore semaphore = device.createSemaphore();
    const VkFence fences[] = {device.createFence(), device.createFence()};
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &first;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &semaphore;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &submit, fences[0]));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &second;
    submit.waitSemaphoreCount = 1;
    submit.pWaitSemaphores = &semaphore;
    submit.pWaitDstStageMask = &stage;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &submit, fences[1]));
    MILLRACE_CHECK(vkWaitForFences(device.handle, 2, fences, VK_TRUE, UINT64_MAX));
    EXPECT_EQ(vkGetFenceStatus(device.handle, fences[0]), VK_SUCCESS);
    EXPECT_EQ(copied.words[1], kLeaves);
}

TEST_F(Splits, ManyBatches_Submit2)
{
    VkCommandBuffer plain = device.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    vkCmdFillBuffer(plain, counts.handle, 0, VK_WHOLE_SIZE, 0);
    device.barrier(plain);
    MILLRACE_CHECK(vkEndCommandBuffer(plain));
    VkCommandBufferSubmitInfo infos[4];
    for (uint32_t i = 0; i < 4; ++i) {
        infos[i] = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
        infos[i].commandBuffer = i % 2 == 0 ? plain : treeCommands(i);
    }
    const VkSemaphore timeline = device.createSemaphore(true);
    VkSemaphoreSubmitInfo signals[2];
    VkSubmitInfo2 submits[2];
    for (uint32_t i = 0; i < 2; ++i) {
        signals[i] = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
        signals[i].semaphore = timeline;
        signals[i].value = i + 1;
        signals[i].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        submits[i] = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
        submits[i].commandBufferInfoCount = 2;
        submits[i].pCommandBufferInfos = &infos[2 * i];
        submits[i].signalSemaphoreInfoCount = 1;
        submits[i].pSignalSemaphoreInfos = &signals[i];
    }
    MILLRACE_CHECK(vkQueueSubmit2(device.queue, 2, submits, VK_NULL_HANDLE));
    const uint64_t value = 2;
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline;
    wait.pValues = &value;
    MILLRACE_CHECK(vkWaitSemaphores(device.handle, &wait, UINT64_MAX));
    EXPECT_EQ(copied.words[1], kLeaves);
    EXPECT_EQ(copied.words[3], kLeaves);
}

// The application signals what the submission waits for only after submitting: vkQueueSubmit must not block.
TEST_F(Splits, WaitBeforeSignal)
{
    VkCommandBuffer cmd = treeCommands(0);
    const VkSemaphore timeline = device.createSemaphore(true);
    const uint64_t waited = 1;
    const uint64_t signaled = 2;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &waited;
    values.pSignalSemaphoreValues = &signaled;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
    submit.waitSemaphoreCount = submit.signalSemaphoreCount = 1;
    submit.pWaitSemaphores = submit.pSignalSemaphores = &timeline;
    submit.pWaitDstStageMask = &stage;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &cmd;
    const VkFence fence = device.createFence();
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &submit, fence));
    EXPECT_EQ(vkWaitForFences(device.handle, 1, &fence, VK_TRUE, 10'000'000), VK_TIMEOUT);
    EXPECT_EQ(copied.words[0], 0u);
    VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    signal.semaphore = timeline;
    signal.value = 1;
    MILLRACE_CHECK(vkSignalSemaphore(device.handle, &signal));
    MILLRACE_CHECK(vkWaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
    EXPECT_EQ(copied.words[0], kLeaves);
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline;
    wait.pValues = &signaled;
    MILLRACE_CHECK(vkWaitSemaphores(device.handle, &wait, UINT64_MAX));
}

// A query that spans the graph keeps the command buffer whole: as many sweeps as are recorded have to do.
TEST_F(Splits, ActiveQuery_NotSplit)
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 1;
    VkQueryPool queries = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.handle, &info, nullptr, &queries));
    VkCommandBuffer cmd = device.begin();
    vkCmdResetQueryPool(cmd, queries, 0, 1);
    device.prepare(cmd, graph, set);
    vkCmdBeginQuery(cmd, queries, 0, 0);
    tree(cmd, 2);
    vkCmdEndQuery(cmd, queries, 0);
    device.instance.expectMessage("Millrace-graph-not-continued");
    copyLeaves(cmd, 0);
    device.submitAndWait(cmd);
    const std::vector<Message> messages = device.instance.takeMessages();
    if (messages.empty()) {
        EXPECT_EQ(copied.words[0], 32u);
    } else {
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_EQ(messages[0].id, "Millrace-graph-incomplete");
    }
    vkDestroyQueryPool(device.handle, queries, nullptr);
}

// Debug labels around a graph, in the command buffer and on the queue.
TEST_F(Splits, Labels)
{
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = "around";
    const auto begin = device.get<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT");
    const auto end = device.get<PFN_vkCmdEndDebugUtilsLabelEXT>("vkCmdEndDebugUtilsLabelEXT");
    const auto queueBegin = device.get<PFN_vkQueueBeginDebugUtilsLabelEXT>("vkQueueBeginDebugUtilsLabelEXT");
    const auto queueInsert = device.get<PFN_vkQueueInsertDebugUtilsLabelEXT>("vkQueueInsertDebugUtilsLabelEXT");
    const auto queueEnd = device.get<PFN_vkQueueEndDebugUtilsLabelEXT>("vkQueueEndDebugUtilsLabelEXT");
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    begin(cmd, &label);
    tree(cmd);
    end(cmd);
    copyLeaves(cmd, 0);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    queueBegin(device.queue, &label);
    device.submit(cmd);
    queueInsert(device.queue, &label);
    queueEnd(device.queue);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(copied.words[0], kLeaves);
}

TEST_F(Splits, ThousandsOfSweeps)
{
    VkCommandBuffer cmd = device.begin(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    device.prepare(cmd, graph, set);
    tree(cmd, 2000);
    device.submitAndWait(cmd);
    EXPECT_EQ((std::vector<uint32_t>(counts.words, counts.words + 5)),
              (std::vector<uint32_t>{2000, 4000, 8000, 16000, 32000}));
}

}  // namespace

}  // namespace millrace::layertest
