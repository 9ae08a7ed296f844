// SPDX-License-Identifier: Apache-2.0
// Vulkan Memory Allocator with the functions of dispatch tables: neither layer nor tools link the loader.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#include <vk_mem_alloc.h>

namespace millrace::runtime {

VmaVulkanFunctions vmaFunctions(const VkuInstanceDispatchTable& instance, const VkuDeviceDispatchTable& device);

}  // namespace millrace::runtime
