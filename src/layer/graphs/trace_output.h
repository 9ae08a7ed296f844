// SPDX-License-Identifier: Apache-2.0
// Setting "trace": what graphs do, into a file.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

struct Device;

// Begins a trace if the setting asks for one.
VkResult startTrace(Device& device);

}  // namespace millrace::layer
