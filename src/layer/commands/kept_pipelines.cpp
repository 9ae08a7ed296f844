// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/kept_pipelines.h"

#include <algorithm>

#include "layer/loader/device.h"
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
    if (std::shared_ptr<KeptPipeline> kept = keep(m_device, info))
        m_pipelines.insert(handleId(pipeline), std::move(kept));
}

void KeptPipelines::destroyed(VkPipeline pipeline)
{
    m_pipelines.remove(handleId(pipeline));
}

}  // namespace millrace::layer
