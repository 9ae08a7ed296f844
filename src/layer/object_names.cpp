// SPDX-License-Identifier: Apache-2.0
// Names and tags of objects: those of ours stay here, and messages use them.
#include "layer/entry_points.h"
#include "layer/pipelines.h"

namespace millrace::layer {

namespace {

void rename(Device& device, VkObjectType type, uint64_t handle, const char* name)
{
    if (type != VK_OBJECT_TYPE_PIPELINE)
        return;
    if (GraphObject* object = device.graphObjects.find(handle))
        object->setName(name ? name : "");
}

VkObjectType objectTypeOf(VkDebugReportObjectTypeEXT type)
{
    switch (type) {
        case VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT:
            return VK_OBJECT_TYPE_PIPELINE;
        case VK_DEBUG_REPORT_OBJECT_TYPE_SHADER_MODULE_EXT:
            return VK_OBJECT_TYPE_SHADER_MODULE;
        default:
            return VK_OBJECT_TYPE_UNKNOWN;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* pInfo)
{
    Device& device = Device::of(handle);
    if (!isOurs(device, pInfo->objectType, pInfo->objectHandle))
        return device.table.SetDebugUtilsObjectNameEXT(handle, pInfo);
    rename(device, pInfo->objectType, pInfo->objectHandle, pInfo->pObjectName);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT* pInfo)
{
    Device& device = Device::of(handle);
    if (isOurs(device, pInfo->objectType, pInfo->objectHandle))
        return VK_SUCCESS;
    return device.table.SetDebugUtilsObjectTagEXT(handle, pInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectNameEXT(VkDevice handle,
                                                           const VkDebugMarkerObjectNameInfoEXT* pInfo)
{
    Device& device = Device::of(handle);
    const VkObjectType type = objectTypeOf(pInfo->objectType);
    if (!isOurs(device, type, pInfo->object))
        return device.table.DebugMarkerSetObjectNameEXT(handle, pInfo);
    rename(device, type, pInfo->object, pInfo->pObjectName);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectTagEXT(VkDevice handle, const VkDebugMarkerObjectTagInfoEXT* pInfo)
{
    Device& device = Device::of(handle);
    if (isOurs(device, objectTypeOf(pInfo->objectType), pInfo->object))
        return VK_SUCCESS;
    return device.table.DebugMarkerSetObjectTagEXT(handle, pInfo);
}

}  // namespace

EntryPoints objectNameEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(SetDebugUtilsObjectNameEXT, kUseGraphs),
        MILLRACE_ENTRY(SetDebugUtilsObjectTagEXT, kUseGraphs),
        MILLRACE_ENTRY(DebugMarkerSetObjectNameEXT, kUseGraphs),
        MILLRACE_ENTRY(DebugMarkerSetObjectTagEXT, kUseGraphs),
    };
    return entries;
}

}  // namespace millrace::layer
