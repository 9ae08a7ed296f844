// SPDX-License-Identifier: Apache-2.0
// A device with counters that shaders add to (shaders/tell.glsl), in a descriptor set.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/vulkan_test.h"

namespace millrace::commands {

inline constexpr uint32_t kCounters = 4096;  // shaders/tell.glsl

class VariantTest : public harness::VulkanTest {
protected:
    void SetUp() override;
    void TearDown() override;

    // What is made here goes when the test ends, the last first.
    void onEnd(std::function<void()> action) { m_cleanup.insert(m_cleanup.begin(), std::move(action)); }
    harness::Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    VkPipelineLayout createPipelineLayout(VkShaderStageFlags stages, uint32_t pushBytes);
    void bindSet(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipelineLayout layout);
    // The counters after the commands, from 0 on.
    std::vector<uint32_t> count(const std::function<void(VkCommandBuffer)>& record);

    harness::Device* m_device = nullptr;

private:
    void createSet();

    harness::Buffer m_counters;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    std::vector<std::function<void()>> m_cleanup;
};

}  // namespace millrace::commands
