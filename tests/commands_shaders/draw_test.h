// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines without attachments, whose fragment shaders count.
#pragma once

#include <span>
#include <vector>

#include "commands/shader_variants.h"
#include "commands_shaders/variant_test.h"

namespace millrace::commands {

// The two builds of shaders/draw.*.
struct StageChoice {
    spv::ExecutionModel model;
    VkShaderStageFlagBits bit;
    std::span<const uint32_t> plain;
    std::span<const uint32_t> push;
};
const std::vector<StageChoice>& allStages();

inline constexpr VkShaderStageFlags kAll = VK_SHADER_STAGE_ALL_GRAPHICS;

class DrawTest : public VariantTest {
protected:
    void SetUp() override;

    struct Pipeline {
        VkPipelineLayout layout = VK_NULL_HANDLE;
        VkPipeline handle = VK_NULL_HANDLE;
    };
    struct PipelineState {
        VkPipelineVertexInputStateCreateInfo vertexInput{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
        std::vector<VkDynamicState> dynamic;
        VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;  // patches if there is tessellation
        float scale = 0;                                                     // specialization constant 0
    };
    Pipeline createPipeline(const std::vector<StageCode>& stages, uint32_t pushBytes, const PipelineState& state);

    // The counters after these commands inside a render pass, with pipeline and set bound.
    std::vector<uint32_t> run(const Pipeline& pipeline, const std::function<void(VkCommandBuffer)>& record);

private:
    void createTarget();

    VkRenderPass m_renderPass = VK_NULL_HANDLE;
    VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
};

}  // namespace millrace::commands
