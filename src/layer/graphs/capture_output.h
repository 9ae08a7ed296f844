// SPDX-License-Identifier: Apache-2.0
// Settings "capture" and "capture_file": payloads that nodes receive, into a file.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

struct Device;

// Begins to capture if the setting asks for it. What cannot be read or written is a warning, and nothing is captured.
VkResult startCapture(Device& device);

}  // namespace millrace::layer
