// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/kept_pipelines.h"

#include <algorithm>

#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_flags.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

KeptPipeline::KeptPipeline(VkPipelineBindPoint bindPoint, std::shared_ptr<SequenceLayout> layout)
    : m_bindPoint(bindPoint), m_layout(std::move(layout))
{
}

KeptPipeline::~KeptPipeline()
{
    for (const auto& [layout, pipeline] : m_variants)
        device().table.DestroyPipeline(device().handle, pipeline, runtime::hostMemory());
}

VkResult KeptPipeline::get(const commands::Layout& layout, VkPipeline& out)
{
    std::lock_guard lock(m_mutex);
    for (const auto& [known, pipeline] : m_variants)
        if (known == layout) {
            out = pipeline;
            return VK_SUCCESS;
        }
    m_variants.reserve(m_variants.size() + 1);
    const VkResult result = create(layout, out);
    if (result == VK_SUCCESS) {
        device().names.set(VK_OBJECT_TYPE_PIPELINE, out, {"variant for generated commands"});
        m_variants.emplace_back(layout, out);
    }
    return result;
}

VkResult KeptPipeline::refuse(const std::string& reason) const
{
    device().messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device().handle),
                              "a pipeline cannot run generated commands: " + reason,
                              "docs/generated-commands.md says what pipelines can");
    return VK_ERROR_UNKNOWN;
}

void KeptPipelines::created(const VkComputePipelineCreateInfo& info, VkPipeline pipeline)
{
    if (std::shared_ptr<KeptPipeline> kept = keep(m_device, info))
        m_pipelines.insert(handleId(pipeline), std::move(kept));
}

void KeptPipelines::created(const VkGraphicsPipelineCreateInfo& info, VkPipeline pipeline)
{
    const bool isLibrary = pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    const auto* libraries =
        findInChain<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    const bool isLinked = libraries && libraries->libraryCount > 0;
    GraphicsParts parts = isLibrary || isLinked ? partsOf(info) : GraphicsParts();
    if (isLibrary) {
        if (!parts.empty())
            m_libraries.insert(handleId(pipeline), std::make_shared<GraphicsParts>(std::move(parts)));
        return;
    }
    std::shared_ptr<KeptPipeline> kept;
    if (!isLinked)
        kept = keep(m_device, info);
    else if (!parts.empty())
        kept = link(m_device, info, parts);
    if (kept)
        m_pipelines.insert(handleId(pipeline), std::move(kept));
}

GraphicsParts KeptPipelines::partsOf(const VkGraphicsPipelineCreateInfo& info) const
{
    GraphicsParts parts;
    const auto* libraries =
        findInChain<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    for (uint32_t i = 0; libraries && i < libraries->libraryCount; ++i) {
        const GraphicsParts* known = m_libraries.find(handleId(libraries->pLibraries[i]));
        if (!known)
            return {};
        parts.insert(parts.end(), known->begin(), known->end());
    }
    if (ownSubsets(info) != 0) {
        std::shared_ptr<const GraphicsPart> own = createPart(m_device, info);
        if (!own)
            return {};
        parts.push_back(std::move(own));
    }
    return parts;
}

void KeptPipelines::destroyed(VkPipeline pipeline)
{
    m_pipelines.remove(handleId(pipeline));
    m_libraries.remove(handleId(pipeline));
}

}  // namespace millrace::layer
