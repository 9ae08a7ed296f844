// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver_support.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "abi/graph_memory.h"
#include "graph/graph.h"

namespace millrace::runtime {

namespace {

void getFeatures(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical, VkPhysicalDeviceFeatures2& features)
{
    if (table.GetPhysicalDeviceFeatures2)
        table.GetPhysicalDeviceFeatures2(physical, &features);
    else if (table.GetPhysicalDeviceFeatures2KHR)
        table.GetPhysicalDeviceFeatures2KHR(physical, &features);
}

bool lists(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical, const char* name)
{
    uint32_t count = 0;
    std::vector<VkExtensionProperties> extensions;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
        extensions.resize(count);
        result = table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
    }
    return result == VK_SUCCESS && std::ranges::any_of(extensions, [=](const VkExtensionProperties& extension) {
               return std::strcmp(extension.extensionName, name) == 0;
           });
}

template <VkBool32 VkPhysicalDeviceFeatures::*feature>
bool has(const DriverAnswers& answers)
{
    return answers.features.*feature;
}

template <VkBool32 VkPhysicalDeviceVulkan11Features::*feature>
bool has11(const DriverAnswers& answers)
{
    return answers.features11.*feature;
}

template <VkBool32 VkPhysicalDeviceVulkan12Features::*feature>
bool has12(const DriverAnswers& answers)
{
    return answers.features12.*feature;
}

template <VkSubgroupFeatureFlagBits operation>
bool hasOperation(const DriverAnswers& answers)
{
    return (answers.properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (answers.properties11.subgroupSupportedOperations & operation);
}

bool hasDeviceScope(const DriverAnswers& answers)
{
    return answers.features12.vulkanMemoryModel && answers.features12.vulkanMemoryModelDeviceScope;
}

}  // namespace

DriverAnswers askDriver(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    DriverAnswers answers;
    answers.features11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    answers.features12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &answers.features11};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &answers.features12};
    table.GetPhysicalDeviceFeatures2(physical, &features);
    answers.features = features.features;

    answers.properties12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    answers.properties13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, &answers.properties12};
    answers.properties11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &answers.properties13};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &answers.properties11};
    table.GetPhysicalDeviceProperties2(physical, &properties);
    answers.limits = properties.properties.limits;

    answers.features12.pNext = nullptr;
    answers.properties11.pNext = nullptr;
    answers.properties13.pNext = nullptr;
    return answers;
}

