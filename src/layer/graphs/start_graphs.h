// SPDX-License-Identifier: Apache-2.0
// What graphs need on a device.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

struct Device;

// Device::runtime and what stands on it, for a device that has just been created with `createInfo`. Requires:
// Device::usesGraphs(). Errors are those of vkCreateDevice.
VkResult startGraphs(Device& device, const VkDeviceCreateInfo& createInfo);

}  // namespace millrace::layer
