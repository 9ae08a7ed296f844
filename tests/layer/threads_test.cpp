// SPDX-License-Identifier: Apache-2.0
// Many threads record, create and destroy at the same time; one lock guards the queue, as Vulkan wants it.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kThreads = 4;
constexpr uint32_t kRounds = 6;

// What one thread needs for itself. Made before the threads start, since TestDevice is for one thread.
struct Lane {
    Graph graph;
    Buffer counts;
    Buffer stored;
    VkDescriptorSet countSet;
    VkDescriptorSet storeSet;
    Buffer arguments;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
};

class Threads : public testing::Test {
protected:
    Lane createLane()
    {
        Lane lane{};
        lane.graph.pipeline = tree.pipeline;
        lane.graph.scratch = device.createScratch(tree.pipeline, Scratch::Minimum);
        lane.counts = device.createBuffer(256);
        lane.stored = device.createBuffer(256);
        lane.countSet = device.createSet(lane.counts);
        lane.storeSet = device.createSet(lane.stored);
        lane.arguments = device.createBuffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = device.nodeIndex(tree.pipeline, "recurse");
        info.payloadCount = 20;
        info.payloads.deviceAddress = lane.arguments.address + 64;
        *reinterpret_cast<VkDispatchGraphInfoAMDX*>(lane.arguments.words) = info;
        VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        MILLRACE_CHECK(vkCreateCommandPool(device.handle, &poolInfo, nullptr, &lane.pool));
        device.onDestroy([this, pool = lane.pool] { vkDestroyCommandPool(device.handle, pool, nullptr); });
        VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocation.commandPool = lane.pool;
        allocation.commandBufferCount = 1;
        MILLRACE_CHECK(vkAllocateCommandBuffers(device.handle, &allocation, &lane.cmd));
        lane.fence = device.createFence();
        return lane;
    }

    void recordRound(const Lane& lane, uint32_t round)
    {
        VkCommandBuffer cmd = lane.cmd;
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        MILLRACE_CHECK(vkBeginCommandBuffer(cmd, &begin));
        device.prepare(cmd, lane.graph, lane.countSet);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, store);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, device.layout, 0, 1, &lane.storeSet, 0, nullptr);
        const uint32_t push[] = {round, 9};
        vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = 1;
        counts.infos.deviceAddress = lane.arguments.address;
        counts.stride = sizeof(VkDispatchGraphInfoAMDX);
        device.cmdDispatchIndirect(cmd, lane.graph.scratch.address, lane.graph.scratch.size, &counts);
        TestDevice::barrier(cmd);
        vkCmdDispatch(cmd, 1, 1, 1);
        TestDevice::barrier(cmd);
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    }

    void work(const Lane& lane)
    {
        for (uint32_t round = 0; round < kRounds; ++round) {
            recordRound(lane, round);
            {
                std::lock_guard lock(queueMutex);
                device.submit(lane.cmd, lane.fence);
            }
            MILLRACE_CHECK(vkWaitForFences(device.handle, 1, &lane.fence, VK_TRUE, UINT64_MAX));
            MILLRACE_CHECK(vkResetFences(device.handle, 1, &lane.fence));
        }
    }

    TestDevice device;
    Graph tree = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    VkPipeline store = device.createCompute(device.createModule(shaders::store));
    std::mutex queueMutex;
};

TEST_F(Threads, RecordAndSubmit)
{
    std::vector<Lane> lanes;
    for (uint32_t i = 0; i < kThreads; ++i)
        lanes.push_back(createLane());
    {
        std::vector<std::jthread> threads;
        for (const Lane& lane : lanes)
            threads.emplace_back([&] { work(lane); });
    }
    for (const Lane& lane : lanes) {
        EXPECT_EQ(lane.counts.words[4], kRounds * 20 * 16);
        for (uint32_t round = 0; round < kRounds; ++round)
            EXPECT_EQ(lane.stored.words[round], 9u);
    }
}

TEST_F(Threads, CreateAndDestroyPipelines)
{
    const VkShaderModule module = device.createProgram("recurse");
    std::vector<std::jthread> threads;
    for (uint32_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (uint32_t round = 0; round < kRounds; ++round) {
                const VkPipelineShaderStageCreateInfo stage = TestDevice::stage(module, "recurse");
                VkExecutionGraphPipelineCreateInfoAMDX info{
                    VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
                info.stageCount = 1;
                info.pStages = &stage;
                info.layout = device.layout;
                VkPipeline pipeline = VK_NULL_HANDLE;
                MILLRACE_CHECK(device.createGraphs(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
                vkDestroyPipeline(device.handle, pipeline, nullptr);
            }
        });
}

}  // namespace

}  // namespace millrace::layertest
