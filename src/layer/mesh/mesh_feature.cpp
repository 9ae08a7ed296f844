// SPDX-License-Identifier: Apache-2.0
// VK_EXT_mesh_shader as a feature of the layer.
#include <algorithm>

#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/feature.h"
#include "layer/mesh/mesh_counts.h"
#include "layer/mesh/mesh_shaders.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
constexpr VkStructureType kProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT;

// The features have no structure of their own. One for all of Vulkan 1.2 would exclude what the application has
// chained.
void enableLayers(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (!support.meshLimits.vertexLayers || !support.meshLimits.vertexViewports)
        return;
    if (!request.chain().find<VkPhysicalDeviceVulkan12Features>(k12)) {
        request.addExtension(VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
        return;
    }
    auto& features = *request.chain().change<VkPhysicalDeviceVulkan12Features>(k12);
    features.shaderOutputLayer = VK_TRUE;
    features.shaderOutputViewportIndex = VK_TRUE;
}

// Points without PointSize have the size 1.
void enableUnwrittenPointSizes(PatchedDeviceCreateInfo& request, const Support& support)
{
    if (!support.maintenance5)
        return;
    request.addExtension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    request.enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
                   &VkPhysicalDeviceVulkan14Features::maintenance5,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                   &VkPhysicalDeviceMaintenance5FeaturesKHR::maintenance5);
}

// Workgroups share counters, which are reached by address.
void enableCounters(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (support.deviceScope) {
        constexpr VkStructureType kModel = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel, kModel,
                       &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModel);
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope, kModel,
                       &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModelDeviceScope);
    }
    request.enable(k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                   &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
}

// What is written by address may be of any type that mesh shaders give out.
void enableWhatMeshShadersNeed(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    enableCounters(request, support);
    if (support.int64)
        request.enable(&VkPhysicalDeviceFeatures::shaderInt64);
    if (support.meshLimits.fragmentPrimitiveId)
        request.enable(&VkPhysicalDeviceFeatures::geometryShader);
    if (support.meshLimits.allIndices)
        request.enable(&VkPhysicalDeviceFeatures::fullDrawIndexUint32);
    // Vertex shaders that compute what mesh shaders do then need not declare that they write nothing, which one driver
    // compiles wrongly (docs/gpu.md).
    if (support.meshLimits.vertexStores)
        request.enable(&VkPhysicalDeviceFeatures::vertexPipelineStoresAndAtomics);
    if (support.scalarBlockLayout)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                       &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
    enableLayers(request, support);
    if (!support.meshLimits.viewPointSizes)
        enableUnwrittenPointSizes(request, support);
    request.enableSplits();
    if (support.storage16)
        request.enable(k11, &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                       &VkPhysicalDevice16BitStorageFeatures::storageBuffer16BitAccess);
}

// Workgroups lie in a row where compute shaders have less in another dimension.
void copyGroupSize(const MeshLimits& limits, uint32_t (&most)[3])
{
    for (size_t dimension = 0; dimension < 3; ++dimension)
        most[dimension] = std::max(limits.groupSize[dimension], std::min(limits.groupInvocations, limits.groupSize[0]));
}

void describe(const Support& support, VkPhysicalDeviceMeshShaderPropertiesEXT& out)
{
    const MeshLimits& limits = support.meshLimits;
    const uint32_t meshBytes =
        limits.sharedBytes - kMeshSharedBytes - (support.countsMeshes ? mesh::kMeshCounterSharedBytes : 0);
    // Beside the chain.
    const VkPhysicalDeviceMeshShaderPropertiesEXT chained = out;
    out = {chained.sType, chained.pNext};
    out.maxTaskWorkGroupTotalCount = abi::kMaxMeshGroups;
    std::fill_n(out.maxTaskWorkGroupCount, 3, kMaxMeshGroupsPerDimension);
    out.maxTaskWorkGroupInvocations = limits.groupInvocations;
    copyGroupSize(limits, out.maxTaskWorkGroupSize);
    out.maxTaskPayloadSize = std::min(kMaxTaskPayloadBytes, limits.sharedBytes);
    out.maxTaskSharedMemorySize = limits.sharedBytes;
    out.maxTaskPayloadAndSharedMemorySize = limits.sharedBytes;
    out.maxPreferredTaskWorkGroupInvocations = std::min(128u, limits.groupInvocations);
    out.maxMeshWorkGroupTotalCount = abi::kMaxMeshGroups;
    std::fill_n(out.maxMeshWorkGroupCount, 3, kMaxMeshGroupsPerDimension);
    out.maxMeshWorkGroupInvocations = limits.groupInvocations;
    copyGroupSize(limits, out.maxMeshWorkGroupSize);
    out.maxMeshSharedMemorySize = meshBytes;
    out.maxMeshPayloadAndSharedMemorySize = meshBytes;
    out.maxMeshOutputMemorySize = kMaxMeshOutputBytes;
    out.maxMeshPayloadAndOutputMemorySize = kMaxMeshOutputBytes;
    out.maxMeshOutputComponents = limits.outputComponents;
    out.maxMeshOutputVertices = kMaxMeshVertices;
    out.maxMeshOutputPrimitives = kMaxMeshPrimitives;
    out.maxMeshOutputLayers = limits.layers;
    out.maxMeshMultiviewViewCount = limits.views;
    // Each vertex and primitive takes as many bytes as it has.
    out.meshOutputPerVertexGranularity = 1;
    out.meshOutputPerPrimitiveGranularity = 1;
    out.maxPreferredMeshWorkGroupInvocations = std::min(128u, limits.groupInvocations);
}

