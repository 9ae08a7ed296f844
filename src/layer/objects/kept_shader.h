// SPDX-License-Identifier: Apache-2.0
// What a shader object of the application was given (VK_EXT_shader_object), for features that make others of it.
#pragma once

#include <vulkan/vulkan.h>
#include <vulkan/utility/vk_safe_struct.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/chains/chain_copy.h"
#include "layer/chains/unknown_structures.h"
#include "layer/objects/pipeline_layouts.h"

namespace millrace::layer {

// Immutable. Created from SPIR-V.
class KeptShader {
public:
    KeptShader(Device& device, const VkShaderCreateInfoEXT& info)
        : stage(info.stage),
          nextStage(info.nextStage),
          flags(info.flags & ~(VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT | VK_SHADER_CREATE_LINK_STAGE_BIT_EXT)),
          entryPoint(info.pName),
          words(static_cast<const uint32_t*>(info.pCode), static_cast<const uint32_t*>(info.pCode) + info.codeSize / 4),
          chain(info.pNext),
          notKept(missingStructures(info.pNext, chain.get()))
    {
        if (info.pSpecializationInfo)
            specialization.emplace(info.pSpecializationInfo);
        VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        layoutInfo.setLayoutCount = info.setLayoutCount;
        layoutInfo.pSetLayouts = info.pSetLayouts;
        layoutInfo.pushConstantRangeCount = info.pushConstantRangeCount;
        layoutInfo.pPushConstantRanges = info.pPushConstantRanges;
        layout = createSequenceLayout(device, layoutInfo);
        for (uint32_t i = 0; layout && i < info.setLayoutCount; ++i)
            ownSets.push_back(copySetLayout(device, info.pSetLayouts[i]));
    }

    // False if the driver refused one of our layouts.
    bool isUsable() const
    {
        return layout && std::ranges::all_of(ownSets, [](const auto& own) { return own && own->handle; });
    }
    const VkSpecializationInfo* constants() const { return specialization ? specialization->ptr() : nullptr; }
    // Of the flags those of a stage of a compute pipeline that does the same.
    VkPipelineShaderStageCreateFlags stageFlags() const
    {
        VkPipelineShaderStageCreateFlags out = 0;
        if (flags & VK_SHADER_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT)
            out |= VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
        if (flags & VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT)
            out |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
        return out;
    }
    // With other code, for one of the driver's that has `layouts` and the layer's push constants.
    VkShaderCreateInfoEXT createInfo(std::span<const uint32_t> code, std::span<const VkDescriptorSetLayout> layouts,
                                     const VkPushConstantRange& range) const
    {
        VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT, chain.get()};
        info.flags = flags;
        info.stage = stage;
        info.nextStage = nextStage;
        info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        info.codeSize = code.size_bytes();
        info.pCode = code.data();
        info.pName = entryPoint.c_str();
        info.setLayoutCount = static_cast<uint32_t>(layouts.size());
        info.pSetLayouts = layouts.data();
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        info.pSpecializationInfo = constants();
        return info;
    }
    // Like the application's.
    std::vector<VkDescriptorSetLayout> setHandles() const
    {
        std::vector<VkDescriptorSetLayout> handles;
        for (const std::shared_ptr<OwnSetLayout>& own : ownSets)
            handles.push_back(own->handle);
        return handles;
    }

    const VkShaderStageFlagBits stage;
    const VkShaderStageFlags nextStage;
    const VkShaderCreateFlagsEXT flags;
    const std::string entryPoint;
    const std::vector<uint32_t> words;
    const ChainCopy chain;
    const StructureTypes notKept;  // that the application's has
    std::optional<vku::safe_VkSpecializationInfo> specialization;
    std::shared_ptr<SequenceLayout> layout;
    std::vector<std::shared_ptr<OwnSetLayout>> ownSets;
};

}  // namespace millrace::layer
