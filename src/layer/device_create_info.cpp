// SPDX-License-Identifier: Apache-2.0
#include "layer/device_create_info.h"

#include <cstring>

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
void enable(PatchedChain& chain, VkStructureType versionType, VkBool32 Version::*versionMember, VkStructureType ownType,
            VkBool32 Own::*ownMember)
{
    if (const auto* version = chain.find<Version>(versionType)) {
        if (!(version->*versionMember))
            chain.change<Version>(versionType)->*versionMember = VK_TRUE;
    } else if (const auto* own = chain.find<Own>(ownType)) {
        if (!(own->*ownMember))
            chain.change<Own>(ownType)->*ownMember = VK_TRUE;
    } else {
        chain.add<Own>(ownType)->*ownMember = VK_TRUE;
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
    enabled.rayTracing = enables(createInfo, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) ||
                         enables(createInfo, VK_NV_RAY_TRACING_EXTENSION_NAME);
    enabled.subpassShading = enables(createInfo, VK_HUAWEI_SUBPASS_SHADING_EXTENSION_NAME);
    readPipelineFeatures(createInfo, enabled);
    const auto* group =
        findInChain<VkDeviceGroupDeviceCreateInfo>(createInfo.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    enabled.deviceGroup = group && group->physicalDeviceCount > 1;
    return enabled;
}

PatchedDeviceCreateInfo::PatchedDeviceCreateInfo(const VkDeviceCreateInfo& createInfo, const Support& support,
                                                 bool graphs)
    : m_info(createInfo),
      m_chain(createInfo.pNext),
      m_extensions(createInfo.ppEnabledExtensionNames,
                   createInfo.ppEnabledExtensionNames + createInfo.enabledExtensionCount)
{
    constexpr VkStructureType k14 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;
    removeExtension(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
    m_chain.remove(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
    if (!support.maintenance5) {
        removeExtension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
        m_chain.remove(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR);
        const auto* features14 = m_chain.find<VkPhysicalDeviceVulkan14Features>(k14);
        if (features14 && features14->maintenance5)
            m_chain.change<VkPhysicalDeviceVulkan14Features>(k14)->maintenance5 = VK_FALSE;
    }
    if (!support.pipelineLibrary)
        removeExtension(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    if (graphs)
        enableWhatGraphsNeed(support);
    m_info.enabledExtensionCount = static_cast<uint32_t>(m_extensions.size());
    m_info.ppEnabledExtensionNames = m_extensions.data();
    m_info.pNext = m_chain.get();
}

void PatchedDeviceCreateInfo::removeExtension(const char* name)
{
    std::erase_if(m_extensions, [=](const char* enabled) { return std::strcmp(enabled, name) == 0; });
}

void PatchedDeviceCreateInfo::enableInt64()
{
    constexpr VkStructureType k2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (const auto* features = m_chain.find<VkPhysicalDeviceFeatures2>(k2)) {
        if (!features->features.shaderInt64)
            m_chain.change<VkPhysicalDeviceFeatures2>(k2)->features.shaderInt64 = VK_TRUE;
        return;
    }
    if (m_info.pEnabledFeatures)
        m_features = *m_info.pEnabledFeatures;
    m_features.shaderInt64 = VK_TRUE;
    m_info.pEnabledFeatures = &m_features;
}

void PatchedDeviceCreateInfo::enableNonUniformIndexing()
{
    using Version = VkPhysicalDeviceVulkan12Features;
    using Own = VkPhysicalDeviceDescriptorIndexingFeatures;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType kOwn = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES;
    const auto enableOne = [&](VkBool32 Version::*version, VkBool32 Own::*own) {
        enable(m_chain, k12, version, kOwn, own);
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

void PatchedDeviceCreateInfo::enableWhatGraphsNeed(const Support& support)
{
    constexpr VkStructureType k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType k13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    enableInt64();
    enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
           &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::shaderBufferInt64Atomics,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
           &VkPhysicalDeviceShaderAtomicInt64Features::shaderBufferInt64Atomics);
    enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
           &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
    if (support.storage8)
        enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::storageBuffer8BitAccess,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
               &VkPhysicalDevice8BitStorageFeatures::storageBuffer8BitAccess);
    if (support.storage16)
        enable(m_chain, k11, &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
               &VkPhysicalDevice16BitStorageFeatures::storageBuffer16BitAccess);
    if (support.deviceScope) {
        enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModel);
        enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
               &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModelDeviceScope);
    }
    if (support.nonUniformIndexing)
        enableNonUniformIndexing();
    if (support.hostQueryReset)
        enable(m_chain, k12, &VkPhysicalDeviceVulkan12Features::hostQueryReset,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
               &VkPhysicalDeviceHostQueryResetFeatures::hostQueryReset);
    // For the submission of split streams and the barriers of the runtime.
    enable(m_chain, k13, &VkPhysicalDeviceVulkan13Features::synchronization2,
           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
           &VkPhysicalDeviceSynchronization2Features::synchronization2);
}

}  // namespace millrace::layer
