// SPDX-License-Identifier: Apache-2.0
// Debug labels around what we record (VK_EXT_debug_utils), so that a capture reads like the graph.
#pragma once

#include <string>

#include "runtime/device_impl.h"

namespace millrace::runtime {

// Settings::labels, and the driver or a layer below takes them.
bool canLabel(const Device::Impl& device);

// Labels around sweeps, levels and steps.
ObserverFactory labelObservers(const Device::Impl& device);

class Label {
public:
    // Does nothing unless canLabel().
    Label(const Device::Impl& device, VkCommandBuffer commandBuffer, const std::string& text);
    ~Label();
    Label(const Label&) = delete;
    Label& operator=(const Label&) = delete;

private:
    const Device::Impl& m_device;
    VkCommandBuffer m_commandBuffer;
    bool m_open = false;
};

}  // namespace millrace::runtime
