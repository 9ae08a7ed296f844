// SPDX-License-Identifier: Apache-2.0
// Settings reach the layer in every way. max_scratch_mib can be seen from outside: it bounds maxSize.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>

#include "harness/temporary_folder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

// Sets an environment variable for the life of the object.
class Variable {
public:
    Variable(const char* name, const std::string& value) : m_name(name) { setenv(name, value.c_str(), 1); }
    ~Variable() { unsetenv(m_name); }

private:
    const char* m_name;
};

VkDeviceSize maxScratch(TestDevice& device)
{
    const VkShaderModule module = device.createProgram("recurse");
    const Graph graph = device.createGraph({TestDevice::stage(module, "recurse")});
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    MILLRACE_CHECK(device.getScratchSize(device.handle, graph.pipeline, &size));
    EXPECT_GT(size.minSize, 0u);
    EXPECT_LE(size.minSize, size.maxSize);
    EXPECT_EQ((size.maxSize - size.minSize) % size.sizeGranularity, 0u);
    return size.maxSize;
}

VkDeviceSize maxScratch(const InstanceOptions& options = {})
{
    TestDevice device(options);
    return maxScratch(device);
}

constexpr VkDeviceSize kMib = 1 << 20;

TEST(Settings, ByDefault_QuarterOfAGibibyte)
{
    EXPECT_GT(maxScratch(), 255 * kMib);
    EXPECT_LE(maxScratch(), 256 * kMib);
}

TEST(Settings, LayerSettingsStructure)
{
    const VkDeviceSize size = maxScratch({.settings = {{"max_scratch_mib", "3"}}});
    EXPECT_GT(size, 2 * kMib);
    EXPECT_LE(size, 3 * kMib);
}

TEST(Settings, EnvironmentVariable)
{
    const Variable variable("VK_MILLRACE_EMULATION_MAX_SCRATCH_MIB", "5");
    const VkDeviceSize size = maxScratch();
    EXPECT_GT(size, 4 * kMib);
    EXPECT_LE(size, 5 * kMib);
}

TEST(Settings, File)
{
    const TemporaryFolder folder;
    std::ofstream(folder.file("vk_layer_settings.txt")) << "millrace_emulation.max_scratch_mib = 7\n";
    const Variable variable("VK_LAYER_SETTINGS_PATH", folder.path().string());
    const VkDeviceSize size = maxScratch();
    EXPECT_GT(size, 6 * kMib);
    EXPECT_LE(size, 7 * kMib);
}

VkDeviceSize mostBufferBytes(VkPhysicalDevice physical)
{
    VkPhysicalDeviceMaintenance3Properties memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceMaintenance4Properties buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, &memory};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &buffer};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    VkPhysicalDeviceMemoryProperties heaps;
    vkGetPhysicalDeviceMemoryProperties(physical, &heaps);
    VkDeviceSize largest = 0;
    for (const VkMemoryHeap& heap : std::span(heaps.memoryHeaps, heaps.memoryHeapCount))
        largest = std::max(largest, heap.size);
    return std::min({memory.maxMemoryAllocationSize, buffer.maxBufferSize, largest});
}

// Bytes of memory for scratch memory of that size.
VkDeviceSize bufferNeeds(TestDevice& device, VkDeviceSize size)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateBuffer(device.handle, &info, nullptr, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.handle, buffer, &needs);
    vkDestroyBuffer(device.handle, buffer, nullptr);
    return needs.size;
}

// Applications mostly allocate maxSize, so a buffer may have it. No more than a pebibyte is anywhere.
TEST(Settings, MoreThanABufferHas_AsMuchAsThat_ToldOnce)
{
    TestDevice device({.settings = {{"max_scratch_mib", "1073741824"}}});
    const std::vector<Message> messages = device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    const std::string most = std::to_string(mostBufferBytes(device.physical) / kMib);
    EXPECT_EQ(messages[0].id, "Millrace-setting");
    EXPECT_EQ(messages[0].text.find("setting max_scratch_mib is 1073741824, and a buffer has at most " + most +
                                    " MiB on this device; using " + most),
              0u)
        << messages[0].text;
    const VkDeviceSize size = maxScratch(device);
    EXPECT_GT(size, mostBufferBytes(device.physical) - 2 * kMib);
    EXPECT_LE(bufferNeeds(device, size), mostBufferBytes(device.physical));
}

TEST(Settings, WhatIsNoNumber_LeavesTheDefault)
{
    const Variable variable("VK_MILLRACE_EMULATION_MAX_SCRATCH_MIB", "much");
    EXPECT_GT(maxScratch(), 255 * kMib);
}

TEST(Settings, EnvironmentWinsOverTheApplication)
{
    const Variable variable("VK_MILLRACE_EMULATION_MAX_SCRATCH_MIB", "5");
    EXPECT_GT(maxScratch({.settings = {{"max_scratch_mib", "3"}}}), 4 * kMib);
}

// Lists reach the layer in each way as well: the utility library splits them at commas by itself.
TEST(Settings, Lists)
{
    {
        const Variable disable("VK_MILLRACE_EMULATION_DISABLE", "measuring, everything");
        const Variable traits("VK_MILLRACE_EMULATION_TRAITS", "spin_us=1, spin_me=1");
        TestInstance instance({.chained = true});
        EXPECT_EQ(instance.takeMessages().size(), 2u);
    }
    TestInstance instance({.chained = true, .settings = {{"traits", "spin_us=1,grid_groups=2,leaf_row=3"}}});
    instance.expectMessage("Millrace-setting");
}

// What names no setting is told, wherever it stands. Other layers' settings are theirs.
TEST(Settings, Unknown_Told)
{
    const TemporaryFolder folder;
    std::ofstream(folder.file("vk_layer_settings.txt"))
        << "# millrace_emulation.comment = 1\nother_layer.max = 3\nmillrace_emulation.max_scratch_mb = 7\n";
    const Variable file("VK_LAYER_SETTINGS_PATH", folder.path().string());
    const Variable variable("VK_MILLRACE_EMULATION_TRACES", "a");
    TestInstance instance({.chained = true, .settings = {{"leaf", "off"}}});
    const std::vector<Message> messages = instance.takeMessages();
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(
        messages[0].text.find("there is no setting \"traces\" (VK_MILLRACE_EMULATION_TRACES); did you mean \"trace\"?"),
        0u)
        << messages[0].text;
    EXPECT_NE(messages[1].text.find("vk_layer_settings.txt, line 3); did you mean \"max_scratch_mib\"?"),
              std::string::npos)
        << messages[1].text;
    EXPECT_NE(messages[2].text.find("it can be disabled: disable = leaf"), std::string::npos) << messages[2].text;
}

}  // namespace

}  // namespace millrace::layertest
