// SPDX-License-Identifier: Apache-2.0
#include "drivers/device_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace millrace::drivers {

namespace {

DeviceFile parsed(const std::string& text)
{
    Result<DeviceFile> file = parseDevice(text);
    EXPECT_TRUE(file) << file.error().text();
    return file ? *file : DeviceFile{};
}

TEST(DeviceFile, EachDirection_OnlyLowers)
{
    const DeviceFile file = parsed(
        "# all three\n\nmaxComputeWorkGroupSize = 128 4096 64 | x\nminStorageBufferOffsetAlignment = 256 | x\n"
        "nonCoherentAtomSize = 1 | x\nsubgroupSupportedOperations = 5 | x\n");
    VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    subgroups.supportedOperations = 15;  // another name
    VkPhysicalDeviceVulkan11Properties properties11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                    &subgroups};
    properties11.subgroupSupportedOperations = 12;
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    VkPhysicalDeviceLimits& limits = all.properties.limits;
    for (uint32_t& size : limits.maxComputeWorkGroupSize)
        size = 1024;
    limits.minStorageBufferOffsetAlignment = 16;
    limits.nonCoherentAtomSize = 64;
    file.lower(&all);
    EXPECT_EQ(limits.maxComputeWorkGroupSize[0], 128u);
    EXPECT_EQ(limits.maxComputeWorkGroupSize[1], 1024u);
    EXPECT_EQ(limits.maxComputeWorkGroupSize[2], 64u);
    EXPECT_EQ(limits.minStorageBufferOffsetAlignment, 256u);
    EXPECT_EQ(limits.nonCoherentAtomSize, 64u);
    EXPECT_EQ(properties11.subgroupSupportedOperations, 4u);
    EXPECT_EQ(subgroups.supportedOperations, 15u);
}

TEST(DeviceFile, RangeOfSubgroupSizes_OnlyGrows)
{
    const DeviceFile file = parsed("minSubgroupSize = 4 | x\nmaxSubgroupSize = 32 | x\n");
    VkPhysicalDeviceSubgroupSizeControlProperties sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    sizes.minSubgroupSize = sizes.maxSubgroupSize = 8;
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
    file.lower(&all);
    EXPECT_EQ(sizes.minSubgroupSize, 4u);
    EXPECT_EQ(sizes.maxSubgroupSize, 32u);
    sizes.minSubgroupSize = sizes.maxSubgroupSize = 2;
    file.lower(&all);
    EXPECT_EQ(sizes.minSubgroupSize, 2u);
    EXPECT_EQ(sizes.maxSubgroupSize, 32u);
}

TEST(DeviceFile, Version_OnlyFalls)
{
    const DeviceFile file = parsed("apiVersion = 1 2 175 | x\n");
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    all.properties.apiVersion = VK_API_VERSION_1_3;
    file.lower(&all);
    EXPECT_EQ(all.properties.apiVersion, VK_MAKE_API_VERSION(0, 1, 2, 175));
    all.properties.apiVersion = VK_API_VERSION_1_1;
    file.lower(&all);
    EXPECT_EQ(all.properties.apiVersion, VK_API_VERSION_1_1);
}

TEST(DeviceFile, FeaturesGo_AndCannotBeEnabled)
{
    const DeviceFile file = parsed("shaderInt64 = 0 | x\nbufferDeviceAddress = 0 | x\n-VK_EXT_mesh_shader | x\n");
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    EXPECT_FALSE(file.enablesMore(&all));
    features12.bufferDeviceAddress = VK_TRUE;
    EXPECT_TRUE(file.enablesMore(&all));
    all.features.shaderInt64 = all.features.shaderInt16 = VK_TRUE;
    file.lower(&all);
    EXPECT_FALSE(features12.bufferDeviceAddress);
    EXPECT_FALSE(all.features.shaderInt64);
    EXPECT_TRUE(all.features.shaderInt16);
    EXPECT_FALSE(file.enablesMore(&all));
    EXPECT_TRUE(file.hiddenExtensions.contains("VK_EXT_mesh_shader"));
}

