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

constexpr VkShaderStageFlags kMesh = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

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

void enableWhatDrawsNeed(PatchedDeviceCreateInfo& request, const Support& support)
{
    if (support.startsInstances)
        request.enable(&VkPhysicalDeviceFeatures::drawIndirectFirstInstance);
    if (support.numbersDraws) {
        request.enable(&VkPhysicalDeviceFeatures::multiDrawIndirect);
        request.enable(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                       &VkPhysicalDeviceVulkan11Features::shaderDrawParameters,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
                       &VkPhysicalDeviceShaderDrawParametersFeatures::shaderDrawParameters);
    }
    if (support.countsDraws)
        enableDrawIndirectCount(request);
}

void enableWhatCommandsNeed(PatchedDeviceCreateInfo& request, const Support& support)
{
    constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    if (support.int64)
        request.enable(&VkPhysicalDeviceFeatures::shaderInt64);
    enableWhatDrawsNeed(request, support);
    request.enable(k12, &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                   &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    if (support.scalarBlockLayout)
        request.enable(k12, &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                       &VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout);
}

VkShaderStageFlags stagesOf(const Support& support)
{
    constexpr VkShaderStageFlags kTessellation =
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    stages |= support.tessellation ? kTessellation : 0;
    stages |= support.geometry ? VK_SHADER_STAGE_GEOMETRY_BIT : 0;
    return stages | (support.generatedMeshDraws ? kMesh : 0);
}

VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT propertiesOf(const Support& support)
{
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT own{kProperties};
    own.maxIndirectPipelineCount = kMaxPipelines;
    own.maxIndirectShaderObjectCount = support.shaderObjects ? kMaxPipelines : 0;
    own.maxIndirectSequenceCount = kMaxSequences;
    own.maxIndirectCommandsTokenCount = kMaxTokens;
    own.maxIndirectCommandsTokenOffset = kMaxTokenOffset;
    own.maxIndirectCommandsIndirectStride = kMaxStride;
    own.supportedIndirectCommandsInputModes = kInputModes;
    own.supportedIndirectCommandsShaderStages = stagesOf(support);
    own.supportedIndirectCommandsShaderStagesShaderBinding =
        support.shaderObjects ? own.supportedIndirectCommandsShaderStages : 0;
    own.supportedIndirectCommandsShaderStagesPipelineBinding = own.supportedIndirectCommandsShaderStages;
    own.deviceGeneratedCommandsTransformFeedback = VK_FALSE;
    own.deviceGeneratedCommandsMultiDrawIndirectCount = hasCountedDraws(support);
    return own;
}

// To what the layer has as well: a device that enables mesh shaders has the layer's commands, and one that does not has
// the driver's. So mesh shaders are the layer's matter alone.
void limit(VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT& drivers,
           const VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT& layers)
{
    const auto least = [&](uint32_t VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT::*member) {
        drivers.*member = std::min(drivers.*member, layers.*member);
    };
    const auto common = [&](VkShaderStageFlags VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT::*member) {
        const VkShaderStageFlags mesh = drivers.*member & VK_SHADER_STAGE_VERTEX_BIT ? layers.*member & kMesh : 0;
        drivers.*member = (drivers.*member & layers.*member & ~kMesh) | mesh;
    };
    using Properties = VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT;
    least(&Properties::maxIndirectPipelineCount);
    least(&Properties::maxIndirectShaderObjectCount);
    least(&Properties::maxIndirectSequenceCount);
    least(&Properties::maxIndirectCommandsTokenCount);
    least(&Properties::maxIndirectCommandsTokenOffset);
    least(&Properties::maxIndirectCommandsIndirectStride);
    drivers.supportedIndirectCommandsInputModes &= layers.supportedIndirectCommandsInputModes;
    common(&Properties::supportedIndirectCommandsShaderStages);
    common(&Properties::supportedIndirectCommandsShaderStagesPipelineBinding);
    common(&Properties::supportedIndirectCommandsShaderStagesShaderBinding);
    drivers.deviceGeneratedCommandsTransformFeedback &= layers.deviceGeneratedCommandsTransformFeedback;
    drivers.deviceGeneratedCommandsMultiDrawIndirectCount &= layers.deviceGeneratedCommandsMultiDrawIndirectCount;
}

void tellWhose(const Device& device)
{
    device.messages().info("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                           "vkCreateDevice: the layer generates the commands of this device, since those that the "
                           "driver generates draw no mesh shaders of the layer's",
                           "disable = mesh_commands leaves them to the driver, for other draws and dispatches");
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
        // Where either may be used, answers are what both have.
        return support.generatedCommands && !support.commandsForMeshes ? std::span<const VkStructureType>(kTypes)
                                                                       : std::span<const VkStructureType>();
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT>(features.pNext, kFeatures);
        if (!own || !support.generatedCommands || support.commandsForMeshes)
            return;
        own->deviceGeneratedCommands = VK_TRUE;
        own->dynamicGeneratedPipelineLayout = VK_TRUE;
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT>(properties.pNext, kProperties);
        if (!own || !support.generatedCommands)
            return;
        VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT layers = propertiesOf(support);
        layers.pNext = own->pNext;
        if (support.commandsForMeshes)
            limit(*own, layers);
        else
            *own = layers;
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        const bool isUsed = enabled.generatedCommandsExtension && enabled.generatedCommands;
        const bool isLayers = support.generatedCommands && (!support.commandsForMeshes || enabled.meshShader);
        return isUsed && isLayers ? kUseCommands : 0u;
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t uses) const override
    {
        if (!support.generatedCommands || (support.commandsForMeshes && !(uses & kUseCommands)))
            return;
        request.removeExtension(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        if (uses & kUseCommands)
            enableWhatCommandsNeed(request, support);
    }

    VkResult start(Device& device, const VkDeviceCreateInfo&) const override
    {
        if (!device.usesCommands())
            return VK_SUCCESS;
        if (device.support.commandsForMeshes)
            tellWhose(device);
        auto commands = std::make_shared<GeneratedCommands>(device);
        VkResult result = commands->create(device);
        device.generatedCommands = commands;
        device.pipelineObserver = commands->pipelines;
        if (result == VK_SUCCESS && (device.uses & kUseTokenChecks)) {
            commands->checks = std::make_unique<TokenChecks>(device);
            result = commands->checks->create();
        }
        return result == VK_SUCCESS && (device.uses & kUseTally) ? startTally(device) : result;
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
