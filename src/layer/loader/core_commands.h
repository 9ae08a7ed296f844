// SPDX-License-Identifier: Apache-2.0
// In which version of Vulkan commands became part of it.
#pragma once

#include <cstdint>

namespace millrace::layer {

// Of a device command: 1.1, 1.2 or 1.3; 1.0 for all others, also for those of extensions and of later versions.
uint32_t coreVersionOf(const char* name);

}  // namespace millrace::layer
