// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/kept_pipelines.h"

#include <algorithm>

#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/objects/graphics_parts.h"

namespace millrace::layer {

void KeptPipelines::created(const VkComputePipelineCreateInfo& info, VkPipeline pipeline)
{
    std::shared_ptr<KeptPipeline> kept = keep(m_device, info);
    if (!kept)
        return;
    if (const auto* memory = findInChain<VkComputePipelineIndirectBufferInfoNV>(
            info.pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV)) {
        if (!m_indirect.insert(pipeline, memory->deviceAddress, kept))
            m_device.messages().error("Millrace-generated-commands",
                                      objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                      "vkCreateComputePipelines: there are too many pipelines with addresses, so "
                                      "streams cannot name this one",
                                      "docs/generated-commands.md says how many there may be");
    }
    m_pipelines.insert(handleId(pipeline), std::move(kept));
}

void KeptPipelines::created(const VkGraphicsPipelineCreateInfo& info, VkPipeline pipeline)
{
    if (isLibrary(info))
        return;
    if (std::shared_ptr<KeptPipeline> kept = keep(m_device, info))
        m_pipelines.insert(handleId(pipeline), std::move(kept));
}

VkResult KeptPipelines::createParts(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                                    VkPipeline pipeline)
{
    const auto* groups = findInChain<VkGraphicsPipelineShaderGroupsCreateInfoNV>(
        info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV);
    if (!groups)
        return VK_SUCCESS;
    auto own = std::make_shared<ShaderGroups>(m_device, pipeline);
    const VkResult result = own->create(info, *groups, cache);
    if (result != VK_SUCCESS)
        return result;
    // Each may be bound by itself.
    for (const ShaderGroups::Group& group : own->groups())
        if (group.kept)
            m_pipelines.insert(handleId(group.pipeline), group.kept);
    for (uint32_t i = 0; i < groups->pipelineCount; ++i) {
        const VkPipeline other = groups->pPipelines[i];
        if (const ShaderGroups* known = m_groups.find(handleId(other)))
            own->append(*known);
        else
            own->append({other, nullptr});
    }
    m_groups.insert(handleId(pipeline), std::move(own));
    return VK_SUCCESS;
}

void KeptPipelines::named(uint64_t pipeline, const char* name)
{
    const bool isAsked = m_device.uses & kUseTally;
    if (const std::shared_ptr<KeptPipeline> kept = isAsked ? m_pipelines.share(pipeline) : nullptr)
        kept->setName(name ? name : "");
}

VkPipeline KeptPipelines::findPart(VkPipeline pipeline, uint32_t number) const
{
    const ShaderGroups* groups = m_groups.find(handleId(pipeline));
    return groups && number < groups->groups().size() ? groups->groups()[number].pipeline : VK_NULL_HANDLE;
}

std::vector<std::shared_ptr<KeptPipeline>> KeptPipelines::groupsOf(VkPipeline pipeline) const
{
    std::vector<std::shared_ptr<KeptPipeline>> kept;
    if (const ShaderGroups* groups = m_groups.find(handleId(pipeline)))
        for (const ShaderGroups::Group& group : groups->groups())
            kept.push_back(find(group.pipeline));
    return kept;
}

Combination* KeptPipelines::combinationOf(VkPipeline pipeline) const
{
    ShaderGroups* const groups = m_groups.find(handleId(pipeline));
    return groups ? &groups->combination() : nullptr;
}

bool KeptPipelines::isPart(VkPipeline pipeline, VkPipeline part) const
{
    const ShaderGroups* groups = m_groups.find(handleId(pipeline));
    return groups && std::ranges::count(groups->groups(), part, &ShaderGroups::Group::pipeline) > 0;
}

void KeptPipelines::destroyed(VkPipeline pipeline)
{
    if (const std::shared_ptr<ShaderGroups> groups = m_groups.share(handleId(pipeline)))
        for (const ShaderGroups::Group& group : groups->groups())
            if (group.isOwn)
                m_pipelines.remove(handleId(group.pipeline));
    m_groups.remove(handleId(pipeline));
    m_indirect.remove(pipeline);
    m_pipelines.remove(handleId(pipeline));
}

}  // namespace millrace::layer
