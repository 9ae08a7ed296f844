// SPDX-License-Identifier: Apache-2.0
// The implementation of Vulkan Memory Allocator. All functions come from our dispatch tables.
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
