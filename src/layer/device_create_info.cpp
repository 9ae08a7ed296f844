// SPDX-License-Identifier: Apache-2.0
#include "layer/device_create_info.h"

#include <cstring>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/chain.h"

namespace millrace::layer {

namespace {

bool enables(const VkDeviceCreateInfo& createInfo, const char* extension)
{
    for (uint32_t i = 0; i < createInfo.enabledExtensionCount; ++i)
        if (std::strcmp(createInfo.ppEnabledExtensionNames[i], extension) == 0)
            return true;
    return false;
}

// Switches a feature on in the structure of a Vulkan version if the application chained that, else in the feature's
// own.
template <typename Version, typename Own>
void enable(vku::safe_VkDeviceCreateInfo& info, VkStructureType versionType, VkBool32 Version::*versionMember,
            VkStructureType ownType, VkBool32 Own::*ownMember)
{
    auto* chain = const_cast<void*>(info.pNext);
    if (auto* version = findInChain<Version>(chain, versionType)) {
        version->*versionMember = VK_TRUE;
    } else if (auto* own = findInChain<Own>(chain, ownType)) {
        own->*ownMember = VK_TRUE;
    } else {
        Own created{};
        created.sType = ownType;
        created.*ownMember = VK_TRUE;
        vku::AddToPnext(info, created);
    }
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
    const auto* compute = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV>(
        createInfo.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV);
    enabled.generatedComputePipelines = compute && compute->deviceGeneratedComputePipelines;
}

void enableInt64(vku::safe_VkDeviceCreateInfo& info)
{
    auto* chain = const_cast<void*>(info.pNext);
    if (auto* features = findInChain<VkPhysicalDeviceFeatures2>(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)) {
        features->features.shaderInt64 = VK_TRUE;
        return;
    }
    if (!info.pEnabledFeatures)
        info.pEnabledFeatures = new VkPhysicalDeviceFeatures{};
    const_cast<VkPhysicalDeviceFeatures*>(info.pEnabledFeatures)->shaderInt64 = VK_TRUE;
}

void enableNonUniformIndexing(vku::safe_VkDeviceCreateInfo& info)
{
    using Version = VkPhysicalDeviceVulkan12Features;
    using Own = VkPhysicalDeviceDescriptorIndexingFeatures;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType kOwn = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES;
    const auto enableOne = [&](VkBool32 Version::*version, VkBool32 Own::*own) {
        enable(info, k12, version, kOwn, own);
    };
    enableOne(&Version::shaderUniformBufferArrayNonUniformIndexing, &Own::shaderUniformBufferArrayNonUniformIndexing);
    enableOne(&Version::shaderSampledImageArrayNonUniformIndexing, &Own::shaderSampledImageArrayNonUniformIndexing);
    enableOne(&Version::shaderStorageBufferArrayNonUniformIndexing, &Own::shaderStorageBufferArrayNonUniformIndexing);
    enableOne(&Version::shaderStorageImageArrayNonUniformIndexing, &Own::shaderStorageImageArrayNonUniformIndexing);
    enableOne(&Version::shaderUniformTexelBufferArrayNonUniformIndexing,
              &Own::shaderUniformTexelBufferArrayNonUniformIndexing);
    enableOne(&Version::shaderStorageTexelBufferArrayNonUniformIndexing,
              &Own::shaderStorageTexelBufferArrayNonUniformIndexing);
}

void enableWhatGraphsNeed(vku::safe_VkDeviceCreateInfo& info, const Support& support)
{
    constexpr VkStructureType k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType k13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    enableInt64(info);
    enable(info, k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
           &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    enable(info, k12, &VkPhysicalDeviceVulkan12Features::shaderBufferInt64Atomics,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
           &VkPhysicalDeviceShaderAtomicInt64Features::shaderBufferInt64Atomics);
    enable(info, k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
           &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
    if (support.storage8)
        enable(info, k12, &VkPhysicalDeviceVulkan12Features::storageBuffer8BitAccess,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
               &VkPhysicalDevice8BitStorageFeatures::storageBuffer8BitAccess);
    if (support.storage16)
        enable(info, k11, &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
               &VkPhysicalDevice16BitStorageFeatures::storageBuffer16BitAccess);
    if (support.deviceScope) {
        enable(info, k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModel);
        enable(info, k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModelDeviceScope);
    }
    if (support.nonUniformIndexing)
        enableNonUniformIndexing(info);
    if (support.hostQueryReset)
        enable(info, k12, &VkPhysicalDeviceVulkan12Features::hostQueryReset,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
               &VkPhysicalDeviceHostQueryResetFeatures::hostQueryReset);
    // For the submission of split streams and the barriers of the runtime.
    enable(info, k13, &VkPhysicalDeviceVulkan13Features::synchronization2,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
           &VkPhysicalDeviceSynchronization2Features::synchronization2);
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
    readPipelineFeatures(createInfo, enabled);
    const auto* group =
        findInChain<VkDeviceGroupDeviceCreateInfo>(createInfo.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    enabled.deviceGroup = group && group->physicalDeviceCount > 1;
    return enabled;
}

PatchedDeviceCreateInfo::PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support,
                                                 bool graphs)
    : m_copy(std::make_unique<vku::safe_VkDeviceCreateInfo>(&createInfo))
{
    vku::RemoveExtension(*m_copy, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
    vku::RemoveFromPnext(*m_copy, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
    if (!support.maintenance5) {
        vku::RemoveExtension(*m_copy, VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
        vku::RemoveFromPnext(*m_copy, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR);
        if (auto* features14 = findInChain<VkPhysicalDeviceVulkan14Features>(
                const_cast<void*>(m_copy->pNext), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES))
            features14->maintenance5 = VK_FALSE;
    }
    if (!support.pipelineLibrary)
        vku::RemoveExtension(*m_copy, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    if (graphs)
        enableWhatGraphsNeed(*m_copy, support);
}

PatchedDeviceCreateInfo::~PatchedDeviceCreateInfo() = default;

const VkDeviceCreateInfo* PatchedDeviceCreateInfo::get() const
{
    return m_copy->ptr();
}

}  // namespace millrace::layer
