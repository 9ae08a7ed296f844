// SPDX-License-Identifier: Apache-2.0
// The application's allocation callbacks: called on its own threads alone, whatever threads of the layer do.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

// Notes calls on other threads than the test's, and fails one allocation if told to.
class Callbacks {
public:
    Callbacks() : m_callbacks{this, allocate, reallocate, release, nullptr, nullptr} {}

    const VkAllocationCallbacks* get() const { return &m_callbacks; }
    uint32_t calls() const { return m_calls; }
    uint32_t foreignCalls() const { return m_foreignCalls; }
    int64_t live() const { return m_live; }
    // The allocation with this number, from 1 on.
    void failAt(uint32_t number)
    {
        m_allocations = 0;
        m_failAt = number;
    }
    bool hasFailed() const { return m_allocations >= m_failAt && m_failAt > 0; }

private:
    void note()
    {
        ++m_calls;
        if (std::this_thread::get_id() != m_thread)
            ++m_foreignCalls;
    }

    static void* VKAPI_PTR allocate(void* user, size_t size, size_t alignment, VkSystemAllocationScope)
    {
        auto& self = *static_cast<Callbacks*>(user);
        self.note();
        if (++self.m_allocations == self.m_failAt)
            return nullptr;
        ++self.m_live;
        void* memory = nullptr;
        return posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0 ? memory : nullptr;
    }

    static void* VKAPI_PTR reallocate(void* user, void* original, size_t size, size_t alignment,
                                      VkSystemAllocationScope scope)
    {
        void* moved = size > 0 ? allocate(user, size, alignment, scope) : nullptr;
        if (moved && original)
            std::memcpy(moved, original, std::min(size, malloc_usable_size(original)));
        if (moved || size == 0)
            release(user, original);
        return moved;
    }

    static void VKAPI_PTR release(void* user, void* memory)
    {
        if (!memory)
            return;
        auto& self = *static_cast<Callbacks*>(user);
        self.note();
        --self.m_live;
        std::free(memory);
    }

    const VkAllocationCallbacks m_callbacks;
    const std::thread::id m_thread = std::this_thread::get_id();
    std::atomic<uint32_t> m_calls{0};
    std::atomic<uint32_t> m_foreignCalls{0};
    std::atomic<uint32_t> m_allocations{0};
    std::atomic<int64_t> m_live{0};
    uint32_t m_failAt = 0;
};

std::vector<VkPipelineShaderStageCreateInfo> manyStages(TestDevice& device)
{
    return {TestDevice::stage(device.createProgram("recurse"), "recurse"),
            TestDevice::stage(device.createModule(shaders::store), "main"),
            TestDevice::stage(device.createProgram("single_noinput"), "count")};
}

// Submits a graph three times that the layer's threads go on with.
void runSplitGraphs(TestDevice& device)
{
    const Graph graph =
        device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
    const Buffer counts = device.createBuffer(256);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(counts));
    for (uint32_t i = 0; i < 2; ++i) {
        device.dispatchIndirect(cmd, graph, "recurse", 100, std::vector<uint32_t>(100, 0));
        device.barrier(cmd);
    }
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 3; ++i)
        device.submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(counts.words[4], 3 * 2 * 1600u);
}

TEST(AllocationCallbacks, SplitGraphs_NotCalledOnThreadsOfTheLayer)
{
    Callbacks callbacks;
    {
        TestDevice device({}, {.allocator = callbacks.get()});
        runSplitGraphs(device);
    }
    EXPECT_GT(callbacks.calls(), 0u) << "the loader has some to do";
    EXPECT_EQ(callbacks.foreignCalls(), 0u);
    EXPECT_EQ(callbacks.live(), 0);
}

// A device that is given none has those of its instance.
TEST(AllocationCallbacks, OfTheInstance_NotCalledOnThreadsOfTheLayer)
{
    Callbacks callbacks;
    {
        TestDevice device({.allocator = callbacks.get()});
        runSplitGraphs(device);
    }
    EXPECT_GT(callbacks.calls(), 0u);
    EXPECT_EQ(callbacks.foreignCalls(), 0u);
    EXPECT_EQ(callbacks.live(), 0);
}

TEST(AllocationCallbacks, NodesCompiledWithACache_NotCalledOnThreadsOfTheLayer)
{
    Callbacks callbacks;
    {
        TestDevice device({}, {.allocator = callbacks.get()});
        const VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        VkPipelineCache cache = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreatePipelineCache(device.handle, &cacheInfo, callbacks.get(), &cache));
        const std::vector<VkPipelineShaderStageCreateInfo> stages = manyStages(device);
        VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        info.stageCount = static_cast<uint32_t>(stages.size());
        info.pStages = stages.data();
        info.layout = device.layout;
        info.basePipelineIndex = -1;
        VkPipeline graph = VK_NULL_HANDLE;
        MILLRACE_CHECK(device.createGraphs(device.handle, cache, 1, &info, callbacks.get(), &graph));
        vkDestroyPipeline(device.handle, graph, callbacks.get());
        vkDestroyPipelineCache(device.handle, cache, callbacks.get());
    }
    EXPECT_EQ(callbacks.foreignCalls(), 0u);
    EXPECT_EQ(callbacks.live(), 0);
}

// Objects of the layer's are made in vkCreateDevice as well.
TEST(AllocationCallbacks, AllocationFailsInCreateDevice_ErrorAndNothingElse)
{
    TestInstance instance;
    Callbacks callbacks;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = VK_TRUE;
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                         &enqueue};
    maintenance5.maintenance5 = VK_TRUE;
    const char* extensions[] = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
                                VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &maintenance5};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    info.enabledExtensionCount = 3;
    info.ppEnabledExtensionNames = extensions;
    constexpr uint32_t kMost = 1000;
    uint32_t number = 1;
    for (bool failed = true; failed && number < kMost; ++number) {
        callbacks.failAt(number);
        VkDevice device = VK_NULL_HANDLE;
        const VkResult result = vkCreateDevice(instance.physical, &info, callbacks.get(), &device);
        failed = callbacks.hasFailed();
        callbacks.failAt(0);
        if (result == VK_SUCCESS)
            vkDestroyDevice(device, callbacks.get());
        else
            EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY) << "at allocation " << number;
        EXPECT_EQ(callbacks.live(), 0) << "at allocation " << number;
    }
    EXPECT_GT(number, 2u) << "the loader allocates something";
    EXPECT_LT(number, kMost);
    instance.takeMessages();
}

}  // namespace

}  // namespace millrace::layertest
