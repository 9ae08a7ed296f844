// SPDX-License-Identifier: Apache-2.0
// The pipelines of the application of which variants can be made.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/base/registry.h"
#include "layer/commands/indirect_pipelines.h"
#include "layer/commands/kept_pipeline.h"
#include "layer/commands/shader_groups.h"
#include "layer/objects/pipeline_observer.h"

namespace millrace::layer {

// All pipelines of which variants can be made, since each may be used with generated commands: the flag
// VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT is for those of execution sets alone.
class KeptPipelines final : public PipelineObserver {
public:
    explicit KeptPipelines(Device& device) : m_device(device) {}

    void created(const VkComputePipelineCreateInfo& info, VkPipeline pipeline) override;
    void created(const VkGraphicsPipelineCreateInfo& info, VkPipeline pipeline) override;
    VkResult createParts(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache, VkPipeline pipeline) override;
    VkPipeline findPart(VkPipeline pipeline, uint32_t number) const override;
    void named(uint64_t pipeline, const char* name) override;
    void destroyed(VkPipeline pipeline) override;

    // Null if it is not kept.
    std::shared_ptr<KeptPipeline> find(VkPipeline pipeline) const { return m_pipelines.share(handleId(pipeline)); }

    // Those of its shader groups in their order; none if it has none.
    std::vector<std::shared_ptr<KeptPipeline>> groupsOf(VkPipeline pipeline) const;
    // Null if it has none.
    Combination* combinationOf(VkPipeline pipeline) const;
    bool isPart(VkPipeline pipeline, VkPipeline part) const;
    // Whose addresses streams name.
    const IndirectPipelines& indirect() const { return m_indirect; }
    IndirectPipelines& indirect() { return m_indirect; }

private:
    Device& m_device;
    Registry<KeptPipeline> m_pipelines;
    Registry<ShaderGroups> m_groups;
    IndirectPipelines m_indirect;
};

// Null if the layer does not have the code of all stages and libraries, or the driver refused the layout; likewise if
// the layouts of libraries have different sets and the structure does not say the layout of all.
std::shared_ptr<KeptPipeline> keep(Device& device, const VkComputePipelineCreateInfo& info);
std::shared_ptr<KeptPipeline> keep(Device& device, const VkGraphicsPipelineCreateInfo& info);

}  // namespace millrace::layer
