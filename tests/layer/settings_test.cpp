// SPDX-License-Identifier: Apache-2.0
// Settings reach the layer in every way. max_scratch_mib can be seen from outside: it bounds maxSize.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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

VkDeviceSize maxScratch(const InstanceOptions& options = {})
{
    TestDevice device(options);
    const VkShaderModule module = device.createProgram("recurse");
    const Graph graph = device.createGraph({TestDevice::stage(module, "recurse")});
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    MILLRACE_CHECK(device.getScratchSize(device.handle, graph.pipeline, &size));
    EXPECT_GT(size.minSize, 0u);
    EXPECT_LE(size.minSize, size.maxSize);
    EXPECT_EQ((size.maxSize - size.minSize) % size.sizeGranularity, 0u);
    return size.maxSize;
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
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "millrace_settings";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vk_layer_settings.txt") << "millrace_emulation.max_scratch_mib = 7\n";
    const Variable variable("VK_LAYER_SETTINGS_PATH", folder.string());
    const VkDeviceSize size = maxScratch();
    EXPECT_GT(size, 6 * kMib);
    EXPECT_LE(size, 7 * kMib);
    std::filesystem::remove_all(folder);
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
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "millrace_unknown_settings";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vk_layer_settings.txt")
        << "# millrace_emulation.comment = 1\nother_layer.max = 3\nmillrace_emulation.max_scratch_mb = 7\n";
    const Variable file("VK_LAYER_SETTINGS_PATH", folder.string());
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
    std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace millrace::layertest
