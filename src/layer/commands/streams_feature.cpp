// SPDX-License-Identifier: Apache-2.0
// VK_NV_device_generated_commands and VK_NV_device_generated_commands_compute as a feature of the layer, on top of what
// VK_EXT_device_generated_commands has.
#include "layer/chains/chain.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/feature.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV;
constexpr VkStructureType kProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_NV;
constexpr VkStructureType kComputeFeatures =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV;

constexpr uint32_t kMaxStreams = 16;
constexpr uint32_t kOffsetAlignment = 4;

class TokenStreamFeature final : public Feature {
public:
    std::span<const ProvidedExtension> extensions() const override
    {
        static const ProvidedExtension list[] = {
            {{VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, VK_NV_DEVICE_GENERATED_COMMANDS_SPEC_VERSION},
             &Support::nativeStreams},
            {{VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME,
              VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_SPEC_VERSION},
             &Support::nativeComputeStreams},
        };
        return list;
    }

    bool isProvided(const Support& support) const override { return support.streams; }

    std::span<const VkStructureType> hiddenStructures(const Support& support) const override
    {
        static constexpr VkStructureType kTypes[] = {kFeatures, kProperties, kComputeFeatures};
        return support.streams ? std::span<const VkStructureType>(kTypes) : std::span<const VkStructureType>();
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        if (!support.streams)
            return;
        if (auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV>(features.pNext, kFeatures))
            own->deviceGeneratedCommands = VK_TRUE;
        if (auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV>(features.pNext,
                                                                                              kComputeFeatures)) {
            own->deviceGeneratedCompute = VK_TRUE;
            own->deviceGeneratedComputePipelines = VK_TRUE;
            own->deviceGeneratedComputeCaptureReplay = VK_FALSE;
        }
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV>(properties.pNext, kProperties);
        if (!own || !support.streams)
            return;
        own->maxGraphicsShaderGroupCount = kMaxPipelines;
        own->maxIndirectSequenceCount = kMaxSequences;
        own->maxIndirectCommandsTokenCount = kMaxTokens;
        own->maxIndirectCommandsStreamCount = kMaxStreams;
        own->maxIndirectCommandsTokenOffset = kMaxTokenOffset;
        own->maxIndirectCommandsStreamStride = kMaxStride;
        own->minSequencesCountBufferOffsetAlignment = kOffsetAlignment;
        own->minSequencesIndexBufferOffsetAlignment = kOffsetAlignment;
        own->minIndirectCommandsBufferOffsetAlignment = kOffsetAlignment;
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        return support.streams && enabled.tokenStreams ? kUseCommands | kUseTokenStreams : 0u;
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t) const override
    {
        if (!support.streams)
            return;
        request.removeExtension(VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
        request.removeExtension(VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        request.chain().remove(kComputeFeatures);
    }

    std::vector<EntryPoints> entryPoints() const override
    {
        return {streamLayoutEntryPoints(), streamCommandEntryPoints()};
    }
};

}  // namespace

const Feature& tokenStreamFeature()
{
    static constexpr TokenStreamFeature feature;
    return feature;
}

}  // namespace millrace::layer
