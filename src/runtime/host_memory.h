// SPDX-License-Identifier: Apache-2.0
// Allocation callbacks for objects of ours. Those of the application may be called on its own threads alone and during
// its calls alone, and an object without callbacks has those of the device. Ours may be called any time, on any thread.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::runtime {

const VkAllocationCallbacks* hostMemory();

}  // namespace millrace::runtime
