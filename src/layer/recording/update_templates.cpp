// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/update_templates.h"

#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/bind_points.h"

namespace millrace::layer {

namespace {

std::shared_ptr<UpdateTemplate> describe(const VkDescriptorUpdateTemplateCreateInfo& info)
{
    auto known = std::make_shared<UpdateTemplate>();
    known->bindPoint = info.pipelineBindPoint;
    known->entries.assign(info.pDescriptorUpdateEntries,
                          info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
    return known;
}

VkResult create(Device& device, PFN_vkCreateDescriptorUpdateTemplate next,
                const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo, const VkAllocationCallbacks* pAllocator,
                VkDescriptorUpdateTemplate* pTemplate)
{
    const bool push = pCreateInfo->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
    VkDescriptorUpdateTemplateCreateInfo info = *pCreateInfo;
    if (push && info.pipelineBindPoint == kGraphPoint)
        info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    const VkResult result = next(device.handle, &info, pAllocator, pTemplate);
    if (result != VK_SUCCESS || !push)
        return result;
    const auto destroy = device.table.DestroyDescriptorUpdateTemplate;
    rememberOrUndo([&] { destroy(device.handle, *pTemplate, pAllocator); },
                   [&] { device.updateTemplates.insert(handleId(*pTemplate), describe(*pCreateInfo)); });
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice handle,
                                                              const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
                                                              const VkAllocationCallbacks* pAllocator,
                                                              VkDescriptorUpdateTemplate* pTemplate)
{
    Device& device = Device::of(handle);
    return create(device, device.table.CreateDescriptorUpdateTemplate, pCreateInfo, pAllocator, pTemplate);
}

VKAPI_ATTR VkResult VKAPI_CALL
CreateDescriptorUpdateTemplateKHR(VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
                                  const VkAllocationCallbacks* pAllocator, VkDescriptorUpdateTemplate* pTemplate)
{
    Device& device = Device::of(handle);
    return create(device, device.table.CreateDescriptorUpdateTemplateKHR, pCreateInfo, pAllocator, pTemplate);
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice handle, VkDescriptorUpdateTemplate updateTemplate,
                                                           const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.updateTemplates.remove(handleId(updateTemplate));
    device.table.DestroyDescriptorUpdateTemplate(handle, updateTemplate, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplateKHR(VkDevice handle,
                                                              VkDescriptorUpdateTemplate updateTemplate,
                                                              const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.updateTemplates.remove(handleId(updateTemplate));
    device.table.DestroyDescriptorUpdateTemplateKHR(handle, updateTemplate, pAllocator);
}

}  // namespace

EntryPoints updateTemplateEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateDescriptorUpdateTemplate, kUseState),
        MILLRACE_ENTRY(CreateDescriptorUpdateTemplateKHR, kUseState),
        MILLRACE_ENTRY(DestroyDescriptorUpdateTemplate, kUseState),
        MILLRACE_ENTRY(DestroyDescriptorUpdateTemplateKHR, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
