// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/compute_variants.h"

#include <vulkan/utility/vk_safe_struct.hpp>

#include <optional>

#include "commands/shader_variants.h"
#include "layer/chains/chain.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/commands/variant_flags.h"
#include "layer/loader/device.h"
#include "layer/objects/shader_modules.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

class KeptCompute final : public KeptPipeline {
public:
    KeptCompute(std::shared_ptr<SequenceLayout> layout, SharedWords words, const VkComputePipelineCreateInfo& info)
        : KeptPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, std::move(layout)),
          m_words(std::move(words)),
          m_entryPoint(info.stage.pName),
          m_flags(variantFlags(info.pNext, info.flags)),
          m_stageFlags(info.stage.flags)
    {
        if (info.stage.pSpecializationInfo)
            m_specialization.emplace(info.stage.pSpecializationInfo);
        const auto* size = findInChain<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
            info.stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
        if (size)
            m_subgroupSize = size->requiredSubgroupSize;
        // A stage's own wins over the pipeline's.
        for (const void* chain : {info.pNext, info.stage.pNext})
            if (const auto* robustness = findInChain<VkPipelineRobustnessCreateInfo>(
                    chain, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO)) {
                m_robustness = *robustness;
                m_robustness->pNext = nullptr;
            }
    }

protected:
    VkResult create(const commands::Layout& layout, const commands::VertexInput&, VariantHandles& out) const override
    {
        const Result<spirv::Words> words = commands::makeDispatchVariant(*m_words, m_entryPoint, layout);
        if (!words)
            return refuse(words.error().text());
        const TransientModule module(device(), *words);
        if (module.result() != VK_SUCCESS)
            return module.result();
        device().names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {"variant for generated commands"});
        return callDriver(module, out.pipeline);
    }

private:
    VkResult callDriver(const TransientModule& module, VkPipeline& out) const
    {
        VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroupSize{
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
        subgroupSize.requiredSubgroupSize = m_subgroupSize;
        VkPipelineRobustnessCreateInfo robustness = m_robustness.value_or(VkPipelineRobustnessCreateInfo{});
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.flags = m_flags;
        info.stage = module.stage();
        info.stage.flags = m_stageFlags;
        info.stage.pName = m_entryPoint.c_str();
        if (m_specialization)
            info.stage.pSpecializationInfo = m_specialization->ptr();
        if (m_robustness)
            info.stage.pNext = &robustness;
        if (m_subgroupSize) {
            subgroupSize.pNext = const_cast<void*>(info.stage.pNext);
            info.stage.pNext = &subgroupSize;
        }
        info.layout = this->layout().handle;
        info.basePipelineIndex = -1;
        return device().table.CreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(),
                                                     &out);
    }

    const SharedWords m_words;
    const std::string m_entryPoint;
    const VkPipelineCreateFlags m_flags;
    const VkPipelineShaderStageCreateFlags m_stageFlags;
    std::optional<vku::safe_VkSpecializationInfo> m_specialization;
    uint32_t m_subgroupSize = 0;  // 0: the driver's choice
    std::optional<VkPipelineRobustnessCreateInfo> m_robustness;
};

}  // namespace

std::shared_ptr<KeptPipeline> keep(Device& device, const VkComputePipelineCreateInfo& info)
{
    std::shared_ptr<SequenceLayout> layout = sequenceLayoutOf(device, info.layout);
    SharedWords words = wordsOf(device, info.stage);
    if (!layout || !words)
        return nullptr;
    std::shared_ptr<KeptPipeline> kept = keep(std::move(layout), std::move(words), info);
    // Of those that the headers know, the others mean nothing to a variant.
    for (const void* chain : {info.pNext, info.stage.pNext})
        kept->cannotKeep("vkCreateComputePipelines", unknownStructures(chain));
    return kept;
}

std::shared_ptr<KeptPipeline> keep(std::shared_ptr<SequenceLayout> layout, SharedWords words,
                                   const VkComputePipelineCreateInfo& info)
{
    return std::make_shared<KeptCompute>(std::move(layout), std::move(words), info);
}

}  // namespace millrace::layer
