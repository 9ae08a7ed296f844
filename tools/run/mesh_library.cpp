// SPDX-License-Identifier: Apache-2.0
#include "tools/run/mesh_library.h"

#include "tools/run/shader_stage.h"

namespace millrace::tools::run {

namespace {

VkPipelineColorBlendAttachmentState blendState(Blend blend, uint32_t components)
{
    VkPipelineColorBlendAttachmentState out{};
    out.colorWriteMask = (1u << components) - 1;
    out.blendEnable = blend == Blend::None ? VK_FALSE : VK_TRUE;
    out.srcColorBlendFactor = blend == Blend::Alpha ? VK_BLEND_FACTOR_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
    out.dstColorBlendFactor = blend == Blend::Alpha ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
    out.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    out.dstAlphaBlendFactor = blend == Blend::Alpha ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
    return out;
}

// The state of a pipeline with the structures that it points to.
struct State {
    State(const DrawDescription& draw, const Work& work)
    {
        const TargetDescription& target = *work.target;
        const Resource& picture = work.resources[target.resource];
        viewport = {0, 0, static_cast<float>(picture.width), static_cast<float>(picture.height), 0, 1};
        scissor.extent = {picture.width, picture.height};
        viewports.viewportCount = viewports.scissorCount = 1;
        viewports.pViewports = &viewport;
        viewports.pScissors = &scissor;
        raster.cullMode = draw.cull;
        raster.lineWidth = 1;
        samples.rasterizationSamples = static_cast<VkSampleCountFlagBits>(target.samples);
        depth.depthTestEnable = target.depth ? VK_TRUE : VK_FALSE;
        depth.depthWriteEnable = target.depth && draw.depthWrite ? VK_TRUE : VK_FALSE;
        depth.depthCompareOp = draw.depthTest;
        attachment = blendState(draw.blend, picture.format->components);
        blend.attachmentCount = 1;
        blend.pAttachments = &attachment;
        flags.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
        rendering.pNext = &flags;
        rendering.colorAttachmentCount = 1;
        rendering.pColorAttachmentFormats = &picture.format->format;
        rendering.depthAttachmentFormat = target.depth ? kDepthFormat : VK_FORMAT_UNDEFINED;
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    VkViewport viewport{};
    VkRect2D scissor{};
    VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState attachment{};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
};

}  // namespace

VkPipeline createMeshLibrary(const Device& device, VkPipelineLayout layout, const ProgramNode& node, const Work& work)
{
    const FragmentShader& drawn = *node.fragment;
    const ShaderStage mesh(device, node);
    const ShaderStage fragment(device, VK_SHADER_STAGE_FRAGMENT_BIT, drawn.words, drawn.entryPoint,
                               drawn.specialization);
    const VkPipelineShaderStageCreateInfo stages[] = {mesh.info(), fragment.info()};
    const State state(*drawn.description, work);
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &state.rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pViewportState = &state.viewports;
    info.pRasterizationState = &state.raster;
    info.pMultisampleState = &state.samples;
    info.pDepthStencilState = &state.depth;
    info.pColorBlendState = &state.blend;
    info.layout = layout;
    info.basePipelineIndex = -1;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(device.vk().CreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          ("vkCreateGraphicsPipelines of mesh node " + node.declared.id.name).c_str());
    return pipeline;
}

}  // namespace millrace::tools::run
