// SPDX-License-Identifier: Apache-2.0
// Descriptor update templates for push descriptors: how to read their data.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

namespace millrace::layer {

struct UpdateTemplate {
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    VkPipelineBindPoint bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
};

}  // namespace millrace::layer
