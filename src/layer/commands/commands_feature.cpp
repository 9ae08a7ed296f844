// SPDX-License-Identifier: Apache-2.0
// VK_EXT_device_generated_commands as a feature of the layer.
#include <algorithm>

#include "layer/chains/chain.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/feature.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT;
constexpr VkStructureType kProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT;

constexpr VkIndirectCommandsInputModeFlagsEXT kInputModes =
    VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT | VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT;

// The feature has no structure of its own. One for all of Vulkan 1.2 would exclude what the application has chained.
void enableDrawIndirectCount(PatchedDeviceCreateInfo& request)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (request.chain().find<VkPhysicalDeviceVulkan12Features>(k12))
        request.chain().change<VkPhysicalDeviceVulkan12Features>(k12)->drawIndirectCount = VK_TRUE;
    else
        request.addExtension(VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME);
}

void enableWhatDrawsNeed(PatchedDeviceCreateInfo& request)
{
    request.enable(&VkPhysicalDeviceFeatures::multiDrawIndirect);
    request.enable(&VkPhysicalDeviceFeatures::drawIndirectFirstInstance);
    request.enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                   &VkPhysicalDeviceVulkan11Features::shaderDrawParameters,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
                   &VkPhysicalDeviceShaderDrawParametersFeatures::shaderDrawParameters);
    enableDrawIndirectCount(request);
}

void enableWhatCommandsNeed(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (support.int64)
        request.enable(&VkPhysicalDeviceFeatures::shaderInt64);
    if (support.generatedDraws)
        enableWhatDrawsNeed(request);
    request.enable(k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                   &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    if (support.scalarBlockLayout)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                       &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
}

class GeneratedCommandsFeature final : public Feature {
public:
    std::span<const ProvidedExtension> extensions() const override
    {
        static const ProvidedExtension list[] = {
            {{VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, VK_EXT_DEVICE_GENERATED_COMMANDS_SPEC_VERSION},
             &Support::nativeGeneratedCommands},
        };
        return list;
    }

    bool isProvided(const Support& support) const override { return support.generatedCommands; }

    std::span<const VkStructureType> hiddenStructures(const Support& support) const override
    {
        static constexpr VkStructureType kTypes[] = {kFeatures, kProperties};
        return support.generatedCommands ? std::span<const VkStructureType>(kTypes)
                                         : std::span<const VkStructureType>();
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT>(features.pNext, kFeatures);
        if (!own || !support.generatedCommands)
            return;
        own->deviceGeneratedCommands = VK_TRUE;
        own->dynamicGeneratedPipelineLayout = VK_TRUE;
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT>(properties.pNext, kProperties);
        if (!own || !support.generatedCommands)
            return;
        own->maxIndirectPipelineCount = kMaxPipelines;
        own->maxIndirectShaderObjectCount = support.shaderObjects ? kMaxPipelines : 0;
        // Draws are one multi-draw.
        own->maxIndirectSequenceCount = std::min(kMaxSequences, support.maxDrawIndirectCount);
        own->maxIndirectCommandsTokenCount = kMaxTokens;
        own->maxIndirectCommandsTokenOffset = kMaxTokenOffset;
        own->maxIndirectCommandsIndirectStride = kMaxStride;
        own->supportedIndirectCommandsInputModes = support.generatedDraws ? kInputModes : 0;
        own->supportedIndirectCommandsShaderStages =
            support.generatedDraws ? kSequenceStages : VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT};
        if (support.generatedMeshDraws)
            own->supportedIndirectCommandsShaderStages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
        own->supportedIndirectCommandsShaderStagesShaderBinding =
            support.shaderObjects ? own->supportedIndirectCommandsShaderStages : 0;
        own->supportedIndirectCommandsShaderStagesPipelineBinding = own->supportedIndirectCommandsShaderStages;
        own->deviceGeneratedCommandsTransformFeedback = VK_FALSE;
        own->deviceGeneratedCommandsMultiDrawIndirectCount = hasCountedDraws(support);
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        const bool isUsed = enabled.generatedCommandsExtension && enabled.generatedCommands;
        return isUsed && support.generatedCommands ? kUseCommands : 0u;
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t uses) const override
    {
        if (!support.generatedCommands)
            return;
        request.removeExtension(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        if (uses & kUseCommands)
            enableWhatCommandsNeed(request, support);
    }

    VkResult start(Device& device) const override
    {
        if (!device.usesCommands())
            return VK_SUCCESS;
        auto commands = std::make_shared<GeneratedCommands>(device);
        VkResult result = commands->create(device);
        device.generatedCommands = commands;
        device.pipelineObserver = commands->pipelines;
        if (result == VK_SUCCESS && (device.uses & kUseTokenChecks)) {
            commands->checks = std::make_unique<TokenChecks>(device);
            result = commands->checks->create();
        }
        return result;
    }

    std::vector<EntryPoints> entryPoints() const override
    {
        return {indirectLayoutEntryPoints(), executionSetEntryPoints(), generatedCommandEntryPoints(),
                shaderObjectEntryPoints()};
    }
};

}  // namespace

const Feature& generatedCommandsFeature()
{
    static constexpr GeneratedCommandsFeature feature;
    return feature;
}

}  // namespace millrace::layer
