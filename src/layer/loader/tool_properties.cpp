// SPDX-License-Identifier: Apache-2.0
// vkGetPhysicalDeviceToolProperties: an application can see that its graphs are run by the layer.
#include <algorithm>
#include <cstring>

#include "layer/base/identity.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/instance.h"

namespace millrace::layer {

namespace {

using GetTools = PFN_vkGetPhysicalDeviceToolProperties;
using Tool = VkPhysicalDeviceToolProperties;

// The chain stays the application's.
void describeLayer(const Settings& settings, Tool& tool)
{
    std::strcpy(tool.name, "Millrace");
    std::strcpy(tool.version, MILLRACE_VERSION);
    tool.purposes = VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT;
    if (settings.validate)
        tool.purposes |= VK_TOOL_PURPOSE_VALIDATION_BIT;
    std::strcpy(tool.description, kLayerDescription);
    std::strcpy(tool.layer, settings::kLayerName);
}

// The layer first, then whatever is below it.
VkResult getTools(Instance& instance, GetTools next, VkPhysicalDevice physical, uint32_t* pCount, Tool* pTools)
{
    const uint32_t own = instance.support(physical).emulated ? 1 : 0;
    if (own > 0 && pTools && *pCount == 0)
        return VK_INCOMPLETE;
    if (own > 0 && pTools)
        describeLayer(instance.settings, pTools[0]);
    const uint32_t room = pTools ? *pCount - own : UINT32_MAX;
    uint32_t below = pTools ? room : 0;
    VkResult result = VK_SUCCESS;
    // Without room the others are only counted: the validation layer counts itself even where it was given none.
    if (next)
        result = next(physical, &below, pTools && room > 0 ? pTools + own : nullptr);
    if (result == VK_SUCCESS && below > room)
        result = VK_INCOMPLETE;
    *pCount = own + (next ? std::min(below, room) : 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice physical, uint32_t* pToolCount,
                                                               Tool* pToolProperties)
{
    Instance& instance = Instance::of(physical);
    const GetTools next = instance.table.GetPhysicalDeviceToolProperties;
    return getTools(instance, next ? next : instance.table.GetPhysicalDeviceToolPropertiesEXT, physical, pToolCount,
                    pToolProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolPropertiesEXT(VkPhysicalDevice physical, uint32_t* pToolCount,
                                                                  Tool* pToolProperties)
{
    Instance& instance = Instance::of(physical);
    const GetTools next = instance.table.GetPhysicalDeviceToolPropertiesEXT;
    return getTools(instance, next ? next : instance.table.GetPhysicalDeviceToolProperties, physical, pToolCount,
                    pToolProperties);
}

}  // namespace

EntryPoints toolPropertyEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetPhysicalDeviceToolProperties, kUseAlways, true),
        MILLRACE_ENTRY(GetPhysicalDeviceToolPropertiesEXT, kUseAlways),
    };
    return entries;
}

}  // namespace millrace::layer
