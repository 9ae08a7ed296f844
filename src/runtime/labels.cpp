// SPDX-License-Identifier: Apache-2.0
#include "runtime/labels.h"

namespace millrace::runtime {

Label::Label(const Device::Impl& device, VkCommandBuffer commandBuffer, const std::string& text)
    : m_device(device), m_commandBuffer(commandBuffer)
{
    if (!device.settings.labels || !device.table->CmdBeginDebugUtilsLabelEXT)
        return;
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = text.c_str();
    device.table->CmdBeginDebugUtilsLabelEXT(commandBuffer, &label);
    m_open = true;
}

Label::~Label()
{
    if (m_open)
        m_device.table->CmdEndDebugUtilsLabelEXT(m_commandBuffer);
}

}  // namespace millrace::runtime
