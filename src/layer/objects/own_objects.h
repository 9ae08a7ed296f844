// SPDX-License-Identifier: Apache-2.0
// Objects that only the layer knows: the driver never sees their handles.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::layer {

struct Device;

// `handle`: handleId(). Any thread.
bool isOurs(const Device& device, VkObjectType type, uint64_t handle);

}  // namespace millrace::layer
