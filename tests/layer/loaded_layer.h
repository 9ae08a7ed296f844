// SPDX-License-Identifier: Apache-2.0
// What the layers for tests have in common: how the loader makes and asks them, and what is below them. Each defines
// ownFunction().
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <map>
#include <string>

namespace millrace::layertest {

struct InstanceBelow {
    VkInstance handle = VK_NULL_HANDLE;
    VkuInstanceDispatchTable table{};
};

struct DeviceBelow {
    const InstanceBelow* instance = nullptr;
    VkuDeviceDispatchTable table{};
    bool maintenance5 = false;  // VK_KHR_maintenance5 is enabled
};

// Both of a dispatchable object's key: all objects of an instance or a device have the same.
InstanceBelow& instanceBelow(void* key);
DeviceBelow& deviceBelow(void* key);

template <typename Handle>
void* keyOf(Handle handle)
{
    return *reinterpret_cast<void**>(handle);
}
template <typename Handle>
InstanceBelow& instanceOf(Handle handle)
{
    return instanceBelow(keyOf(handle));
}
template <typename Handle>
DeviceBelow& deviceOf(Handle handle)
{
    return deviceBelow(keyOf(handle));
}

bool enables(const VkDeviceCreateInfo& info, const char* extension);

// For layers that have something to add.
VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out);

using Functions = std::map<std::string, PFN_vkVoidFunction>;

// A layer's own commands by name. Those that make and destroy instances and devices are there without it.
const Functions& ownFunctions();

// True for commands of extensions that the layer itself implements. Others exist where they do below it.
bool provides(const std::string& name);

}  // namespace millrace::layertest
