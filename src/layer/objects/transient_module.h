// SPDX-License-Identifier: Apache-2.0
// A shader module of the driver's that is gone when its pipeline has been made.
#pragma once

#include <vulkan/vulkan.h>

#include <span>

namespace millrace::layer {

struct Device;

class TransientModule {
public:
    TransientModule(const Device& device, std::span<const uint32_t> words);
    ~TransientModule();
    TransientModule(const TransientModule&) = delete;
    TransientModule& operator=(const TransientModule&) = delete;

    // The driver's error if there is no module.
    VkResult result() const { return m_result; }
    VkShaderModule handle() const { return m_handle; }
    // The stage of a compute pipeline that begins in "main".
    VkPipelineShaderStageCreateInfo stage() const;

private:
    const Device& m_device;
    VkResult m_result = VK_SUCCESS;
    VkShaderModule m_handle = VK_NULL_HANDLE;
};

}  // namespace millrace::layer
