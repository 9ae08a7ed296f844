// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines with mesh shaders: a compute pipeline that runs those, and one that draws what they have written.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <span>
#include <vector>

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
    // Of shader objects, which are bound for a draw in place of the application's: there is no pipeline that draws.
    bool hasObjects = false;
    VkShaderEXT vertex = VK_NULL_HANDLE;
    VkShaderEXT fragment = VK_NULL_HANDLE;
};

// Of what is drawn.
VkPrimitiveTopology topologyOf(const mesh::MeshLayout& layout);
mesh::Target meshTargetOf(const Device& device);
class MeshObjects;

// Thread-safe.
class MeshPipelines final : public PipelineMaker {
public:
    explicit MeshPipelines(Device& device);
    ~MeshPipelines();

    bool makes(const VkGraphicsPipelineCreateInfo& info) const override;
    VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                    const VkAllocationCallbacks* allocator, VkPipeline* out) override;
    VkResult createDrawer(const VkGraphicsPipelineCreateInfo& info, std::vector<SharedWords> words,
                          std::shared_ptr<SequenceLayout> layout, VkPipelineCache cache,
                          std::shared_ptr<const ListDrawer>& out) override;
    VkResult createDrawer(std::span<const std::shared_ptr<const KeptShader>> shaders, std::vector<SharedWords> words,
                          std::shared_ptr<const ListDrawer>& out) override;
    bool isMade(VkPipeline pipeline) const override { return m_pipelines.find(handleId(pipeline)) != nullptr; }
    void destroyed(VkPipeline pipeline) override { m_pipelines.remove(handleId(pipeline)); }
    VkResult replaceShaders(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) override;
    void shaderCreated(const VkShaderCreateInfoEXT& info, VkShaderEXT shader) override;
    void shaderDestroyed(VkShaderEXT shader) override;

    MeshObjects& objects() const { return *m_objects; }
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
    const std::unique_ptr<MeshObjects> m_objects;
};

}  // namespace millrace::layer
