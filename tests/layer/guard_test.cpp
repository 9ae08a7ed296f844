// SPDX-License-Identifier: Apache-2.0
// The layer without memory and without threads: commands fail, nothing is thrown into the application.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "layer/failing_host.h"
#include "layer/test_device.h"
#include "layer/tomorrow.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr uint32_t kRoots = 50;
constexpr uint32_t kLeaves = 16 * kRoots;  // the tree has four levels of two

class Guard : public testing::Test {
protected:
    void SetUp() override { renew(); }
    void TearDown() override { failThreads(false); }

    // What a failed submission leaves behind is of no use.
    void renew()
    {
        device = std::make_unique<TestDevice>();
        findLayer();
        graph = device->createGraph({TestDevice::stage(device->createProgram("recurse"), "recurse")}, Scratch::Minimum);
        failAllocation(0);
        store = device->createCompute(device->createModule(shaders::store));
        counts = device->createBuffer(256);
        stored = device->createBuffer(256);
        set = device->createSet(counts);
        otherSet = device->createSet(stored);
        arguments = device->createBuffer(1024, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = device->nodeIndex(graph.pipeline, "recurse");
        info.payloadCount = kRoots;
        info.payloads.deviceAddress = arguments.address + 64;
        info.payloadStride = 4;
        std::memcpy(arguments.words, &info, sizeof info);
    }

    // Without a word of the commands' results but for the last.
    VkResult record(VkCommandBuffer cmd)
    {
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        if (const VkResult result = vkBeginCommandBuffer(cmd, &begin); result != VK_SUCCESS)
            return result;
        vkCmdBindPipeline(cmd, kCompute, store);
        vkCmdBindDescriptorSets(cmd, kCompute, device->layout, 0, 1, &otherSet, 0, nullptr);
        const uint32_t push[] = {10, 5};
        vkCmdPushConstants(cmd, device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
        device->prepare(cmd, graph, set);
        VkDispatchGraphCountInfoAMDX info{};
        info.count = 1;
        info.infos.deviceAddress = arguments.address;
        info.stride = sizeof(VkDispatchGraphInfoAMDX);
        device->cmdDispatchIndirect(cmd, graph.scratch.address, graph.scratch.size, &info);
        TestDevice::barrier(cmd);
        vkCmdDispatch(cmd, 1, 1, 1);
        return vkEndCommandBuffer(cmd);
    }

    std::unique_ptr<TestDevice> device;
    Graph graph;
    VkPipeline store = VK_NULL_HANDLE;
    Buffer counts;
    Buffer stored;
    Buffer arguments;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkDescriptorSet otherSet = VK_NULL_HANDLE;
};

// A number and one about a seventh larger: near the beginning every allocation fails once, far behind some do.
size_t next(size_t number)
{
    return number + 1 + number / 7;
}

TEST_F(Guard, AllocationFailsWhileRecording_EndCommandBufferTells)
{
    size_t failures = 0;
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (size_t number = 1; result != VK_SUCCESS; number = next(number)) {
        VkCommandBuffer cmd = device->allocate();
        failAllocation(number);
        result = record(cmd);
        const bool hasFailed = allocations() >= number;
        failAllocation(0);
        if (hasFailed && result == VK_SUCCESS)
            result = VK_INCOMPLETE;  // a message less, and the like
        else if (hasFailed)
            EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY) << "at allocation " << number;
        // State that could not be kept is missing behind the split.
        if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
            device->instance.takeMessages();
        failures += result == VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result == VK_SUCCESS) {
            device->submit(cmd);
            MILLRACE_CHECK(vkQueueWaitIdle(device->queue));
        }
        vkFreeCommandBuffers(device->handle, device->pool, 1, &cmd);
    }
    EXPECT_GT(failures, 10u);
    EXPECT_EQ(counts.words[4], kLeaves);
    EXPECT_EQ(stored.words[10], 5u);
}

// The instance goes on behind it, which takes memory: it is told that a structure of the application's is not there
// any more.
TEST(GuardOfInstances, AllocationFailsBehindAnInitialization_EndCommandBufferTells)
{
    TestDevice device({.tomorrow = true}, {.extensions = {VK_EXT_TOMORROW_EXTENSION_NAME}});
    findLayer();
    const Graph graph =
        device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
    failAllocation(0);
    size_t failures = 0;
    bool hasFailed = true;
    for (size_t number = 1; hasFailed; ++number) {
        const VkTomorrowEXT chain = tomorrow();
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, &chain};
        info.renderArea.extent = {8, 8};
        info.layerCount = 1;
        VkCommandBuffer cmd = device.begin();
        vkCmdBeginRendering(cmd, &info);
        failAllocation(number);
        device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
        hasFailed = allocations() >= number;
        failAllocation(0);
        vkCmdEndRendering(cmd);
        failures += vkEndCommandBuffer(cmd) == VK_ERROR_OUT_OF_HOST_MEMORY;
        vkFreeCommandBuffers(device.handle, device.pool, 1, &cmd);
    }
    EXPECT_GT(failures, 3u);
    device.instance.takeMessages();
}

