// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines with mesh shaders: a compute pipeline that runs those, and one that draws what they have written.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>

#include "layer/base/registry.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/pipeline_maker.h"
#include "mesh/lower_pipeline.h"

namespace millrace::layer {

// Beside the pipeline that draws, which is the application's.
struct MeshPipeline {
    MeshPipeline(std::shared_ptr<SequenceLayout> own, mesh::MeshLayout outputLayout)
        : layout(std::move(own)), outputs(outputLayout)
    {
    }
    ~MeshPipeline();
    MeshPipeline(const MeshPipeline&) = delete;
    MeshPipeline& operator=(const MeshPipeline&) = delete;

    const std::shared_ptr<SequenceLayout> layout;  // of both
    const mesh::MeshLayout outputs;
    VkPipeline task = VK_NULL_HANDLE;  // null: it has no task shader
    VkPipeline compute = VK_NULL_HANDLE;
};

// Thread-safe.
class MeshPipelines final : public PipelineMaker {
public:
    explicit MeshPipelines(Device& device) : m_device(device) {}

    bool makes(const VkGraphicsPipelineCreateInfo& info) const override;
    VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                    const VkAllocationCallbacks* allocator, VkPipeline* out) override;
    bool isMade(VkPipeline pipeline) const override { return m_pipelines.find(handleId(pipeline)) != nullptr; }
    void destroyed(VkPipeline pipeline) override { m_pipelines.remove(handleId(pipeline)); }

    // By the pipeline that draws. Null if it has no mesh shader.
    std::shared_ptr<MeshPipeline> find(VkPipeline pipeline) const { return m_pipelines.share(handleId(pipeline)); }

private:
    VkResult linkLibraries(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                           const VkAllocationCallbacks* allocator, VkPipeline* out);
    VkResult createFragment(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                            const VkAllocationCallbacks* allocator, VkPipeline* out);
    VkResult remember(VkPipeline pipeline, std::shared_ptr<MeshPipeline> made, const VkAllocationCallbacks* allocator);

    Device& m_device;
    Registry<MeshPipeline> m_pipelines;
};

}  // namespace millrace::layer
