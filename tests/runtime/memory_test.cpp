// SPDX-License-Identifier: Apache-2.0
// Buffers of ours without a driver: where what is below calls the application, which calls the layer again, nothing
// hangs, and the dispatches of a recording share them.
#include "runtime/recording_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
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
    VkResult creation = VK_SUCCESS;  // of buffers
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
    if (g_driver->creation != VK_SUCCESS)
        return g_driver->creation;
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

class SharedBuffers : public MemoryInCallbacks {
protected:
    BufferPart take(VkDeviceSize bytes, BufferUse use = BufferUse::Upload)
    {
        BufferPart part;
        EXPECT_EQ(shared.take(*memory, {}, use, bytes, part), VK_SUCCESS);
        EXPECT_EQ(part.offset() % kBufferAlignment, 0u);
        EXPECT_EQ(part.address(), VkDeviceAddress{4096} + part.offset());
        return part;
    }

    RecordingMemory shared;
};

TEST_F(SharedBuffers, ManyParts_FewBuffersAndNoOverlap)
{
    std::map<VkBuffer, VkDeviceSize> end;  // of the last part in each
    std::vector<BufferPart> parts;
    for (uint32_t i = 0; i < 1000; ++i) {
        const VkDeviceSize bytes = i % 7 == 0 ? 3000 : 1 + i;
        parts.push_back(take(bytes));
        EXPECT_GE(parts.back().offset(), end[parts.back().buffer()]) << i;
        end[parts.back().buffer()] = parts.back().offset() + bytes;
    }
    EXPECT_EQ(driver.buffers.size(), end.size());
    EXPECT_LT(end.size(), 12u);
}

TEST_F(SharedBuffers, LargeParts_EveryBufferTakesOneAndSmallOnesShareOn)
{
    const BufferPart first = take(100);
    const BufferPart large = take(VkDeviceSize{1} << 19);
    const BufferPart second = take(100);
    EXPECT_EQ(first.buffer(), second.buffer());
    EXPECT_NE(first.buffer(), large.buffer());
    EXPECT_NE(first.offset(), second.offset());
}

// Each would leave a block of the first size nearly half empty.
TEST_F(SharedBuffers, PartsOfMoreThanHalfABlock_ShareLaterOn)
{
    std::vector<BufferPart> parts;
    for (uint32_t i = 0; i < 100; ++i)
        parts.push_back(take(2500));
    EXPECT_LT(driver.buffers.size(), 12u);
}

TEST_F(SharedBuffers, OtherUses_OtherBuffers)
{
    const BufferPart upload = take(64);
    const BufferPart status = take(64, BufferUse::Readback);
    const BufferPart arguments = take(64, BufferUse::Indirect);
    EXPECT_EQ((std::set<VkBuffer>{upload.buffer(), status.buffer(), arguments.buffer()}).size(), 3u);
    EXPECT_NE(status.data(), nullptr);
    EXPECT_EQ(arguments.data(), nullptr);
}

TEST_F(SharedBuffers, Cleared_PartsKeepTheirBufferAndShareItNoMore)
{
    BufferPart before = take(64);
    shared.clear();
    BufferPart after = take(64);
    EXPECT_NE(before.buffer(), after.buffer());
    EXPECT_EQ(driver.buffers.size(), 2u);
    before = {};
    EXPECT_EQ(driver.buffers, std::set<uintptr_t>{idOf(after.buffer())});
    shared.clear();
    EXPECT_EQ(driver.buffers.size(), 1u);
    after = {};
    EXPECT_TRUE(driver.buffers.empty());
}

TEST_F(SharedBuffers, NoMemoryForABuffer_ErrorAndThoseThatAreThereGoOn)
{
    const BufferPart first = take(64);
    driver.creation = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    BufferPart none;
    EXPECT_EQ(shared.take(*memory, {}, BufferUse::Upload, VkDeviceSize{1} << 20, none), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(none.buffer(), VkBuffer{VK_NULL_HANDLE});
    EXPECT_EQ(none.address(), 0u);
    EXPECT_EQ(take(64).buffer(), first.buffer());
    driver.creation = VK_SUCCESS;
}

}  // namespace

}  // namespace millrace::runtime
