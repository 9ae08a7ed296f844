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
    EXPECT_TRUE(least.enqueueFeatures.shaderEnqueue);
}

}  // namespace

}  // namespace millrace::drivers
