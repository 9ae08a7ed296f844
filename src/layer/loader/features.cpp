// SPDX-License-Identifier: Apache-2.0
// Features and limits of what the layer provides.
#include "layer/chains/chain.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/feature.h"
#include "layer/loader/instance.h"

namespace millrace::layer {

namespace {

using GetFeatures2 = PFN_vkGetPhysicalDeviceFeatures2;
using GetProperties2 = PFN_vkGetPhysicalDeviceProperties2;

std::vector<VkStructureType> hiddenStructures(const Support& support)
{
    std::vector<VkStructureType> types;
    for (const Feature* feature : allFeatures()) {
        const std::span<const VkStructureType> hidden = feature->hiddenStructures(support);
        types.insert(types.end(), hidden.begin(), hidden.end());
    }
    return types;
}

void getFeatures(Instance& instance, GetFeatures2 next, VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* pFeatures)
{
    const Support support = instance.support(physical);
    if (support.native) {
        next(physical, pFeatures);
        return;
    }
    {
        // A driver that lacks a structure leaves it alone; one that has maintenance5 hidden by a setting does not.
        Unlinked ours(pFeatures, hiddenStructures(support));
        next(physical, pFeatures);
    }
    for (const Feature* feature : allFeatures())
        feature->answerFeatures(*pFeatures, support);
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
        Unlinked ours(pProperties, hiddenStructures(support));
        next(physical, pProperties);
    }
    for (const Feature* feature : allFeatures())
        feature->answerProperties(*pProperties, support);
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

std::span<const Feature* const> allFeatures()
{
    static const Feature* const all[] = {&graphFeature(), &maintenance5Feature(), &generatedCommandsFeature(),
                                         &tokenStreamFeature(), &meshFeature()};
    return all;
}

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