TEST_F(Guard, AllocationFailsWhileSubmitting_ErrorOrLostDevice)
{
    bool hasFailed = true;
    for (size_t number = 1; hasFailed; number = 2 * number) {
        VkCommandBuffer cmd = device->allocate();
        MILLRACE_CHECK(record(cmd));
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &cmd;
        failAllocation(number);
        VkResult result = vkQueueSubmit(device->queue, 1, &info, VK_NULL_HANDLE);
        const VkResult waited = vkQueueWaitIdle(device->queue);
        hasFailed = allocations() >= number;
        failAllocation(0);
        if (!hasFailed) {
            EXPECT_EQ(result, VK_SUCCESS);
            EXPECT_EQ(waited, VK_SUCCESS);
            EXPECT_EQ(counts.words[4], kLeaves);
            break;
        }
        EXPECT_TRUE(result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
            << result;
        EXPECT_TRUE(waited == VK_SUCCESS || waited == VK_ERROR_DEVICE_LOST) << waited;
        device->instance.takeMessages();
        renew();
    }
}

TEST_F(Guard, AllocationFailsWhileAGraphIsCreated_ErrorAndNoPipeline)
{
    const VkPipelineShaderStageCreateInfo stages[] = {TestDevice::stage(device->createProgram("recurse"), "recurse"),
                                                      TestDevice::stage(device->createModule(shaders::store), "main")};
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = 2;
    info.pStages = stages;
    info.layout = device->layout;
    info.basePipelineIndex = -1;
    size_t failures = 0;
    bool hasFailed = true;
    for (size_t number = 1; hasFailed; number = next(number)) {
        VkPipeline pipeline = VK_NULL_HANDLE;
        failAllocation(number);
        const VkResult result = device->createGraphs(device->handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        hasFailed = allocations() >= number;
        failAllocation(0);
        failures += result != VK_SUCCESS;
        EXPECT_TRUE(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY) << result;
        EXPECT_EQ(result == VK_SUCCESS, pipeline != VK_NULL_HANDLE);
        vkDestroyPipeline(device->handle, pipeline, nullptr);
    }
    EXPECT_GT(failures, 3u);
}

TEST_F(Guard, NoThreads_EverythingIsDoneWithout)
{
    device.reset();
    device = nullptr;
    failThreads(true);
    renew();
    VkCommandBuffer cmd = device->allocate();
    MILLRACE_CHECK(record(cmd));
    device->submit(cmd);
    device->submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(device->queue));
    EXPECT_EQ(counts.words[4], 2 * kLeaves);
    EXPECT_EQ(stored.words[10], 5u);
}

// Not even where it needs pipelines at once.
TEST_F(Guard, GraphIsCreated_RecordingStartsNoThread)
{
    graph = device->createGraph({TestDevice::stage(device->createProgram("recurse"), "recurse")}, Scratch::Ample);
    const size_t created = threads();
    EXPECT_GT(created, 0u) << "pipelines are made on some from the graph's creation on";
    for (uint32_t i = 0; i < 3; ++i)
        MILLRACE_CHECK(record(device->allocate()));
    EXPECT_EQ(threads(), created);
}

// Each rule has a text, which takes allocations: where all are kept none is made, however much there is to look at.
TEST_F(Guard, AllRulesAreKept_RecordingMakesNoTexts)
{
    const auto record = [&](uint32_t count) {
        const uint32_t payload = 0;
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = device->nodeIndex(graph.pipeline, "recurse");
        info.payloadCount = 1;
        info.payloads.hostAddress = &payload;
        info.payloadStride = sizeof payload;
        const std::vector<VkDispatchGraphInfoAMDX> infos(count, info);
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = count;
        counts.infos.hostAddress = infos.data();
        counts.stride = sizeof info;
        VkCommandBuffer cmd = device->begin();
        device->prepare(cmd, graph, set);
        failAllocation(0);
        device->cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
        const size_t taken = allocations();
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
        return taken;
    };
    // Threads that make pipelines allocate as well, at first.
    const auto least = [&](uint32_t count) {
        size_t least = SIZE_MAX;
        for (uint32_t i = 0; i < 5; ++i)
            least = std::min(least, record(count));
        return least;
    };
    const size_t few = least(1);
    EXPECT_GT(few, 0u);
    EXPECT_LT(least(101), few + 100) << "an allocation for each info or more";
}

}  // namespace

}  // namespace millrace::layertest
