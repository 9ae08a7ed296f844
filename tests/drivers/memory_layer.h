// SPDX-License-Identifier: Apache-2.0
// Memory of a device that has as little of it as Vulkan allows (DeviceFile::hasLeastMemory), above a driver that has
// more.
//
// There are three memory types:
//     0  DEVICE_LOCAL                             cannot be mapped
//     1  DEVICE_LOCAL | HOST_VISIBLE | HOST_CACHED
//     2  HOST_VISIBLE | HOST_COHERENT
// The host sees a copy of its own of what is in memory of type 1, as if all of it were in a cache that the device does
// not know: only vkFlushMappedMemoryRanges() and vkInvalidateMappedMemoryRanges() move bytes between the two. What the
// host has not written or invalidated is 0xcc there.
#pragma once

#include "layer/loaded_layer.h"

namespace millrace::layertest {

// Of all commands that tell of memory types or map memory, and vkFreeMemory.
const Functions& memoryFunctions();

// For vkAllocateMemory, and for each device that has been created.
VKAPI_ATTR VkResult VKAPI_CALL allocateOfThree(VkDevice handle, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkDeviceMemory* out);
void noteMemoryTypes(VkPhysicalDevice physical, VkDevice handle);

}  // namespace millrace::layertest
