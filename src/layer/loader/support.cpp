// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/support.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "abi/mesh.h"
#include "graph/graph.h"
#include "layer/loader/instance.h"
#include "runtime/driver_support.h"

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

// What Vulkan guarantees and a driver with VK_KHR_portability_subset may lack, as far as the layer uses it.
void askPortability(const Instance& instance, VkPhysicalDevice physical, Support& support)
{
    VkPhysicalDevicePortabilitySubsetFeaturesKHR subset{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &subset};
    instance.table.GetPhysicalDeviceFeatures2(physical, &features);
    support.portabilitySubset = true;
    support.events = subset.events;
}

// The least of what the stages between vertices and fragments have, of those that there are.
uint32_t interfaceLocations(const runtime::DriverAnswers& answers)
{
    const VkPhysicalDeviceLimits& limits = answers.limits;
    uint32_t components = std::min(limits.maxVertexOutputComponents, limits.maxFragmentInputComponents);
    if (answers.features.tessellationShader)
        components = std::min({components, limits.maxTessellationControlPerVertexInputComponents,
                               limits.maxTessellationControlPerVertexOutputComponents,
                               limits.maxTessellationEvaluationInputComponents,
                               limits.maxTessellationEvaluationOutputComponents});
    if (answers.features.geometryShader)
        components = std::min({components, limits.maxGeometryInputComponents, limits.maxGeometryOutputComponents});
    return components / 4;
}

bool hasMeshShaders(const Instance& instance, VkPhysicalDevice physical,
                    const std::vector<VkExtensionProperties>& extensions)
{
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &mesh};
    if (lists(extensions, VK_EXT_MESH_SHADER_EXTENSION_NAME))
        instance.table.GetPhysicalDeviceFeatures2(physical, &features);
    return mesh.taskShader && mesh.meshShader;
}

bool hasShadingRates(const Instance& instance, VkPhysicalDevice physical,
                     const std::vector<VkExtensionProperties>& extensions)
{
    VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rates};
    if (lists(extensions, VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME))
        instance.table.GetPhysicalDeviceFeatures2(physical, &features);
    return rates.primitiveFragmentShadingRate;
}

// Whether the driver has mesh shaders that can draw nodes, and how many workgroups of them a draw may have.
void askMeshShaders(const Instance& instance, VkPhysicalDevice physical, Support& support)
{
    VkPhysicalDeviceMeshShaderPropertiesEXT limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    instance.table.GetPhysicalDeviceProperties2(physical, &properties);
    support.meshNodes = runtime::whatMeshNodesLack(instance.table, physical).empty();
    support.maxMeshNodeGroups = std::min(limits.maxMeshWorkGroupTotalCount, graph::kMaxGroups);
}

// Task and mesh shaders run as compute shaders, which write by address; vertices are pulled from there.
MeshLimits meshLimits(const runtime::DriverAnswers& answers, const Settings& settings, bool hasLayerExtension)
{
    const VkPhysicalDeviceLimits& limits = answers.limits;
    MeshLimits out;
    out.groupInvocations = limits.maxComputeWorkGroupInvocations;
    std::copy_n(limits.maxComputeWorkGroupSize, 3, out.groupSize);
    out.sharedBytes = limits.maxComputeSharedMemorySize;
    out.outputComponents = std::min(limits.maxVertexOutputComponents, limits.maxFragmentInputComponents);
    out.layers = limits.maxFramebufferLayers;
    out.views = answers.features11.multiview ? std::max(answers.properties11.maxMultiviewViewCount, 1u) : 1;
    out.vertexLayers = hasLayerExtension && answers.features12.shaderOutputLayer;
    out.vertexViewports = hasLayerExtension && answers.features12.shaderOutputViewportIndex;
    out.mostIndex = limits.maxDrawIndexedIndexValue;
    out.allIndices = answers.features.fullDrawIndexUint32;
    out.vertexStores = answers.features.vertexPipelineStoresAndAtomics;
    out.viewPointSizes = settings.viewPointSizes && !runtime::compilesPointSizesOfViewsWrongly(answers);
    out.queries = limits.timestampComputeAndGraphics;
    out.fragmentPrimitiveId = answers.features.geometryShader;
    return out;
}

