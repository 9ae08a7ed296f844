// SPDX-License-Identifier: Apache-2.0
#include "forest.h"

#include <cstddef>

#include "shaders/forest_shaders.h"

namespace {

namespace shaders = millrace::shaders;

constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
constexpr uint32_t kTreeBytes = 16;  // push constants of a tree
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

// Everything behind everything.
void barrier(VkCommandBuffer cmd)
{
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         nullptr, 0, nullptr);
}

void transition(VkCommandBuffer cmd, const Image& image, VkImageAspectFlags aspect, VkImageLayout from,
                VkImageLayout to)
{
    VkImageMemoryBarrier change{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    change.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    change.oldLayout = from;
    change.newLayout = to;
    change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    change.image = image.handle;
    change.subresourceRange = {aspect, 0, 1, 0, 1};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &change);
}

VkPipelineLayout createLayout(const Device& device, VkShaderStageFlags stages)
{
    const VkPushConstantRange range{stages, 0, kTreeBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device.handle(), &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
}

}  // namespace

Forest::Forest(const Device& device) : m_device(device)
{
    constexpr VkBufferUsageFlags2 kWritten = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT |
                                             VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT;
    m_stream = device.createBuffer(kPlaces * sizeof(Record), kWritten);
    m_count = device.createBuffer(sizeof(uint32_t), kWritten);
    m_readback =
        device.createBuffer(VkDeviceSize{4} * kExtent.width * kExtent.height, VK_BUFFER_USAGE_2_TRANSFER_DST_BIT);
    m_color = device.createImage(kExtent, kColor, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                 VK_IMAGE_ASPECT_COLOR_BIT);
    m_depth =
        device.createImage(kExtent, kDepth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    createPipelines();
    createTokens();
    createSet();
    createPreprocess();
}

Forest::~Forest()
{
    m_device.load<PFN_vkDestroyIndirectExecutionSetEXT>("vkDestroyIndirectExecutionSetEXT")(m_device.handle(), m_set,
                                                                                            nullptr);
    m_device.load<PFN_vkDestroyIndirectCommandsLayoutEXT>("vkDestroyIndirectCommandsLayoutEXT")(m_device.handle(),
                                                                                                m_tokens, nullptr);
    for (const VkPipeline pipeline : {m_grow, m_ground, m_trees[0], m_trees[1]})
        vkDestroyPipeline(m_device.handle(), pipeline, nullptr);
    for (const VkPipelineLayout layout : {m_growLayout, m_layout})
        vkDestroyPipelineLayout(m_device.handle(), layout, nullptr);
    for (const Image& image : {m_color, m_depth})
        m_device.destroy(image);
    for (const Buffer& buffer : {m_stream, m_count, m_preprocess, m_readback})
        m_device.destroy(buffer);
}

void Forest::createPipelines()
{
    m_growLayout = createLayout(m_device, VK_SHADER_STAGE_COMPUTE_BIT);
    m_layout = createLayout(m_device, kStages);
    const VkShaderModule plant = m_device.createModule(shaders::forest_plant);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = plant;
    info.stage.pName = "main";
    info.layout = m_growLayout;
    check(vkCreateComputePipelines(m_device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &m_grow),
          "vkCreateComputePipelines");
    const VkShaderModule tree = m_device.createModule(shaders::forest_tree);
    const VkShaderModule leaf = m_device.createModule(shaders::forest_tree_fragment);
    const VkShaderModule ground = m_device.createModule(shaders::forest_ground);
    const VkShaderModule groundFragment = m_device.createModule(shaders::forest_ground_fragment);
    m_ground = createGraphics(ground, groundFragment, false, 0);
    for (uint32_t kind = 0; kind < kKinds; ++kind)
        m_trees[kind] = createGraphics(tree, leaf, true, kind);
    for (const VkShaderModule module : {plant, tree, leaf, ground, groundFragment})
        vkDestroyShaderModule(m_device.handle(), module, nullptr);
}

// Trees hide each other by their depth, so that the order of sequences does not matter.
VkPipeline Forest::createGraphics(VkShaderModule vertex, VkShaderModule fragment, bool isTree, uint32_t kind) const
{
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &kind};
    VkPipelineShaderStageCreateInfo stages[2];
    for (VkPipelineShaderStageCreateInfo& stage : stages) {
        stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stage.stage = &stage == stages ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        stage.module = &stage == stages ? vertex : fragment;
        stage.pName = "main";
    }
    if (isTree)
        stages[0].pSpecializationInfo = &specialization;
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkViewport viewport{0, 0, float(kExtent.width), float(kExtent.height), 0, 1};
    const VkRect2D scissor{{0, 0}, kExtent};
    VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = depth.depthWriteEnable = isTree;
    depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                            isTree ? &flags : nullptr};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kColor;
    rendering.depthAttachmentFormat = kDepth;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.layout = m_layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(m_device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    return pipeline;
}

