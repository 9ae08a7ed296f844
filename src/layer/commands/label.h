// SPDX-License-Identifier: Apache-2.0
// Debug labels around generated commands (VK_EXT_debug_utils).
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "layer/loader/device.h"

namespace millrace::layer {

class Label {
public:
    // Does nothing where nobody below takes labels.
    Label(const Device& device, VkCommandBuffer commandBuffer, const std::string& text)
        : m_device(device), m_commandBuffer(device.settings().runtime.labels ? commandBuffer : VK_NULL_HANDLE)
    {
        VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        label.pLabelName = text.c_str();
        if (m_commandBuffer)
            m_device.table.CmdBeginDebugUtilsLabelEXT(m_commandBuffer, &label);
    }
    ~Label()
    {
        if (m_commandBuffer)
            m_device.table.CmdEndDebugUtilsLabelEXT(m_commandBuffer);
    }
    Label(const Label&) = delete;
    Label& operator=(const Label&) = delete;

private:
    const Device& m_device;
    const VkCommandBuffer m_commandBuffer;
};

}  // namespace millrace::layer
