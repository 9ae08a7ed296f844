// SPDX-License-Identifier: Apache-2.0
#include "layer/loaded_layer.h"

#include <vulkan/vk_layer.h>

#include <cstring>
#include <mutex>

namespace millrace::layertest {

namespace {

struct Below {
    std::mutex mutex;
    std::map<void*, InstanceBelow> instances;
    std::map<void*, DeviceBelow> devices;
};

Below& below()
{
    static Below& all = *new Below;  // never destroyed: applications may destroy devices when the process ends
    return all;
}

template <typename Info>
auto* linkOf(const void* chain, VkStructureType type)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext) {
        auto* info = const_cast<Info*>(reinterpret_cast<const Info*>(item));
        if (item->sType == type && info->function == VK_LAYER_LINK_INFO)
            return info;
    }
    return static_cast<Info*>(nullptr);
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* out)
{
    auto* link = linkOf<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result =
        reinterpret_cast<PFN_vkCreateInstance>(next(nullptr, "vkCreateInstance"))(info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    const std::lock_guard lock(below().mutex);
    InstanceBelow& instance = below().instances[keyOf(*out)];
    instance.handle = *out;
    vkuInitInstanceDispatchTable(*out, &instance.table, next);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyInstance(VkInstance handle, const VkAllocationCallbacks* allocator)
{
    const PFN_vkDestroyInstance next = instanceOf(handle).table.DestroyInstance;
    {
        const std::lock_guard lock(below().mutex);
        below().instances.erase(keyOf(handle));
    }
    next(handle, allocator);
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator)
{
    const PFN_vkDestroyDevice next = deviceOf(handle).table.DestroyDevice;
    {
        const std::lock_guard lock(below().mutex);
        below().devices.erase(keyOf(handle));
    }
    next(handle, allocator);
}

PFN_vkVoidFunction find(const char* name);

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice handle, const char* name)
{
    const PFN_vkVoidFunction next = deviceOf(handle).table.GetDeviceProcAddr(handle, name);
    const PFN_vkVoidFunction own = find(name);
    return own && (next || provides(name)) ? own : next;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance handle, const char* name)
{
    if (const PFN_vkVoidFunction own = find(name))
        return own;
    return handle ? instanceOf(handle).table.GetInstanceProcAddr(handle, name) : nullptr;
}

PFN_vkVoidFunction find(const char* name)
{
    static const Functions always = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(createInstance)},
        {"vkDestroyInstance", reinterpret_cast<PFN_vkVoidFunction>(destroyInstance)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(createDevice)},
        {"vkDestroyDevice", reinterpret_cast<PFN_vkVoidFunction>(destroyDevice)},
    };
    for (const Functions* functions : {&ownFunctions(), &always})
        if (const auto found = functions->find(name); found != functions->end())
            return found->second;
    return nullptr;
}

}  // namespace

InstanceBelow& instanceBelow(void* key)
{
    const std::lock_guard lock(below().mutex);
    return below().instances.at(key);
}

DeviceBelow& deviceBelow(void* key)
{
    const std::lock_guard lock(below().mutex);
    return below().devices.at(key);
}

bool enables(const VkDeviceCreateInfo& info, const char* extension)
{
    for (uint32_t i = 0; i < info.enabledExtensionCount; ++i)
        if (std::strcmp(info.ppEnabledExtensionNames[i], extension) == 0)
            return true;
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    const InstanceBelow& instance = instanceOf(physical);
    auto* link = linkOf<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    const VkLayerDeviceLink own = *link->u.pLayerInfo;
    link->u.pLayerInfo = own.pNext;
    auto create =
        reinterpret_cast<PFN_vkCreateDevice>(own.pfnNextGetInstanceProcAddr(instance.handle, "vkCreateDevice"));
    const bool maintenance5 = enables(*info, VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    const VkResult result = create(physical, info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    const std::lock_guard lock(below().mutex);
    DeviceBelow& device = below().devices[keyOf(*out)];
    device.instance = &instance;
    device.maintenance5 = maintenance5;
    vkuInitDeviceDispatchTable(*out, &device.table, own.pfnNextGetDeviceProcAddr);
    return VK_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation)
{
    negotiation->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    negotiation->pfnGetInstanceProcAddr = getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}

}  // namespace millrace::layertest