std::span<const DriverNeed> driverNeeds()
{
    static constexpr DriverNeed kNeeds[] = {
        {"bufferDeviceAddress", "scratch memory by address", true,
         has12<&VkPhysicalDeviceVulkan12Features::bufferDeviceAddress>},
        {"subgroup ballot operations", "allocating and finding payloads for a subgroup at once", false,
         hasOperation<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
        {"subgroup arithmetic operations", "allocating payloads for a subgroup at once, with fewer instructions", false,
         hasOperation<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
        {"scalarBlockLayout", "payloads with scalar layout", false,
         has12<&VkPhysicalDeviceVulkan12Features::scalarBlockLayout>},
        {"shaderInt64", "addresses in one piece, and nodes with 64-bit integers", false,
         has<&VkPhysicalDeviceFeatures::shaderInt64>},
        {"shaderBufferInt64Atomics", "queues that need no dispatch between two levels", false,
         has12<&VkPhysicalDeviceVulkan12Features::shaderBufferInt64Atomics>},
        {"storageBuffer8BitAccess", "payloads with members of 8 bits", false,
         has12<&VkPhysicalDeviceVulkan12Features::storageBuffer8BitAccess>},
        {"storageBuffer16BitAccess", "payloads with members of 16 bits", false,
         has11<&VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess>},
        {"vulkanMemoryModelDeviceScope", "nodes that use the Vulkan memory model", false, hasDeviceScope},
    };
    return kNeeds;
}

bool hasWhatGraphsNeed(const DriverAnswers& answers)
{
    return std::ranges::all_of(driverNeeds(),
                               [&](const DriverNeed& need) { return !need.required || need.has(answers); });
}

uint32_t subgroupOperations(const DriverAnswers& answers)
{
    if (!hasOperation<VK_SUBGROUP_FEATURE_BALLOT_BIT>(answers))
        return abi::kSubgroupNone;
    if (!hasOperation<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>(answers))
        return abi::kSubgroupBallot;
    return hasOperation<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>(answers) ? abi::kSubgroupShuffle : abi::kSubgroupArithmetic;
}

bool canScanToReduce(const DriverAnswers& answers)
{
    return hasOperation<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>(answers) &&
           hasOperation<VK_SUBGROUP_FEATURE_BALLOT_BIT>(answers) &&
           hasOperation<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>(answers);
}

bool compilesReductionsWrongly(const DriverAnswers& answers)
{
    return answers.properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

bool compilesReadOnlyLoadsWrongly(const DriverAnswers& answers)
{
    return answers.properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

bool compilesCallsSlowly(const DriverAnswers& answers)
{
    return answers.properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

bool compilesPointSizesOfViewsWrongly(const DriverAnswers& answers)
{
    return answers.properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

bool readsWholeStrides(const DriverAnswers& answers)
{
    return answers.properties12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

std::string whatGraphsLack(const DriverAnswers& answers)
{
    std::string list;
    for (const DriverNeed& need : driverNeeds())
        if (need.required && !need.has(answers))
            list += (list.empty() ? "" : ", ") + std::string(need.name);
    return list;
}

std::string whatDeviceLacks(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    VkPhysicalDeviceProperties properties;
    table.GetPhysicalDeviceProperties(physical, &properties);
    const uint32_t version = properties.apiVersion;
    if (version >= kNeededApiVersion)
        return whatGraphsLack(askDriver(table, physical));
    return "Vulkan 1.3 (the driver has " + std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
           std::to_string(VK_API_VERSION_MINOR(version)) + "." + std::to_string(VK_API_VERSION_PATCH(version)) + ")";
}

std::string whatMeshNodesLack(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceMeshShaderPropertiesEXT limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    const bool hasExtension = lists(table, physical, VK_EXT_MESH_SHADER_EXTENSION_NAME);
    if (hasExtension) {
        VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &mesh};
        table.GetPhysicalDeviceFeatures2(physical, &features);
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
        table.GetPhysicalDeviceProperties2(physical, &properties);
    }
    const bool hasGroups = std::ranges::all_of(limits.maxMeshWorkGroupCount,
                                               [](uint32_t most) { return most >= graph::kMaxGroupsPerDimension; });
    const DriverAnswers answers = askDriver(table, physical);
    const std::pair<const char*, bool> needs[] = {
        {VK_EXT_MESH_SHADER_EXTENSION_NAME, hasExtension},
        {"meshShader", !hasExtension || mesh.meshShader},
        {"maxMeshWorkGroupCount", !hasExtension || hasGroups},
        {"multiDrawIndirect", answers.features.multiDrawIndirect},
        {"shaderDrawParameters", answers.features11.shaderDrawParameters},
        {"drawIndirectCount", answers.features12.drawIndirectCount},
        {VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME, lists(table, physical, VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME)},
    };
    std::string list;
    for (const auto& [name, isThere] : needs)
        if (!isThere)
            list += (list.empty() ? "" : ", ") + std::string(name);
    return list;
}

bool claimsShaderEnqueue(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    // No driver would write this itself.
    constexpr VkBool32 kPattern = 0xa5a5a5a5;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = kPattern;
    enqueue.shaderMeshEnqueue = kPattern;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    getFeatures(table, physical, features);
    return enqueue.shaderEnqueue == VK_TRUE;
}

bool hasMaintenance5(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &maintenance5};
    getFeatures(table, physical, features);
    return maintenance5.maintenance5 == VK_TRUE;
}

}  // namespace millrace::runtime
