// SPDX-License-Identifier: Apache-2.0
// A device that a file describes is what programs and layers above see, beside what they ask in one structure and
// another.
#include <gtest/gtest.h>

#include "harness/vulkan_test.h"

namespace millrace::drivers {

namespace {

class Lowered : public harness::VulkanTest {};

TEST_F(Lowered, LimitsAndFeatures_AreTheFiles)
{
    harness::Device& least = device();
    VkPhysicalDeviceVulkan11Properties properties11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                                  &properties11};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &memory};
    vkGetPhysicalDeviceProperties2(least.physical, &all);
    VkPhysicalDeviceProperties alone;
    vkGetPhysicalDeviceProperties(least.physical, &alone);
    for (const VkPhysicalDeviceLimits& limits : {all.properties.limits, alone.limits}) {
        EXPECT_EQ(limits.maxComputeWorkGroupInvocations, 128u);
        EXPECT_EQ(limits.maxComputeWorkGroupSize[0], 128u);
        EXPECT_EQ(limits.maxComputeWorkGroupSize[2], 64u);
        EXPECT_EQ(limits.maxComputeSharedMemorySize, 16384u);
        EXPECT_EQ(limits.nonCoherentAtomSize, 256u);
        EXPECT_EQ(limits.minStorageBufferOffsetAlignment, 256u);
    }
    EXPECT_EQ(memory.maxMemoryAllocationSize, VkDeviceSize{1} << 30);
    EXPECT_EQ(properties11.maxMemoryAllocationSize, VkDeviceSize{1} << 30);
    EXPECT_FALSE(least.features12.scalarBlockLayout);
    EXPECT_FALSE(least.features.features.shaderInt64);
    EXPECT_EQ(properties11.subgroupSupportedOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT});
    EXPECT_TRUE(least.enqueueFeatures.shaderEnqueue);
}

TEST_F(Lowered, Queues_AreOne)
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device().physical, &count, nullptr);
    ASSERT_EQ(count, 1u);
    VkQueueFamilyProperties alone;
    vkGetPhysicalDeviceQueueFamilyProperties(device().physical, &count, &alone);
    VkQueueFamilyProperties2 second{VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2};
    vkGetPhysicalDeviceQueueFamilyProperties2(device().physical, &count, &second);
    EXPECT_EQ(alone.queueCount, 1u);
    EXPECT_EQ(second.queueFamilyProperties.queueCount, 1u);
}

TEST_F(Lowered, AllocationLargerThanTheFiles_Fails)
{
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = (VkDeviceSize{1} << 30) + 1;
    info.memoryTypeIndex = device().memoryType(UINT32_MAX, {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_EQ(vkAllocateMemory(device().device, &info, nullptr, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    device().takeMessages();  // the validation layer says so too
}

void copy(harness::Device& device, const harness::Buffer& from, const harness::Buffer& to)
{
    device.submit([&](VkCommandBuffer cmd) {
        const VkBufferCopy all{0, 0, from.size};
        vkCmdCopyBuffer(cmd, from.handle, to.handle, 1, &all);
        harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT);
    });
}

// First that the layer below does what it is for: relying on coherence fails. Then that what Vulkan has for it works.
TEST_F(Lowered, HostMemory_IsCoherentOnlyWhereItSaysSo)
{
    harness::Device& least = device();
    const harness::Buffer coherent =
        least.createBuffer(256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const harness::Buffer cached =
        least.createMappedBuffer(256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 {VK_MEMORY_PROPERTY_HOST_CACHED_BIT});  // which is not coherent here
    const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, cached.memory.handle, 0,
                                  VK_WHOLE_SIZE};
    cached.words()[0] = 7;
    copy(least, cached, coherent);
    EXPECT_NE(coherent.words()[0], 7u);
    harness::check(vkFlushMappedMemoryRanges(least.device, 1, &all), "vkFlushMappedMemoryRanges");
    copy(least, cached, coherent);
    EXPECT_EQ(coherent.words()[0], 7u);

    coherent.words()[0] = 8;
    copy(least, coherent, cached);
    EXPECT_EQ(cached.words()[0], 7u);
    harness::check(vkInvalidateMappedMemoryRanges(least.device, 1, &all), "vkInvalidateMappedMemoryRanges");
    EXPECT_EQ(cached.words()[0], 8u);
    least.destroyBuffer(coherent);
    least.destroyBuffer(cached);
}

}  // namespace

}  // namespace millrace::drivers
