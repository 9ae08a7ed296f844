// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: the driver has what the device file has (device_file.h) that
// MILLRACE_TEST_DEVICE_FILE names, and no more.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "drivers/device_in_use.h"
#include "drivers/memory_layer.h"
#include "layer/loaded_layer.h"

namespace millrace::layertest {

namespace {

const drivers::DeviceFile& device()
{
    return drivers::deviceInUse();
}

bool isPortabilitySubset(const char* extension)
{
    return std::strcmp(extension, VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME) == 0;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceProperties2(physical, out);
    device().lower(out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice physical, VkPhysicalDeviceProperties* out)
{
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    instanceOf(physical).table.GetPhysicalDeviceProperties(physical, &all.properties);
    device().lower(&all);
    *out = all.properties;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceFeatures2(physical, out);
    device().lower(out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice physical, VkPhysicalDeviceFeatures* out)
{
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    instanceOf(physical).table.GetPhysicalDeviceFeatures(physical, &all.features);
    device().lower(&all);
    *out = all.features;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char* layer,
                                                                  uint32_t* count, VkExtensionProperties* out)
{
    const auto& table = instanceOf(physical).table;
    uint32_t below = 0;
    table.EnumerateDeviceExtensionProperties(physical, layer, &below, nullptr);
    std::vector<VkExtensionProperties> list(below);
    table.EnumerateDeviceExtensionProperties(physical, layer, &below, list.data());
    std::erase_if(list, [](const VkExtensionProperties& extension) {
        return device().hiddenExtensions.contains(extension.extensionName) ||
               isPortabilitySubset(extension.extensionName);
    });
    if (device().isPortabilitySubset && !layer)
        list.push_back({VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME, VK_KHR_PORTABILITY_SUBSET_SPEC_VERSION});
    *count = std::min(out ? *count : UINT32_MAX, static_cast<uint32_t>(list.size()));
    if (out)
        std::copy_n(list.begin(), *count, out);
    return *count < list.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    VkPhysicalDeviceFeatures2 first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (info->pEnabledFeatures)
        first.features = *info->pEnabledFeatures;
    if (device().enablesMore(&first) || device().enablesMore(info->pNext))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    for (const std::string& name : device().hiddenExtensions)
        if (enables(*info, name.c_str()))
            return VK_ERROR_EXTENSION_NOT_PRESENT;
    // The driver does not have VK_KHR_portability_subset, and leaves its structure alone.
    std::vector<const char*> extensions(info->ppEnabledExtensionNames,
                                        info->ppEnabledExtensionNames + info->enabledExtensionCount);
    if (device().isPortabilitySubset)
        std::erase_if(extensions, isPortabilitySubset);
    VkDeviceCreateInfo below = *info;
    below.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    below.ppEnabledExtensionNames = extensions.data();
    const VkResult result = createDevice(physical, &below, allocator, out);
    if (result == VK_SUCCESS)
        noteMemoryTypes(physical, *out);
    return result;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical, uint32_t* count,
                                                                  VkQueueFamilyProperties* out)
{
    instanceOf(physical).table.GetPhysicalDeviceQueueFamilyProperties(physical, count, out);
    if (device().hasOneQueue)
        *count = std::min(*count, 1u);
    if (device().hasOneQueue && out && *count > 0)
        out->queueCount = 1;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physical, uint32_t* count,
                                                                   VkQueueFamilyProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceQueueFamilyProperties2(physical, count, out);
    if (device().hasOneQueue)
        *count = std::min(*count, 1u);
    if (device().hasOneQueue && out && *count > 0)
        out->queueFamilyProperties.queueCount = 1;
}

// A driver may allow more than it promises. This one does not.
VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* out)
{
    const auto most = device().values.find("maxMemoryAllocationSize");
    if (most != device().values.end() && info->allocationSize > most->second.front())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return device().hasLeastMemory ? allocateOfThree(handle, info, allocator, out)
                                   : deviceOf(handle).table.AllocateMemory(handle, info, allocator, out);
}

// Where the device has no events, whoever makes one fails the test, whether or not the validation layer is there.
VKAPI_ATTR VkResult VKAPI_CALL CreateEvent(VkDevice handle, const VkEventCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkEvent* out)
{
    if (device().isPortabilitySubset && device().values.contains("events")) {
        std::fprintf(stderr,
                     "vkCreateEvent on a device without VkPhysicalDevicePortabilitySubsetFeaturesKHR::events\n");
        std::abort();
    }
    return deviceOf(handle).table.CreateEvent(handle, info, allocator, out);
}

template <typename Function>
PFN_vkVoidFunction pointer(Function* function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = [] {
        Functions all = {
            {"vkGetPhysicalDeviceProperties", pointer(GetPhysicalDeviceProperties)},
            {"vkGetPhysicalDeviceProperties2", pointer(GetPhysicalDeviceProperties2)},
            {"vkGetPhysicalDeviceProperties2KHR", pointer(GetPhysicalDeviceProperties2)},
            {"vkGetPhysicalDeviceFeatures", pointer(GetPhysicalDeviceFeatures)},
            {"vkGetPhysicalDeviceFeatures2", pointer(GetPhysicalDeviceFeatures2)},
            {"vkGetPhysicalDeviceFeatures2KHR", pointer(GetPhysicalDeviceFeatures2)},
            {"vkEnumerateDeviceExtensionProperties", pointer(EnumerateDeviceExtensionProperties)},
            {"vkCreateDevice", pointer(CreateDevice)},
            {"vkCreateEvent", pointer(CreateEvent)},
            {"vkGetPhysicalDeviceQueueFamilyProperties", pointer(GetPhysicalDeviceQueueFamilyProperties)},
            {"vkGetPhysicalDeviceQueueFamilyProperties2", pointer(GetPhysicalDeviceQueueFamilyProperties2)},
            {"vkGetPhysicalDeviceQueueFamilyProperties2KHR", pointer(GetPhysicalDeviceQueueFamilyProperties2)},
            {"vkAllocateMemory", pointer(AllocateMemory)},
        };
        if (device().hasLeastMemory)
            all.insert(memoryFunctions().begin(), memoryFunctions().end());
        return all;
    }();
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
