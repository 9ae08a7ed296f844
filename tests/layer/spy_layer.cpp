// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: complains about everything that a driver without VK_AMDX_shader_enqueue
// (and perhaps without VK_KHR_maintenance5) must not see.
#include <span>
#include <string>

#include "layer/loaded_layer.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

// Reaches the test through its messenger.
void complain(const InstanceBelow& instance, const std::string& text)
{
    VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = "Spy";
    data.pMessage = text.c_str();
    if (instance.table.SubmitDebugUtilsMessageEXT)
        instance.table.SubmitDebugUtilsMessageEXT(instance.handle, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                  VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
}

void expect(const InstanceBelow& instance, bool holds, const char* text)
{
    if (!holds)
        complain(instance, text);
}

template <typename Struct>
const Struct* find(const void* chain, VkStructureType type)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        if (item->sType == type)
            return reinterpret_cast<const Struct*>(item);
    return nullptr;
}

void checkUsage(const InstanceBelow& instance, bool maintenance5, const void* chain, VkBufferUsageFlags usage)
{
    const auto* flags2 = find<VkBufferUsageFlags2CreateInfo>(chain, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO);
    expect(instance, !flags2 || maintenance5, "VkBufferUsageFlags2CreateInfo without maintenance5");
    expect(instance, !(usage & VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX), "usage EXECUTION_GRAPH_SCRATCH");
    expect(instance, !flags2 || !(flags2->usage & VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX),
           "usage 2 EXECUTION_GRAPH_SCRATCH");
}

void checkCode(const InstanceBelow& instance, std::span<const uint32_t> words)
{
    constexpr size_t kHeaderWords = 5;
    constexpr uint32_t kOpCapability = 17;
    constexpr uint32_t kShaderEnqueue = 5067;
    for (size_t at = kHeaderWords; at + 1 < words.size() && (words[at] & 0xffff) == kOpCapability; at += 2)
        expect(instance, words[at + 1] != kShaderEnqueue, "capability ShaderEnqueueAMDX");
}

void checkStage(const DeviceBelow& device, const VkPipelineShaderStageCreateInfo& stage)
{
    const InstanceBelow& instance = *device.instance;
    expect(instance,
           !find<VkBaseInStructure>(stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX),
           "VkPipelineShaderStageNodeCreateInfoAMDX");
    const auto* code = find<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    expect(instance, !code || device.maintenance5, "code chained to a stage without maintenance5");
    if (code)
        checkCode(instance, {code->pCode, code->codeSize / 4});
}

template <typename Info>
void checkPipeline(const DeviceBelow& device, const Info& info)
{
    const auto* flags2 =
        find<VkPipelineCreateFlags2CreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    expect(*device.instance, !flags2 || device.maintenance5, "VkPipelineCreateFlags2CreateInfo without maintenance5");
    expect(*device.instance, !flags2 || !(flags2->flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX),
           "flag EXECUTION_GRAPH");
}

void checkBindPoint(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint)
{
    expect(*deviceOf(commandBuffer).instance, bindPoint != kGraphPoint, "bind point EXECUTION_GRAPH");
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    const InstanceBelow& instance = instanceOf(physical);
    expect(instance, !enables(*info, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME), "VK_AMDX_shader_enqueue");
    expect(instance,
           !find<VkBaseInStructure>(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX),
           "VkPhysicalDeviceShaderEnqueueFeaturesAMDX");
    return createDevice(physical, info, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice handle, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* out)
{
    const DeviceBelow& device = deviceOf(handle);
    checkUsage(*device.instance, device.maintenance5, info->pNext, info->usage);
    return device.table.CreateBuffer(handle, info, allocator, out);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice handle,
                                                             const VkDeviceBufferMemoryRequirements* info,
                                                             VkMemoryRequirements2* out)
{
    const DeviceBelow& device = deviceOf(handle);
    checkUsage(*device.instance, device.maintenance5, info->pCreateInfo->pNext, info->pCreateInfo->usage);
    device.table.GetDeviceBufferMemoryRequirements(handle, info, out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice physical,
                                                                     const VkPhysicalDeviceExternalBufferInfo* info,
                                                                     VkExternalBufferProperties* out)
{
    const InstanceBelow& instance = instanceOf(physical);
    checkUsage(instance, true, info->pNext, info->usage);
    instance.table.GetPhysicalDeviceExternalBufferProperties(physical, info, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* out)
{
    const DeviceBelow& device = deviceOf(handle);
    checkCode(*device.instance, {info->pCode, info->codeSize / 4});
    return device.table.CreateShaderModule(handle, info, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    const DeviceBelow& device = deviceOf(handle);
    for (const VkComputePipelineCreateInfo& info : std::span(infos, count)) {
        checkPipeline(device, info);
        checkStage(device, info.stage);
        expect(*device.instance, !(info.flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR), "a compute pipeline library");
    }
    return device.table.CreateComputePipelines(handle, cache, count, infos, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    const DeviceBelow& device = deviceOf(handle);
    for (const VkGraphicsPipelineCreateInfo& info : std::span(infos, count)) {
        checkPipeline(device, info);
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount))
            checkStage(device, stage);
    }
    return device.table.CreateGraphicsPipelines(handle, cache, count, infos, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice handle,
                                                              const VkDescriptorUpdateTemplateCreateInfo* info,
                                                              const VkAllocationCallbacks* allocator,
                                                              VkDescriptorUpdateTemplate* out)
{
    const DeviceBelow& device = deviceOf(handle);
    expect(*device.instance, info->pipelineBindPoint != kGraphPoint, "update template for EXECUTION_GRAPH");
    return device.table.CreateDescriptorUpdateTemplate(handle, info, allocator, out);
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                           VkPipeline pipeline)
{
    checkBindPoint(commandBuffer, bindPoint);
    deviceOf(commandBuffer).table.CmdBindPipeline(commandBuffer, bindPoint, pipeline);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t offsetCount,
                                                 const uint32_t* offsets)
{
    checkBindPoint(commandBuffer, bindPoint);
    deviceOf(commandBuffer)
        .table.CmdBindDescriptorSets(commandBuffer, bindPoint, layout, first, count, sets, offsetCount, offsets);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetKHR(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                                   VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                   const VkWriteDescriptorSet* writes)
{
    checkBindPoint(commandBuffer, bindPoint);
    deviceOf(commandBuffer).table.CmdPushDescriptorSetKHR(commandBuffer, bindPoint, layout, set, count, writes);
}

#define SPY_ENTRY(name)                                        \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = {
        SPY_ENTRY(CreateDevice),
        SPY_ENTRY(CreateBuffer),
        SPY_ENTRY(GetDeviceBufferMemoryRequirements),
        SPY_ENTRY(GetPhysicalDeviceExternalBufferProperties),
        SPY_ENTRY(CreateShaderModule),
        SPY_ENTRY(CreateComputePipelines),
        SPY_ENTRY(CreateGraphicsPipelines),
        SPY_ENTRY(CreateDescriptorUpdateTemplate),
        SPY_ENTRY(CmdBindPipeline),
        SPY_ENTRY(CmdBindDescriptorSets),
        SPY_ENTRY(CmdPushDescriptorSetKHR),
    };
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
