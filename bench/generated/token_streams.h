// SPDX-License-Identifier: Apache-2.0
// Commands of VK_NV_device_generated_commands and VK_NV_device_generated_commands_compute: the records of a case as one
// stream.
#pragma once

#include "bench/generated/scene.h"
#include "bench/gpu.h"

namespace millrace::bench {

// Memory that a compute pipeline of streams is saved in.
class SavedPipeline {
public:
    explicit SavedPipeline(Gpu& gpu) : m_gpu(gpu) {}
    ~SavedPipeline() { m_gpu.destroy(m_memory); }
    SavedPipeline(const SavedPipeline&) = delete;
    SavedPipeline& operator=(const SavedPipeline&) = delete;

    // Chains it to what `info` has chained. `info` creates the pipeline then.
    void addTo(VkComputePipelineCreateInfo& info);
    // On the device, once it is created.
    void save(VkPipeline pipeline) const;

private:
    Gpu& m_gpu;
    GpuBuffer m_memory;
    VkComputePipelineIndirectBufferInfoNV m_info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV};
};

class TokenStreams {
public:
    // `pipeline`: a graphics pipeline with a shader group for each of the case's pipelines, or a compute pipeline that
    // is saved.
    TokenStreams(Gpu& gpu, const Case& scene, VkPipelineLayout layout, VkPipeline pipeline, VkShaderStageFlags stages);
    ~TokenStreams();
    TokenStreams(const TokenStreams&) = delete;

    // Call number `call` of the case.
    void execute(VkCommandBuffer commandBuffer, VkBuffer records, uint32_t call) const;

private:
    VkPipelineBindPoint bindPoint() const;
    VkIndirectCommandsTokenTypeNV action() const;
    void createLayout(VkPipelineLayout layout, VkShaderStageFlags stages);
    void createPreprocess();

    Gpu& m_gpu;
    const Case m_scene;
    const RecordLayout m_record;
    const VkPipeline m_pipeline;
    VkIndirectCommandsLayoutNV m_tokens = VK_NULL_HANDLE;
    GpuBuffer m_preprocess;
    VkDeviceSize m_preprocessBytes = 0;  // of one call
    PFN_vkCmdExecuteGeneratedCommandsNV m_execute = nullptr;
};

}  // namespace millrace::bench
