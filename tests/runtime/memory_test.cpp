// SPDX-License-Identifier: Apache-2.0
// Buffers of ours where what is below calls the application, which calls the layer again: no driver, no hanging.
#include "runtime/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace millrace::runtime {

namespace {

// A driver of this process alone. `callback` is what the application does when it is called.
struct Driver {
    std::function<void()> callback;
    std::set<uintptr_t> memory;
    std::set<uintptr_t> buffers;
    uintptr_t last = 0;
    uint32_t calls = 0;
    std::vector<char> bytes = std::vector<char>(64u << 20);
};

Driver* g_driver = nullptr;

void call()
{
    ++g_driver->calls;
    if (g_driver->callback)
        g_driver->callback();
}

template <typename Handle>
uintptr_t idOf(Handle handle)
{
    return reinterpret_cast<uintptr_t>(handle);
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* out)
{
    *out = {};
    out->apiVersion = VK_API_VERSION_1_3;
    out->limits.bufferImageGranularity = 1;
    out->limits.nonCoherentAtomSize = 64;
    out->limits.maxMemoryAllocationCount = 4096;
}

VKAPI_ATTR void VKAPI_CALL getMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out)
{
    *out = {};
    out->memoryTypeCount = 1;
    out->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = {uint64_t{1} << 33, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

VKAPI_ATTR VkResult VKAPI_CALL allocateMemory(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                                              VkDeviceMemory* out)
{
    *out = reinterpret_cast<VkDeviceMemory>(++g_driver->last);
    g_driver->memory.insert(g_driver->last);
    call();
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL freeMemory(VkDevice, VkDeviceMemory memory, const VkAllocationCallbacks*)
{
    g_driver->memory.erase(idOf(memory));
    call();
}

VKAPI_ATTR VkResult VKAPI_CALL mapMemory(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                                         void** out)
{
    *out = g_driver->bytes.data();
    call();
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createBuffer(VkDevice, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                                            VkBuffer* out)
{
    *out = reinterpret_cast<VkBuffer>(++g_driver->last);
    g_driver->buffers.insert(g_driver->last);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyBuffer(VkDevice, VkBuffer buffer, const VkAllocationCallbacks*)
{
    g_driver->buffers.erase(idOf(buffer));
}

VKAPI_ATTR void VKAPI_CALL getRequirements2(VkDevice, const VkBufferMemoryRequirementsInfo2*,
                                            VkMemoryRequirements2* out)
{
    out->memoryRequirements = {uint64_t{1} << 20, 256, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL setName(VkDevice, const VkDebugUtilsObjectNameInfoEXT*)
{
    call();
    return VK_SUCCESS;
}

class MemoryInCallbacks : public testing::Test {
protected:
    MemoryInCallbacks()
    {
        g_driver = &driver;
        VkuInstanceDispatchTable instance{};
        VkuDeviceDispatchTable table{};
        instance.GetPhysicalDeviceProperties = getProperties;
        instance.GetPhysicalDeviceMemoryProperties = getMemoryProperties;
        instance.GetPhysicalDeviceMemoryProperties2 = [](VkPhysicalDevice p, VkPhysicalDeviceMemoryProperties2* out) {
            getMemoryProperties(p, &out->memoryProperties);
        };
        table.AllocateMemory = allocateMemory;
        table.FreeMemory = freeMemory;
        table.MapMemory = mapMemory;
        table.UnmapMemory = [](VkDevice, VkDeviceMemory) { call(); };
        table.FlushMappedMemoryRanges = [](VkDevice, uint32_t, const VkMappedMemoryRange*) { return VK_SUCCESS; };
        table.InvalidateMappedMemoryRanges = table.FlushMappedMemoryRanges;
        table.BindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) { return bind(); };
        table.BindBufferMemory2 = [](VkDevice, uint32_t, const VkBindBufferMemoryInfo*) { return bind(); };
        table.BindImageMemory = [](VkDevice, VkImage, VkDeviceMemory, VkDeviceSize) { return VK_ERROR_UNKNOWN; };
        table.BindImageMemory2 = [](VkDevice, uint32_t, const VkBindImageMemoryInfo*) { return VK_ERROR_UNKNOWN; };
        table.GetBufferMemoryRequirements = [](VkDevice, VkBuffer, VkMemoryRequirements* out) {
            *out = {uint64_t{1} << 20, 256, 1};
        };
        table.GetImageMemoryRequirements = [](VkDevice, VkImage, VkMemoryRequirements*) {};
        table.GetBufferMemoryRequirements2 = getRequirements2;
        table.GetImageMemoryRequirements2 = [](VkDevice, const VkImageMemoryRequirementsInfo2*,
                                               VkMemoryRequirements2*) {};
        table.GetDeviceBufferMemoryRequirements = [](VkDevice, const VkDeviceBufferMemoryRequirements*,
                                                     VkMemoryRequirements2* out) {
            out->memoryRequirements = {uint64_t{1} << 20, 256, 1};
        };
        table.GetDeviceImageMemoryRequirements = [](VkDevice, const VkDeviceImageMemoryRequirements*,
                                                    VkMemoryRequirements2*) {};
        table.CreateBuffer = createBuffer;
        table.DestroyBuffer = destroyBuffer;
        table.CreateImage = [](VkDevice, const VkImageCreateInfo*, const VkAllocationCallbacks*, VkImage*) {
            return VK_ERROR_UNKNOWN;
        };
        table.DestroyImage = [](VkDevice, VkImage, const VkAllocationCallbacks*) {};
        table.CmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy*) {};
        table.GetBufferDeviceAddress = [](VkDevice, const VkBufferDeviceAddressInfo*) { return VkDeviceAddress{4096}; };
        table.SetDebugUtilsObjectNameEXT = setName;
        const auto handle = reinterpret_cast<VkDevice>(&driver);
        memory = std::make_unique<Memory>();
        EXPECT_EQ(memory->create(reinterpret_cast<VkInstance>(&driver), reinterpret_cast<VkPhysicalDevice>(&driver),
                                 handle, instance, table, Names(handle, table)),
                  VK_SUCCESS);
    }
    ~MemoryInCallbacks() override
    {
        memory.reset();
        EXPECT_TRUE(driver.memory.empty());
        EXPECT_TRUE(driver.buffers.empty());
    }

    static VkResult bind()
    {
        call();
        return VK_SUCCESS;
    }

    Driver driver;
    std::unique_ptr<Memory> memory;
};

// As an application does that records a graph in its callback.
TEST_F(MemoryInCallbacks, MakesBuffers_NothingHangs)
{
    std::vector<Buffer> inside;
    std::vector<VkResult> results;
    driver.callback = [&] {
        if (driver.calls > 100)
            return;
        Buffer buffer;
        results.push_back(memory->createBuffer(BufferUse::Upload, 1024, buffer));
        inside.push_back(std::move(buffer));
    };
    Buffer buffer;
    ASSERT_EQ(memory->createBuffer(BufferUse::Readback, 1024, buffer), VK_SUCCESS);
    EXPECT_NE(buffer.data(), nullptr);
    ASSERT_FALSE(results.empty());
    // Where memory is being allocated it is refused, where its result is named it is not.
    EXPECT_NE(std::ranges::find(results, VK_ERROR_UNKNOWN), results.end());
    EXPECT_NE(std::ranges::find(results, VK_SUCCESS), results.end());
    driver.callback = {};
    Buffer after;
    EXPECT_EQ(memory->createBuffer(BufferUse::Upload, 1024, after), VK_SUCCESS);
}

// As an application does that resets a command buffer in its callback.
TEST_F(MemoryInCallbacks, DestroysBuffers_NothingHangsAndNothingStays)
{
    std::vector<Buffer> old(8);
    for (Buffer& buffer : old)
        ASSERT_EQ(memory->createBuffer(BufferUse::Upload, 1024, buffer), VK_SUCCESS);
    driver.calls = 0;
    driver.callback = [&] {
        if (!old.empty())
            old.pop_back();
    };
    std::vector<Buffer> buffers(6);
    for (Buffer& buffer : buffers)
        ASSERT_EQ(memory->createBuffer(BufferUse::Upload, 1024, buffer), VK_SUCCESS);
    buffers.clear();
    EXPECT_GT(driver.calls, 0u);
    EXPECT_LT(old.size(), 8u);
    driver.callback = {};
    old.clear();
    EXPECT_TRUE(driver.buffers.empty());
}

}  // namespace

}  // namespace millrace::runtime