TEST(DeviceFile, QueueAndMemory_AreTheDriversUnlessSaid)
{
    const DeviceFile file = parsed("oneQueue = 1 | x\nleastMemory = 1 | x\n");
    EXPECT_TRUE(file.hasOneQueue);
    EXPECT_TRUE(file.hasLeastMemory);
    EXPECT_FALSE(parsed("leastMemory = 1 | x\n").hasOneQueue);
    EXPECT_FALSE(parsed("oneQueue = 1 | x\n").hasLeastMemory);
}

// The driver knows nothing of them, and so leaves what it finds there.
TEST(DeviceFile, FeaturesOfPortability_AreThereUnlessTheFileSaysOtherwise)
{
    VkPhysicalDevicePortabilitySubsetFeaturesKHR features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
    VkPhysicalDevicePortabilitySubsetPropertiesKHR properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_PROPERTIES_KHR};
    const DeviceFile file =
        parsed("+VK_KHR_portability_subset | x\nevents = 0 | x\nminVertexInputBindingStrideAlignment = 4 | x\n");
    file.lower(&all);
    file.lower(&properties);
    EXPECT_FALSE(features.events);
    EXPECT_TRUE(features.constantAlphaColorBlendFactors);
    EXPECT_TRUE(features.vertexAttributeAccessBeyondStride);
    EXPECT_EQ(properties.minVertexInputBindingStrideAlignment, 4u);
    EXPECT_FALSE(file.enablesMore(VK_NULL_HANDLE));
    features.events = VK_TRUE;
    EXPECT_TRUE(file.enablesMore(&all));

    parsed("+VK_KHR_portability_subset | x\n").lower(&properties);
    EXPECT_EQ(properties.minVertexInputBindingStrideAlignment, 1u);
    features.triangleFans = VK_FALSE;
    parsed("shaderInt64 = 0 | x\n").lower(&all);
    EXPECT_FALSE(features.triangleFans);
}

TEST(DeviceFile, WrongLines_AreNamed)
{
    for (const char* line :
         {"shaderInt64 = 0", "shaderInt64 = 0 |", "shaderInt64 = 1 | x", "shaderInt64 | x", "nothing = 0 | x",
          "maxComputeWorkGroupSize = 1 | x", "nonCoherentAtomSize = many | x", "subgroupSize = 4 | x",
          "-VK_x | x\n-VK_x | x", "apiVersion = 1 2 | x", "apiVersion = 1 2 3 | x\napiVersion = 1 2 3 | x",
          "shaderInt64 = 0 | x\nshaderInt64 = 0 | x", "+VK_EXT_mesh_shader | x",
          "+VK_KHR_portability_subset | x\n+VK_KHR_portability_subset | x", "oneQueue = 0 | x", "leastMemory = 1 1 | x",
          "oneQueue = 1 | x\noneQueue = 1 | x"}) {
        const Result<DeviceFile> file = parseDevice(line);
        ASSERT_FALSE(file) << line;
        EXPECT_NE(file.error().where.find("line "), std::string::npos);
    }
}

TEST(DeviceFile, FilesOfTheTests_AreRight)
{
    uint32_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_TEST_DEVICES)) {
        std::ifstream in(entry.path());
        std::ostringstream text;
        text << in.rdbuf();
        const Result<DeviceFile> file = parseDevice(text.str());
        EXPECT_TRUE(file) << entry.path() << file.error().text();
        EXPECT_TRUE(file && (!file->values.empty() || !file->hiddenExtensions.empty() || file->isPortabilitySubset ||
                             file->apiVersion != UINT32_MAX))
            << entry.path();
        ++count;
    }
    EXPECT_GT(count, 0u);
}

}  // namespace

}  // namespace millrace::drivers
