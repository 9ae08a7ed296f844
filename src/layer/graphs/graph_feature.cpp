// SPDX-License-Identifier: Apache-2.0
// VK_AMDX_shader_enqueue as a feature of the layer.
#include "layer/chains/chain.h"
#include "layer/graphs/node_libraries.h"
#include "layer/graphs/start_graphs.h"
#include "layer/loader/device.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/feature.h"
#include "runtime/runtime.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
constexpr VkStructureType kProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX;

void enableNonUniformIndexing(PatchedDeviceCreateInfo& request)
{
    using Version = VkPhysicalDeviceVulkan12Features;
    using Own = VkPhysicalDeviceDescriptorIndexingFeatures;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType kOwn = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES;
    const auto enableOne = [&](VkBool32 Version::*version, VkBool32 Own::*own) {
        request.enable(k12, version, kOwn, own);
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

// Such a device has to be created with the extension, and then has no more than was switched on.
void enableEvents(PatchedDeviceCreateInfo& request)
{
    using Subset = VkPhysicalDevicePortabilitySubsetFeaturesKHR;
    constexpr VkStructureType kSubset = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR;
    request.addExtension(VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME);
    if (auto* subset = request.chain().change<Subset>(kSubset))
        subset->events = VK_TRUE;
    else
        request.chain().add<Subset>(kSubset)->events = VK_TRUE;
}

void enableWhatGraphsNeed(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (support.int64)
        request.enable(&VkPhysicalDeviceFeatures::shaderInt64);
    request.enable(k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                   &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    if (support.int64Atomics)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::shaderBufferInt64Atomics,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
                       &VkPhysicalDeviceShaderAtomicInt64Features::shaderBufferInt64Atomics);
    if (support.scalarBlockLayout)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                       &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
    if (support.storage8)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::storageBuffer8BitAccess,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                       &VkPhysicalDevice8BitStorageFeatures::storageBuffer8BitAccess);
    if (support.storage16)
        request.enable(k11, &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                       &VkPhysicalDevice16BitStorageFeatures::storageBuffer16BitAccess);
    if (support.deviceScope) {
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                       &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModel);
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                       &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModelDeviceScope);
    }
    if (support.nonUniformIndexing)
        enableNonUniformIndexing(request);
    if (support.hostQueryReset)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::hostQueryReset,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
                       &VkPhysicalDeviceHostQueryResetFeatures::hostQueryReset);
    if (support.portabilitySubset && support.events)
        enableEvents(request);
    // The barriers of the runtime are of synchronization2, too.
    request.enableSplits();
}

// The count of indirect draws is a feature without a structure of its own. One for all of Vulkan 1.2 would exclude what
// the application has chained.
void enableWhatMeshNodesNeed(PatchedDeviceCreateInfo& request)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    constexpr VkStructureType kMesh = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
    request.enable(&VkPhysicalDeviceFeatures::multiDrawIndirect);
    request.enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                   &VkPhysicalDeviceVulkan11Features::shaderDrawParameters,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
                   &VkPhysicalDeviceShaderDrawParametersFeatures::shaderDrawParameters);
    if (request.chain().find<VkPhysicalDeviceVulkan12Features>(k12))
        request.chain().change<VkPhysicalDeviceVulkan12Features>(k12)->drawIndirectCount = VK_TRUE;
    else
        request.addExtension(VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME);
    request.addExtension(VK_EXT_MESH_SHADER_EXTENSION_NAME);
    if (auto* mesh = request.chain().change<VkPhysicalDeviceMeshShaderFeaturesEXT>(kMesh))
        mesh->meshShader = VK_TRUE;
    else
        request.chain().add<VkPhysicalDeviceMeshShaderFeaturesEXT>(kMesh)->meshShader = VK_TRUE;
}

class GraphFeature final : public Feature {
public:
    std::span<const ProvidedExtension> extensions() const override
    {
        // A driver that lists its own and has no commands is taken for one that does not.
        static const ProvidedExtension list[] = {
            {{VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION}, nullptr},
            {{VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_SPEC_VERSION}, &Support::pipelineLibrary},
        };
        return list;
    }

    std::span<const VkStructureType> hiddenStructures(const Support&) const override
    {
        static constexpr VkStructureType kTypes[] = {kFeatures, kProperties};
        return kTypes;
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        auto* enqueue = findInChain<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(features.pNext, kFeatures);
        if (!enqueue)
            return;
        enqueue->shaderEnqueue = support.emulated;
        enqueue->shaderMeshEnqueue = support.meshNodes;
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support&) const override
    {
        auto* enqueue = findInChain<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>(properties.pNext, kProperties);
        if (!enqueue)
            return;
        enqueue->maxExecutionGraphDepth = graph::kMaxDepth;
        enqueue->maxExecutionGraphShaderOutputNodes = graph::kMaxOutputNodes;
        enqueue->maxExecutionGraphShaderPayloadSize = graph::kMaxPayloadDeclarationBytes;
        enqueue->maxExecutionGraphShaderPayloadCount = abi::kMaxApiPayloads;
        enqueue->executionGraphDispatchAddressAlignment = kDispatchAddressAlignment;
        for (uint32_t& count : enqueue->maxExecutionGraphWorkgroupCount)
            count = graph::kMaxGroupsPerDimension;
        enqueue->maxExecutionGraphWorkgroups = graph::kMaxGroups;
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        if (!support.emulated)
            return 0;
        const bool usesMeshNodes = enabled.shaderEnqueueFeature && enabled.shaderMeshEnqueue && support.meshNodes;
        return (enabled.shaderEnqueueExtension ? kUseExtension : 0u) |
               (enabled.shaderEnqueueFeature ? kUseGraphs : 0u) | (usesMeshNodes ? kUseMeshNodes : 0u);
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t uses) const override
    {
        request.removeExtension(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        if (!support.pipelineLibrary)
            request.removeExtension(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
        if (uses & kUseGraphs)
            enableWhatGraphsNeed(request, support);
        if ((uses & kUseMeshNodes) && !support.meshShader)
            enableWhatMeshNodesNeed(request);
    }

    VkResult start(Device& device, const VkDeviceCreateInfo& createInfo) const override
    {
        device.ownPipelines = createOwnPipelines(device);
        return device.usesGraphs() ? startGraphs(device, createInfo) : VK_SUCCESS;
    }

    std::vector<EntryPoints> entryPoints() const override
    {
        return {graphPipelineEntryPoints(), pipelineQueryEntryPoints(), graphCommandEntryPoints()};
    }
};

}  // namespace

const Feature& graphFeature()
{
    static constexpr GraphFeature feature;
    return feature;
}

}  // namespace millrace::layer
