// SPDX-License-Identifier: Apache-2.0
// Names, tags and labels. Names of objects of ours stay here, and messages use them.
//
// The loader fetches the commands of VK_EXT_debug_utils through vkGetInstanceProcAddr, so they are intercepted for
// every device, and each of them passes through on devices without graphs.
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/loader/entry_points.h"
#include "layer/objects/own_objects.h"
#include "layer/objects/own_pipelines.h"
#include "layer/objects/pipeline_observer.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/queue.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

void rename(Device& device, VkObjectType type, uint64_t handle, const char* name)
{
    if (type == VK_OBJECT_TYPE_PIPELINE)
        device.ownPipelines->setName(handle, name);
}

// Of an object that is not ours.
void tellName(const Device& device, VkObjectType type, uint64_t handle, const char* name)
{
    if (type == VK_OBJECT_TYPE_PIPELINE && device.pipelineObserver)
        device.pipelineObserver->named(handle, name);
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
    if (!isOurs(device, pInfo->objectType, pInfo->objectHandle)) {
        tellName(device, pInfo->objectType, pInfo->objectHandle, pInfo->pObjectName);
        return device.table.SetDebugUtilsObjectNameEXT(handle, pInfo);
    }
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

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT* pInfo)
{
    Device& device = Device::of(handle);
    const VkObjectType type = objectTypeOf(pInfo->objectType);
    if (!isOurs(device, type, pInfo->object)) {
        tellName(device, type, pInfo->object, pInfo->pObjectName);
        return device.table.DebugMarkerSetObjectNameEXT(handle, pInfo);
    }
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

template <auto Member>
struct CommandLabel;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct CommandLabel<Member> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        const Device& device = Device::of(handle);
        if (!device.usesStreams()) {
            (device.table.*Member)(handle, args...);
            return;
        }
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        if (device.uses & (kUseTokenChecks | kUseTally | kUseMeshCounts))
            note(commandBuffer, args...);
        (device.table.*Member)(commandBuffer.current, args...);
    }

private:
    // Messages of generated commands name the labels that they are in, and so do traces.
    static void note(CommandBuffer& commandBuffer, const VkDebugUtilsLabelEXT* label)
    {
        if (Member == &Table::CmdBeginDebugUtilsLabelEXT)
            commandBuffer.labels.emplace_back(label->pLabelName ? label->pLabelName : "");
    }
    static void note(CommandBuffer& commandBuffer)
    {
        if (!commandBuffer.labels.empty())
            commandBuffer.labels.pop_back();
    }
};

// A label around held submissions goes to the driver in order with them.
template <auto Member>
VKAPI_ATTR void VKAPI_CALL queueLabel(VkQueue handle, const VkDebugUtilsLabelEXT* pLabel)
{
    Device& device = Device::of(handle);
    const auto next = device.table.*Member;
    Queue* queue = device.queues.find(handleId(handle));
    // What nobody can copy has to go now.
    if (queue && queue->busy() && hasUnknownStructures(pLabel->pNext))
        queue->drain();
    if (!queue || !queue->busy()) {
        next(handle, pLabel);
        return;
    }
    auto label = std::make_shared<vku::safe_VkDebugUtilsLabelEXT>(pLabel);
    queue->enqueue([=] { return queue->use([&] { return next(handle, label->ptr()), VK_SUCCESS; }); }, {},
                   VK_NULL_HANDLE);
}

VKAPI_ATTR void VKAPI_CALL QueueEndDebugUtilsLabelEXT(VkQueue handle)
{
    Device& device = Device::of(handle);
    const auto next = device.table.QueueEndDebugUtilsLabelEXT;
    Queue* queue = device.queues.find(handleId(handle));
    if (queue && queue->busy())
        queue->enqueue([=] { return queue->use([&] { return next(handle), VK_SUCCESS; }); }, {}, VK_NULL_HANDLE);
    else
        next(handle);
}

}  // namespace

EntryPoints debugUtilsEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(SetDebugUtilsObjectNameEXT, kUseState),
        MILLRACE_ENTRY(SetDebugUtilsObjectTagEXT, kUseState),
        {"vkCmdBeginDebugUtilsLabelEXT", guarded<&CommandLabel<&Table::CmdBeginDebugUtilsLabelEXT>::call>(),
         kUseStreams},
        {"vkCmdInsertDebugUtilsLabelEXT", guarded<&CommandLabel<&Table::CmdInsertDebugUtilsLabelEXT>::call>(),
         kUseStreams},
        {"vkCmdEndDebugUtilsLabelEXT", guarded<&CommandLabel<&Table::CmdEndDebugUtilsLabelEXT>::call>(), kUseStreams},
        {"vkQueueBeginDebugUtilsLabelEXT", guarded<&queueLabel<&Table::QueueBeginDebugUtilsLabelEXT>>(), kUseStreams},
        {"vkQueueInsertDebugUtilsLabelEXT", guarded<&queueLabel<&Table::QueueInsertDebugUtilsLabelEXT>>(), kUseStreams},
        MILLRACE_ENTRY(QueueEndDebugUtilsLabelEXT, kUseStreams),
    };
    return entries;
}

EntryPoints debugMarkerEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(DebugMarkerSetObjectNameEXT, kUseStreams),
        MILLRACE_ENTRY(DebugMarkerSetObjectTagEXT, kUseStreams),
    };
    return entries;
}

}  // namespace millrace::layer
