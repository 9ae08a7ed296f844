// SPDX-License-Identifier: Apache-2.0
#include "layer/support.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "layer/instance.h"

namespace millrace::layer {

namespace {

bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name)
{
    return std::any_of(extensions.begin(), extensions.end(), [=](const VkExtensionProperties& extension) {
        return std::strcmp(extension.extensionName, name) == 0;
    });
}

std::vector<VkExtensionProperties> driverExtensions(const Instance& instance, VkPhysicalDevice physical)
{
    uint32_t count = 0;
    std::vector<VkExtensionProperties> extensions;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        instance.table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
        extensions.resize(count);
        result = instance.table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
    }
    extensions.resize(result == VK_SUCCESS ? count : 0);
    return extensions;
}

void getFeatures(const Instance& instance, VkPhysicalDevice physical, VkPhysicalDeviceFeatures2& features)
{
    if (instance.table.GetPhysicalDeviceFeatures2)
        instance.table.GetPhysicalDeviceFeatures2(physical, &features);
    else if (instance.table.GetPhysicalDeviceFeatures2KHR)
        instance.table.GetPhysicalDeviceFeatures2KHR(physical, &features);
}

// True if the driver writes the feature structure and says yes. No driver would write this pattern itself.
bool claimsShaderEnqueue(const Instance& instance, VkPhysicalDevice physical)
{
    constexpr VkBool32 kPattern = 0xa5a5a5a5;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = kPattern;
    enqueue.shaderMeshEnqueue = kPattern;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    getFeatures(instance, physical, features);
    return enqueue.shaderEnqueue == VK_TRUE;
}

bool hasMaintenance5(const Instance& instance, VkPhysicalDevice physical)
{
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &maintenance5};
    getFeatures(instance, physical, features);
    return maintenance5.maintenance5 == VK_TRUE;
}

// What lowered graphs use beyond Vulkan 1.3.
bool hasWhatGraphsNeed(const Instance& instance, VkPhysicalDevice physical, Support& support)
{
    VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features11};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    instance.table.GetPhysicalDeviceFeatures2(physical, &features);
    support.storage8 = features12.storageBuffer8BitAccess;
    support.storage16 = features11.storageBuffer16BitAccess;
    support.deviceScope = features12.vulkanMemoryModel && features12.vulkanMemoryModelDeviceScope;

    VkPhysicalDeviceVulkan13Properties properties13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties properties11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                    &properties13};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    instance.table.GetPhysicalDeviceProperties2(physical, &properties);
    support.maxPushConstantBytes = properties.properties.limits.maxPushConstantsSize;
    support.minSubgroupSize = std::max(1u, properties13.minSubgroupSize);

    const VkSubgroupFeatureFlags operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                              VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                              VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    return features.features.shaderInt64 && features12.bufferDeviceAddress && features12.shaderBufferInt64Atomics &&
           features12.scalarBlockLayout && (properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (properties11.subgroupSupportedOperations & operations) == operations;
}

}  // namespace

Support querySupport(Instance& instance, VkPhysicalDevice physical, bool knownPhantom)
{
    Support support;
    VkPhysicalDeviceProperties properties;
    instance.table.GetPhysicalDeviceProperties(physical, &properties);
    const std::vector<VkExtensionProperties> extensions = driverExtensions(instance, physical);
    const bool hide = instance.settings.hideMaintenance5;
    support.native = !knownPhantom && lists(extensions, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) &&
                     claimsShaderEnqueue(instance, physical);
    support.pipelineLibrary = !hide && lists(extensions, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    support.maintenance5 = !hide && hasMaintenance5(instance, physical);

    const bool vulkan13 = std::min(properties.apiVersion, instance.apiVersion) >= VK_API_VERSION_1_3;
    if (vulkan13 && (!support.native || instance.settings.forceEnable))
        support.emulated = hasWhatGraphsNeed(instance, physical, support);
    if (support.emulated)
        support.native = false;
    return support;
}

}  // namespace millrace::layer
