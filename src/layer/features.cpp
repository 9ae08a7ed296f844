// SPDX-License-Identifier: Apache-2.0
// Features and limits of what the layer provides.
#include "layer/chain.h"
#include "layer/entry_points.h"
#include "layer/instance.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kEnqueueFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
constexpr VkStructureType kEnqueueProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX;
constexpr VkStructureType kMaintenance5Features = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR;
constexpr VkStructureType kMaintenance5Properties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR;

using GetFeatures2 = PFN_vkGetPhysicalDeviceFeatures2;
using GetProperties2 = PFN_vkGetPhysicalDeviceProperties2;

void getFeatures(Instance& instance, GetFeatures2 next, VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* pFeatures)
{
    const Support support = instance.support(physical);
    if (support.native) {
        next(physical, pFeatures);
        return;
    }
    {
        // A driver that lacks a structure leaves it alone; one that has maintenance5 hidden by a setting does not.
        Unlinked ours(pFeatures, {kEnqueueFeatures});
        next(physical, pFeatures);
    }
    if (auto* enqueue = findInChain<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(pFeatures->pNext, kEnqueueFeatures)) {
        enqueue->shaderEnqueue = support.emulated;
        enqueue->shaderMeshEnqueue = VK_FALSE;
    }
    if (!support.emulated)
        return;
    if (auto* maintenance5 =
            findInChain<VkPhysicalDeviceMaintenance5FeaturesKHR>(pFeatures->pNext, kMaintenance5Features))
        maintenance5->maintenance5 = VK_TRUE;
}

void getProperties(Instance& instance, GetProperties2 next, VkPhysicalDevice physical,
                   VkPhysicalDeviceProperties2* pProperties)
{
    const Support support = instance.support(physical);
    if (support.native) {
        next(physical, pProperties);
        return;
    }
    {
        Unlinked ours(pProperties, {kEnqueueProperties});
        next(physical, pProperties);
    }
    auto* enqueue = findInChain<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>(pProperties->pNext, kEnqueueProperties);
    if (enqueue) {
        enqueue->maxExecutionGraphDepth = graph::kMaxDepth;
        enqueue->maxExecutionGraphShaderOutputNodes = graph::kMaxOutputNodes;
        enqueue->maxExecutionGraphShaderPayloadSize = graph::kMaxPayloadDeclarationBytes;
        enqueue->maxExecutionGraphShaderPayloadCount = abi::kMaxApiPayloads;
        enqueue->executionGraphDispatchAddressAlignment = kDispatchAddressAlignment;
        for (uint32_t& count : enqueue->maxExecutionGraphWorkgroupCount)
            count = graph::kMaxGroupsPerDimension;
        enqueue->maxExecutionGraphWorkgroups = graph::kMaxGroups;
    }
    auto* maintenance5 =
        findInChain<VkPhysicalDeviceMaintenance5PropertiesKHR>(pProperties->pNext, kMaintenance5Properties);
    if (maintenance5 && support.emulated && !support.maintenance5) {
        // The driver's behaviour in these corners is unknown.
        maintenance5->earlyFragmentMultisampleCoverageAfterSampleCounting = VK_FALSE;
        maintenance5->earlyFragmentSampleMaskTestBeforeSampleCounting = VK_FALSE;
        maintenance5->depthStencilSwizzleOneSupport = VK_FALSE;
        maintenance5->polygonModePointSize = VK_FALSE;
        maintenance5->nonStrictSinglePixelWideLinesUseParallelogram = VK_FALSE;
        maintenance5->nonStrictWideLinesUseParallelogram = VK_FALSE;
    }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* pFeatures)
{
    Instance& instance = Instance::of(physical);
    getFeatures(instance, instance.table.GetPhysicalDeviceFeatures2, physical, pFeatures);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2KHR(VkPhysicalDevice physical,
                                                         VkPhysicalDeviceFeatures2* pFeatures)
{
    Instance& instance = Instance::of(physical);
    getFeatures(instance, instance.table.GetPhysicalDeviceFeatures2KHR, physical, pFeatures);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                        VkPhysicalDeviceProperties2* pProperties)
{
    Instance& instance = Instance::of(physical);
    getProperties(instance, instance.table.GetPhysicalDeviceProperties2, physical, pProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2KHR(VkPhysicalDevice physical,
                                                           VkPhysicalDeviceProperties2* pProperties)
{
    Instance& instance = Instance::of(physical);
    getProperties(instance, instance.table.GetPhysicalDeviceProperties2KHR, physical, pProperties);
}

}  // namespace

EntryPoints featureEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetPhysicalDeviceFeatures2, kUseAlways),
        MILLRACE_ENTRY(GetPhysicalDeviceFeatures2KHR, kUseAlways),
        MILLRACE_ENTRY(GetPhysicalDeviceProperties2, kUseAlways),
        MILLRACE_ENTRY(GetPhysicalDeviceProperties2KHR, kUseAlways),
    };
    return entries;
}

}  // namespace millrace::layer
