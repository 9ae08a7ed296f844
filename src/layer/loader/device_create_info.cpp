// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/device_create_info.h"

#include <cstring>

#include "layer/chains/chain.h"
#include "layer/loader/feature.h"

namespace millrace::layer {

namespace {

bool enables(const VkDeviceCreateInfo& createInfo, const char* extension)
{
    for (uint32_t i = 0; i < createInfo.enabledExtensionCount; ++i)
        if (std::strcmp(createInfo.ppEnabledExtensionNames[i], extension) == 0)
            return true;
    return false;
}

void readPipelineFeatures(const VkDeviceCreateInfo& createInfo, EnabledByApplication& enabled)
{
    const auto* v13 = findInChain<VkPhysicalDeviceVulkan13Features>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    const auto* cacheControl = findInChain<VkPhysicalDevicePipelineCreationCacheControlFeatures>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES);
    enabled.cacheControl =
        (v13 && v13->pipelineCreationCacheControl) || (cacheControl && cacheControl->pipelineCreationCacheControl);
    const auto* generated = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT);
    enabled.generatedCommands = generated && generated->deviceGeneratedCommands;
    const auto* streams = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV);
    enabled.tokenStreams = enables(createInfo, VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME) && streams &&
                           streams->deviceGeneratedCommands;
    const auto* compute = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV);
    enabled.generatedComputePipelines = compute && compute->deviceGeneratedComputePipelines;
}

}  // namespace

EnabledByApplication enabledByApplication(const VkDeviceCreateInfo& createInfo)
{
    EnabledByApplication enabled;
    enabled.shaderEnqueueExtension = enables(createInfo, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
    enabled.maintenance5 = enables(createInfo, VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    enabled.pipelineLibrary = enables(createInfo, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    const auto* feature = findInChain<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
    enabled.shaderEnqueueFeature = enabled.shaderEnqueueExtension && feature && feature->shaderEnqueue;
    enabled.shaderMeshEnqueue = enabled.shaderEnqueueExtension && feature && feature->shaderMeshEnqueue;
    enabled.rayTracing = enables(createInfo, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) ||
                         enables(createInfo, VK_NV_RAY_TRACING_EXTENSION_NAME);
    enabled.subpassShading = enables(createInfo, VK_HUAWEI_SUBPASS_SHADING_EXTENSION_NAME);
    enabled.generatedCommandsExtension = enables(createInfo, VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
    enabled.meshShaderExtension = enables(createInfo, VK_EXT_MESH_SHADER_EXTENSION_NAME);
    const auto* mesh = findInChain<VkPhysicalDeviceMeshShaderFeaturesEXT>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
    enabled.meshShader = enabled.meshShaderExtension && mesh && mesh->meshShader;
    enabled.taskShader = enabled.meshShaderExtension && mesh && mesh->taskShader;
    enabled.meshShaderQueries = enabled.meshShaderExtension && mesh && mesh->meshShaderQueries;
    readPipelineFeatures(createInfo, enabled);
    const auto* features2 =
        findInChain<VkPhysicalDeviceFeatures2>(createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (const auto* features = features2 ? &features2->features : createInfo.pEnabledFeatures) {
        enabled.tessellation = features->tessellationShader;
        enabled.geometry = features->geometryShader;
        enabled.inheritedQueries = features->inheritedQueries;
    }
    const auto* group =
        findInChain<VkDeviceGroupDeviceCreateInfo>(createInfo.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    enabled.deviceGroup = group && group->physicalDeviceCount > 1;
    return enabled;
}

PatchedDeviceCreateInfo::PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support,
                                                 uint32_t uses)
    : m_info(createInfo),
      m_chain(createInfo.pNext),
      m_extensions(createInfo.ppEnabledExtensionNames,
                   createInfo.ppEnabledExtensionNames + createInfo.enabledExtensionCount)
{
    for (const Feature* feature : allFeatures())
        feature->patch(*this, support, uses);
    m_info.enabledExtensionCount = static_cast<uint32_t>(m_extensions.size());
    m_info.ppEnabledExtensionNames = m_extensions.data();
    m_info.pNext = m_chain.get();
}

void PatchedDeviceCreateInfo::removeExtension(const char* name)
{
    std::erase_if(m_extensions, [=](const char* enabled) { return std::strcmp(enabled, name) == 0; });
}

void PatchedDeviceCreateInfo::addExtension(const char* name)
{
    removeExtension(name);
    m_extensions.push_back(name);
}

void PatchedDeviceCreateInfo::setQueues(std::span<const VkDeviceQueueCreateInfo> infos)
{
    m_info.queueCreateInfoCount = static_cast<uint32_t>(infos.size());
    m_info.pQueueCreateInfos = infos.data();
}

void PatchedDeviceCreateInfo::enableSplits()
{
    enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &VkPhysicalDeviceVulkan13Features::synchronization2,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
           &VkPhysicalDeviceSynchronization2Features::synchronization2);
    enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &VkPhysicalDeviceVulkan12Features::timelineSemaphore,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
           &VkPhysicalDeviceTimelineSemaphoreFeatures::timelineSemaphore);
}

void PatchedDeviceCreateInfo::enable(VkBool32 VkPhysicalDeviceFeatures::*feature)
{
    constexpr VkStructureType k2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (const auto* features = m_chain.find<VkPhysicalDeviceFeatures2>(k2)) {
        if (!(features->features.*feature))
            m_chain.change<VkPhysicalDeviceFeatures2>(k2)->features.*feature = VK_TRUE;
        return;
    }
    if (m_info.pEnabledFeatures && m_info.pEnabledFeatures != &m_features)
        m_features = *m_info.pEnabledFeatures;
    m_features.*feature = VK_TRUE;
    m_info.pEnabledFeatures = &m_features;
}

}  // namespace millrace::layer