void readAnswers(const runtime::DriverAnswers& answers, const Settings& settings, bool hasDriversCommands,
                 Support& support)
{
    const runtime::DeviceTraits& traits = settings.runtime.traits;
    support.emulated = runtime::hasWhatGraphsNeed(answers);
    support.lacks = runtime::whatGraphsLack(answers);
    // What is not to be used is not switched on.
    support.int64 = answers.features.shaderInt64 && traits.integerBits != 32;
    support.int64Atomics = support.int64 && answers.features12.shaderBufferInt64Atomics && traits.atomicBits != 32;
    support.subgroupOperations = runtime::subgroupOperations(answers);
    support.scalarBlockLayout = answers.features12.scalarBlockLayout;
    support.storage8 = answers.features12.storageBuffer8BitAccess;
    support.storage16 = answers.features11.storageBuffer16BitAccess;
    support.deviceScope = answers.features12.vulkanMemoryModel && answers.features12.vulkanMemoryModelDeviceScope;
    const VkPhysicalDeviceVulkan12Features& f = answers.features12;
    support.nonUniformIndexing =
        f.shaderUniformBufferArrayNonUniformIndexing && f.shaderSampledImageArrayNonUniformIndexing &&
        f.shaderStorageBufferArrayNonUniformIndexing && f.shaderStorageImageArrayNonUniformIndexing &&
        f.shaderUniformTexelBufferArrayNonUniformIndexing && f.shaderStorageTexelBufferArrayNonUniformIndexing;
    support.scans = runtime::canScanToReduce(answers);
    support.reducesWrongly = runtime::compilesReductionsWrongly(answers);
    support.loadsReadOnlyWrongly = runtime::compilesReadOnlyLoadsWrongly(answers);
    support.callsAreSlow = runtime::compilesCallsSlowly(answers);
    support.readsWholeStrides = runtime::readsWholeStrides(answers);
    support.meshShader = settings.meshShaders && !support.nativeMeshShader && support.emulated;
    const bool isAsked = settings.generatedCommands && !support.nativeGeneratedCommands && support.emulated;
    support.numbersDraws = answers.features.multiDrawIndirect && answers.features11.shaderDrawParameters;
    const bool takesCounts = answers.features12.drawIndirectCount && support.drawIndirectCountExtension;
    support.countsDraws = takesCounts && answers.limits.maxDrawIndirectCount >= kMaxSequences;
    support.commandsForMeshes = hasDriversCommands && !isAsked && support.meshShader && settings.meshCommands;
    support.generatedCommands = isAsked || support.commandsForMeshes;
    support.startsInstances = answers.features.drawIndirectFirstInstance;
    support.tessellation = answers.features.tessellationShader;
    support.geometry = answers.features.geometryShader;
    support.streams = isAsked && !support.nativeStreams;
    support.countsMeshes = !settings.trace.empty() && support.emulated;
    support.meshLimits = meshLimits(answers, settings, support.viewportLayerExtension);
    support.meshNodes = settings.meshNodes && support.emulated && (support.meshShader || support.meshNodes);
    if (support.meshShader)
        support.maxMeshNodeGroups = std::min(abi::kMaxMeshGroups, graph::kMaxGroups);
    support.hostQueryReset = answers.features12.hostQueryReset;
    support.maxDrawIndirectCount = answers.limits.maxDrawIndirectCount;
    support.interfaceLocations = interfaceLocations(answers);
    support.maxPushConstantBytes = answers.limits.maxPushConstantsSize;
    support.minSubgroupSize = std::max(1u, answers.properties13.minSubgroupSize);
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
                     runtime::claimsShaderEnqueue(instance.table, physical);
    support.pipelineLibrary = !hide && lists(extensions, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    // A driver that hands structures through to another has the feature, and neither the extension nor its commands.
    support.maintenance5 = !hide && lists(extensions, VK_KHR_MAINTENANCE_5_EXTENSION_NAME) &&
                           runtime::hasMaintenance5(instance.table, physical);

    support.shaderObjects = lists(extensions, VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    support.drawIndirectCountExtension = lists(extensions, VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME);
    const bool hasCommands = lists(extensions, VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
    support.nativeGeneratedCommands = !instance.settings.forceEnable && hasCommands;

    support.nativeStreams =
        !instance.settings.forceEnable && lists(extensions, VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
    support.nativeComputeStreams =
        support.nativeStreams && lists(extensions, VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME);

    support.viewportLayerExtension = lists(extensions, VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
    support.nativeMeshShader = !instance.settings.forceEnable && lists(extensions, VK_EXT_MESH_SHADER_EXTENSION_NAME);

    const bool hasMeshShader = lists(extensions, VK_EXT_MESH_SHADER_EXTENSION_NAME);
    const bool isNewEnough =
        std::min(properties.apiVersion, instance.requestedApiVersion) >= runtime::kNeededApiVersion;
    if (isNewEnough && lists(extensions, VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME))
        askPortability(instance, physical, support);
    if (isNewEnough && hasMeshShader && instance.settings.meshNodes)
        askMeshShaders(instance, physical, support);
    if (isNewEnough && (!support.native || instance.settings.forceEnable))
        readAnswers(runtime::askDriver(instance.table, physical), instance.settings, hasCommands, support);
    const bool canDrawDrivers = support.numbersDraws && support.countsDraws;
    support.generatedMeshDraws =
        support.generatedCommands &&
        (support.meshShader || (canDrawDrivers && hasMeshShaders(instance, physical, extensions)));
    support.meshShadingRates = support.meshShader && hasShadingRates(instance, physical, extensions);
    if (!isNewEnough)
        support.lacks = "Vulkan 1.3 of the driver and in VkApplicationInfo::apiVersion";
    if (support.emulated)
        support.native = false;
    if (support.native)
        support.lacks.clear();
    return support;
}

}  // namespace millrace::layer