// What compute shaders may do in subgroups, task and mesh shaders may.
void answerSubgroups(VkPhysicalDeviceProperties2& properties)
{
    const auto answer = [](VkShaderStageFlags& stages) {
        constexpr VkShaderStageFlags kOwn = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
        stages = stages & VK_SHADER_STAGE_COMPUTE_BIT ? stages | kOwn : stages & ~kOwn;
    };
    if (auto* own = findInChain<VkPhysicalDeviceSubgroupProperties>(
            properties.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES))
        answer(own->supportedStages);
    if (auto* own = findInChain<VkPhysicalDeviceVulkan11Properties>(
            properties.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES))
        answer(own->subgroupSupportedStages);
    if (auto* own = findInChain<VkPhysicalDeviceSubgroupSizeControlProperties>(
            properties.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES))
        answer(own->requiredSubgroupSizeStages);
    if (auto* own = findInChain<VkPhysicalDeviceVulkan13Properties>(
            properties.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES))
        answer(own->requiredSubgroupSizeStages);
}

// Commands that the driver generates draw nothing of the layer's.
void answerDriversCommands(VkPhysicalDeviceProperties2& properties)
{
    constexpr VkStructureType kType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT;
    constexpr VkShaderStageFlags kOwn = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT>(properties.pNext, kType);
    if (!own)
        return;
    own->supportedIndirectCommandsShaderStages &= ~kOwn;
    own->supportedIndirectCommandsShaderStagesPipelineBinding &= ~kOwn;
    own->supportedIndirectCommandsShaderStagesShaderBinding &= ~kOwn;
}

class MeshFeature final : public Feature {
public:
    std::span<const ProvidedExtension> extensions() const override
    {
        static const ProvidedExtension list[] = {
            {{VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_EXT_MESH_SHADER_SPEC_VERSION}, &Support::nativeMeshShader},
        };
        return list;
    }

    bool isProvided(const Support& support) const override { return support.meshShader; }

    std::span<const VkStructureType> hiddenStructures(const Support& support) const override
    {
        static constexpr VkStructureType kTypes[] = {kFeatures, kProperties};
        return support.meshShader ? std::span<const VkStructureType>(kTypes) : std::span<const VkStructureType>();
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceMeshShaderFeaturesEXT>(features.pNext, kFeatures);
        if (!own || !support.meshShader)
            return;
        own->taskShader = VK_TRUE;
        own->meshShader = VK_TRUE;
        own->multiviewMeshShader = support.meshLimits.views > 1;
        own->primitiveFragmentShadingRateMeshShader = support.meshShadingRates;
        own->meshShaderQueries = support.meshLimits.queries;
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceMeshShaderPropertiesEXT>(properties.pNext, kProperties);
        if (!support.meshShader)
            return;
        if (own)
            describe(support, *own);
        answerSubgroups(properties);
        if (!support.generatedCommands)
            answerDriversCommands(properties);
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        // Nodes are drawn with it, whether or not the application draws itself.
        const bool hasNodes = enabled.shaderEnqueueFeature && enabled.shaderMeshEnqueue && support.meshNodes;
        const bool isMesh = (enabled.meshShader || hasNodes) && support.meshShader;
        return (isMesh ? kUseMesh : 0u) |
               ((enabled.meshShader || isMesh) && support.countsMeshes ? kUseMeshCounts : 0u);
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t uses) const override
    {
        if (uses & kUseMeshCounts)
            enableCounters(request, support);
        if (!support.meshShader)
            return;
        request.removeExtension(VK_EXT_MESH_SHADER_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        if (uses & kUseMesh)
            enableWhatMeshShadersNeed(request, support);
    }

    VkResult start(Device& device, const VkDeviceCreateInfo&) const override
    {
        const VkResult result = device.usesMesh() ? startMeshShaders(device) : VK_SUCCESS;
        return result == VK_SUCCESS && (device.uses & kUseMeshCounts) ? startMeshCounts(device) : result;
    }

    std::vector<EntryPoints> entryPoints() const override { return {meshDrawEntryPoints()}; }
};

}  // namespace

const Feature& meshFeature()
{
    static constexpr MeshFeature feature;
    return feature;
}

}  // namespace millrace::layer
