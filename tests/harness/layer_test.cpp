// SPDX-License-Identifier: Apache-2.0
// The tests test what they claim to: the layer of this build tree, with validation below it.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/vulkan_test.h"

namespace millrace::harness {

namespace {

class Harness : public VulkanTest {};

TEST_F(Harness, LoadedLayer_IsThatOfTheBuildTree)
{
    const char* wanted = std::getenv("MILLRACE_TEST_LAYER_LIBRARY");
    ASSERT_NE(wanted, nullptr) << "ctest sets MILLRACE_TEST_LAYER_LIBRARY";
    device();
    std::vector<std::string> loaded;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const size_t at = line.find('/');
        const std::string file = at == std::string::npos ? "" : line.substr(at);
        if (file.find("VkLayer_MILLRACE") != std::string::npos && (loaded.empty() || loaded.back() != file))
            loaded.push_back(file);
    }
    ASSERT_EQ(loaded.size(), 1u) << "exactly one file of the layer is loaded";
    EXPECT_EQ(std::filesystem::canonical(loaded[0]), std::filesystem::canonical(wanted));
}

TEST_F(Harness, Validation_SpeaksUp)
{
    Device& used = device();
    if (!used.validated)
        GTEST_SKIP() << "validation is off";
    // Zero bytes are not allowed: VUID-VkBufferCreateInfo-size-00912.
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vkCreateBuffer(used.device, &info, nullptr, &buffer) == VK_SUCCESS)
        vkDestroyBuffer(used.device, buffer, nullptr);
    expectMessage(used, "VUID-VkBufferCreateInfo-size-00912");
}

TEST_F(Harness, SynchronizationValidation_SpeaksUp)
{
    Device& used = device();
    if (!used.validated)
        GTEST_SKIP() << "validation is off";
    Buffer buffer = used.createBuffer(64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    used.submit([&](VkCommandBuffer cmd) {
        vkCmdFillBuffer(cmd, buffer.handle, 0, 64, 1);
        vkCmdFillBuffer(cmd, buffer.handle, 0, 64, 2);  // no barrier
    });
    used.destroyBuffer(buffer);
    expectMessage(used, "SYNC-HAZARD-WRITE-AFTER-WRITE");
}

TEST_F(Harness, Device_HasTheFeature)
{
    Device& used = device();
    EXPECT_EQ(used.enqueueFeatures.shaderEnqueue, VK_TRUE) << used.properties.deviceName;
    std::printf("device: %s\n", used.properties.deviceName);
}

}  // namespace

}  // namespace millrace::harness
