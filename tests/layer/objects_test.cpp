// SPDX-License-Identifier: Apache-2.0
// Handles that only the layer knows, in commands that take any handle. The validation layer below complains about every
// one that gets through.
#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

class Objects : public testing::Test {
protected:
    TestDevice device;
    VkShaderModule module = device.createProgram("recurse");
    Graph graph = device.createGraph({TestDevice::stage(module, "recurse")});

    std::vector<std::pair<VkObjectType, uint64_t>> objects() const
    {
        return {{VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(graph.pipeline)},
                {VK_OBJECT_TYPE_SHADER_MODULE, reinterpret_cast<uint64_t>(module)}};
    }
};

TEST_F(Objects, NamesAndTags)
{
    const auto setName = device.get<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT");
    const auto setTag = device.get<PFN_vkSetDebugUtilsObjectTagEXT>("vkSetDebugUtilsObjectTagEXT");
    for (auto [type, handle] : objects()) {
        VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
        name.objectType = type;
        name.objectHandle = handle;
        name.pObjectName = "the tree";
        EXPECT_EQ(setName(device.handle, &name), VK_SUCCESS);
        VkDebugUtilsObjectTagInfoEXT tag{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT};
        tag.objectType = type;
        tag.objectHandle = handle;
        tag.tagSize = 4;
        tag.pTag = "tag";
        EXPECT_EQ(setTag(device.handle, &tag), VK_SUCCESS);
    }
    // Messages use it.
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = "nobody";
    uint32_t index = 0;
    EXPECT_LT(device.getNodeIndex(device.handle, graph.pipeline, &info, &index), 0);
    const std::vector<Message> messages = device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].text.find("'the tree'"), std::string::npos) << messages[0].text;
}

TEST_F(Objects, PrivateData)
{
    VkPrivateDataSlotCreateInfo slotInfo{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
    VkPrivateDataSlot slots[2];
    for (VkPrivateDataSlot& slot : slots)
        MILLRACE_CHECK(vkCreatePrivateDataSlot(device.handle, &slotInfo, nullptr, &slot));
    uint64_t number = 100;
    for (auto [type, handle] : objects())
        for (VkPrivateDataSlot slot : slots)
            EXPECT_EQ(vkSetPrivateData(device.handle, type, handle, slot, ++number), VK_SUCCESS);
    number = 100;
    for (auto [type, handle] : objects()) {
        for (VkPrivateDataSlot slot : slots) {
            uint64_t value = 0;
            vkGetPrivateData(device.handle, type, handle, slot, &value);
            EXPECT_EQ(value, ++number);
        }
    }
    // The driver's objects keep theirs.
    uint64_t value = 1;
    vkGetPrivateData(device.handle, VK_OBJECT_TYPE_COMMAND_POOL, reinterpret_cast<uint64_t>(device.pool), slots[0],
                     &value);
    EXPECT_EQ(value, 0u);
    vkDestroyPrivateDataSlot(device.handle, slots[0], nullptr);
    vkGetPrivateData(device.handle, VK_OBJECT_TYPE_PIPELINE, objects()[0].second, slots[1], &value);
    EXPECT_EQ(value, 102u);
    vkDestroyPrivateDataSlot(device.handle, slots[1], nullptr);
}

TEST_F(Objects, NullHandles_CanBeDestroyed)
{
    vkDestroyPipeline(device.handle, VK_NULL_HANDLE, nullptr);
    vkDestroyShaderModule(device.handle, VK_NULL_HANDLE, nullptr);
    vkDestroyPipelineLayout(device.handle, VK_NULL_HANDLE, nullptr);
    vkDestroyPipelineCache(device.handle, VK_NULL_HANDLE, nullptr);
    vkDestroyCommandPool(device.handle, VK_NULL_HANDLE, nullptr);
    const VkCommandBuffer none[] = {VK_NULL_HANDLE};
    vkFreeCommandBuffers(device.handle, device.pool, 1, none);
}

// Counts what an application's allocator gives and takes back. Any thread.
struct CountingAllocator {
    static void* VKAPI_PTR allocate(void* user, size_t size, size_t alignment, VkSystemAllocationScope)
    {
        auto& self = *static_cast<CountingAllocator*>(user);
        ++self.calls;
        ++self.live;
        return std::aligned_alloc(std::max<size_t>(alignment, 16), (size + 63) / 64 * 64);
    }
    static void VKAPI_PTR release(void* user, void* memory)
    {
        if (memory)
            --static_cast<CountingAllocator*>(user)->live;
        std::free(memory);
    }
    static void* VKAPI_PTR reallocate(void* user, void* original, size_t size, size_t alignment,
                                      VkSystemAllocationScope scope)
    {
        void* memory = size > 0 ? allocate(user, size, alignment, scope) : nullptr;
        if (memory && original)
            std::memcpy(memory, original, std::min(size, malloc_usable_size(original)));
        release(user, original);
        return memory;
    }

    VkAllocationCallbacks callbacks{this, allocate, reallocate, release, nullptr, nullptr};
    std::atomic<int> calls{0};
    std::atomic<int> live{0};
};

TEST_F(Objects, AllocationCallbacks_Balanced)
{
    CountingAllocator allocator;
    const VkAllocationCallbacks* callbacks = &allocator.callbacks;
    const std::vector<uint32_t> words = TestDevice::programWords("recurse");
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size() * 4;
    moduleInfo.pCode = words.data();
    VkShaderModule own = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateShaderModule(device.handle, &moduleInfo, callbacks, &own));
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &device.setLayout;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineLayout(device.handle, &layoutInfo, callbacks, &layout));
    VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineCache(device.handle, &cacheInfo, callbacks, &cache));

    const VkPipelineShaderStageCreateInfo stage = TestDevice::stage(own, "recurse");
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(device.createGraphs(device.handle, cache, 1, &info, callbacks, &pipeline));
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    VkPipeline library = VK_NULL_HANDLE;
    MILLRACE_CHECK(device.createGraphs(device.handle, cache, 1, &info, callbacks, &library));

    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateCommandPool(device.handle, &poolInfo, callbacks, &pool));
    VkBufferCreateInfo bufferInfo{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    bufferInfo.size = 4096;
    bufferInfo.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
    VkBuffer buffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateBuffer(device.handle, &bufferInfo, callbacks, &buffer));
    EXPECT_GT(allocator.calls, 0);

    vkDestroyBuffer(device.handle, buffer, callbacks);
    vkDestroyCommandPool(device.handle, pool, callbacks);
    vkDestroyPipeline(device.handle, library, callbacks);
    vkDestroyPipeline(device.handle, pipeline, callbacks);
    vkDestroyPipelineCache(device.handle, cache, callbacks);
    vkDestroyPipelineLayout(device.handle, layout, callbacks);
    vkDestroyShaderModule(device.handle, own, callbacks);
    EXPECT_EQ(allocator.live, 0);
}

// VK_EXT_debug_utils is not enabled here.
TEST(ObjectsWithoutDebugUtils, GraphRuns)
{
    TestDevice device({.debugUtils = false});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Buffer out = device.createBuffer(256);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(out));
    device.dispatch(cmd, graph, "recurse", 1, {0});
    device.submitAndWait(cmd);
    EXPECT_EQ(out.words[4], 16u);
}

}  // namespace

}  // namespace millrace::layertest