// What a record has, token by token.
void Forest::createTokens()
{
    const VkIndirectCommandsExecutionSetTokenEXT set{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kStages};
    const VkIndirectCommandsPushConstantTokenEXT push{{kStages, 0, kTreeBytes}};
    VkIndirectCommandsLayoutTokenEXT tokens[3];
    for (VkIndirectCommandsLayoutTokenEXT& token : tokens)
        token = {VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT};
    tokens[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
    tokens[0].data.pExecutionSet = &set;
    tokens[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT;
    tokens[1].data.pPushConstant = &push;
    tokens[1].offset = offsetof(Record, place);
    tokens[2].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT;
    tokens[2].offset = offsetof(Record, draw);
    VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
    info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT;
    info.shaderStages = kStages;
    info.indirectStride = sizeof(Record);
    info.pipelineLayout = m_layout;
    info.tokenCount = 3;
    info.pTokens = tokens;
    const auto create = m_device.load<PFN_vkCreateIndirectCommandsLayoutEXT>("vkCreateIndirectCommandsLayoutEXT");
    check(create(m_device.handle(), &info, nullptr, &m_tokens), "vkCreateIndirectCommandsLayoutEXT");
}

void Forest::createSet()
{
    VkIndirectExecutionSetPipelineInfoEXT pipelines{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    pipelines.initialPipeline = m_trees[0];
    pipelines.maxPipelineCount = kKinds;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    info.info.pPipelineInfo = &pipelines;
    const auto create = m_device.load<PFN_vkCreateIndirectExecutionSetEXT>("vkCreateIndirectExecutionSetEXT");
    check(create(m_device.handle(), &info, nullptr, &m_set), "vkCreateIndirectExecutionSetEXT");
    const VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
                                                       nullptr, 1, m_trees[1]};
    m_device.load<PFN_vkUpdateIndirectExecutionSetPipelineEXT>("vkUpdateIndirectExecutionSetPipelineEXT")(
        m_device.handle(), m_set, 1, &write);
}

void Forest::createPreprocess()
{
    VkGeneratedCommandsMemoryRequirementsInfoEXT ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT};
    ask.indirectExecutionSet = m_set;
    ask.indirectCommandsLayout = m_tokens;
    ask.maxSequenceCount = kPlaces;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    m_device.load<PFN_vkGetGeneratedCommandsMemoryRequirementsEXT>("vkGetGeneratedCommandsMemoryRequirementsEXT")(
        m_device.handle(), &ask, &needs);
    if (needs.memoryRequirements.size > 0)
        m_preprocess =
            m_device.createBuffer(needs.memoryRequirements.size, VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT);
}

void Forest::grow(VkCommandBuffer cmd) const
{
    const VkDeviceAddress addresses[] = {m_stream.address, m_count.address};
    vkCmdFillBuffer(cmd, m_count.handle, 0, VK_WHOLE_SIZE, 0);
    barrier(cmd);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_grow);
    vkCmdPushConstants(cmd, m_growLayout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof addresses, addresses);
    vkCmdDispatch(cmd, kPlaces / 64, 1, 1);
    barrier(cmd);
}

void Forest::beginPicture(VkCommandBuffer cmd) const
{
    transition(cmd, m_color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    transition(cmd, m_depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = m_color.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = m_depth.view;
    depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.clearValue.depthStencil.depth = 1;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, kExtent};
    info.layerCount = info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(cmd, &info);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_ground);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_trees[0]);
}

void Forest::endPicture(VkCommandBuffer cmd) const
{
    vkCmdEndRendering(cmd);
    transition(cmd, m_color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kExtent.width, kExtent.height, 1};
    vkCmdCopyImageToBuffer(cmd, m_color.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_readback.handle, 1, &copy);
    barrier(cmd);
}

// One command draws all trees that the stream has. The host does not know how many there are.
void Forest::execute(VkCommandBuffer cmd) const
{
    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
    info.shaderStages = kStages;
    info.indirectExecutionSet = m_set;
    info.indirectCommandsLayout = m_tokens;
    info.indirectAddress = m_stream.address;
    info.indirectAddressSize = m_stream.size;
    info.preprocessAddress = m_preprocess.address;
    info.preprocessSize = m_preprocess.size;
    info.maxSequenceCount = kPlaces;
    info.sequenceCountAddress = m_count.address;
    m_device.load<PFN_vkCmdExecuteGeneratedCommandsEXT>("vkCmdExecuteGeneratedCommandsEXT")(cmd, VK_FALSE, &info);
}

void Forest::growAndDraw()
{
    m_device.run([this](VkCommandBuffer cmd) {
        grow(cmd);
        beginPicture(cmd);
        execute(cmd);
        endPicture(cmd);
    });
}

void Forest::drawByLoop()
{
    m_device.run([this](VkCommandBuffer cmd) {
        beginPicture(cmd);
        const auto* const records = static_cast<const Record*>(m_stream.mapped);
        for (uint32_t i = 0; i < treeCount(); ++i) {
            const Record& record = records[i];
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_trees[record.pipeline]);
            vkCmdPushConstants(cmd, m_layout, kStages, 0, kTreeBytes, record.place);
            vkCmdDraw(cmd, record.draw.vertexCount, record.draw.instanceCount, record.draw.firstVertex,
                      record.draw.firstInstance);
        }
        endPicture(cmd);
    });
}

std::vector<uint32_t> Forest::pixels() const
{
    const auto* const words = static_cast<const uint32_t*>(m_readback.mapped);
    return {words, words + size_t{kExtent.width} * kExtent.height};
}
