// SPDX-License-Identifier: Apache-2.0
// Commands of VK_NV_device_generated_commands: the records of a case as one stream.
#pragma once

#include "bench/generated/scene.h"
#include "bench/gpu.h"

namespace millrace::bench {

class TokenStreams {
public:
    // `pipeline`: a graphics pipeline with a shader group for each of the case's pipelines.
    TokenStreams(Gpu& gpu, const Case& scene, VkPipelineLayout layout, VkPipeline pipeline, VkShaderStageFlags stages);
    ~TokenStreams();
    TokenStreams(const TokenStreams&) = delete;

    // Call number `call` of the case.
    void execute(VkCommandBuffer commandBuffer, VkBuffer records, uint32_t call) const;

private:
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
