// SPDX-License-Identifier: Apache-2.0
#include "bench/generated/way.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "shaders/bench_generated_shaders.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kPushBytes = 16;
constexpr VkBufferUsageFlags2 kStreamUsage =
    VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT;

std::vector<uint32_t> pixels(const Case& scene)
{
    std::vector<uint32_t> words(size_t{scene.total()} * kVertices);
    for (uint32_t i = 0; i < words.size(); ++i)
        words[i] = i;
    return words;
}

std::vector<uint32_t> orders()
{
    std::vector<uint32_t> words;
    for (uint32_t order = 0; order < kOrders; ++order)
        for (uint32_t i = 0; i < kVertices; i += 2)
            words.push_back(indexOf(order, i) | indexOf(order, i + 1) << 16);
    return words;
}

// What the floor's shaders look up.
std::vector<uint32_t> recordsOf(const Case& scene)
{
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < scene.total(); ++i) {
        words.push_back(i * kVertices);
        words.push_back(colorOf(i) + pipelineOf(scene, i) * kSalt);
    }
    return words;
}

// The floor's indirect commands, each with what its sequence has in buffers that are bound for all.
std::vector<uint32_t> commandsOf(const Case& scene)
{
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < scene.total(); ++i)
        if (scene.action == Action::DrawBuffers)
            words.insert(words.end(), {kVertices, 1, i % kOrders * kVertices, i * kVertices, 0});
        else
            words.insert(words.end(), {kVertices, 1, 0, 0});
    return words;
}

}  // namespace

Way::Way(Gpu& gpu, const Case& scene, Kind kind) : m_gpu(gpu), m_scene(scene), m_kind(kind), m_layout(scene)
{
    createData();
    if (!isDispatch())
        createTarget();
    createLayout();
    for (uint32_t i = 0; i < (kind == Kind::Floor ? 1 : scene.pipelines); ++i)
        m_pipelines.push_back(createPipeline(i * kSalt));
    if (kind == Kind::Generated)
        createCommands();
    if (kind == Kind::Streams) {
        const std::vector<VkPipeline> groups = m_pipelines;
        if (!isDispatch())
            m_pipelines[0] = createPipeline(0, std::span(groups).subspan(1));
        m_streams = std::make_unique<TokenStreams>(gpu, scene, m_pipelineLayout, m_pipelines[0], stages());
    }
    record();
}

Way::~Way()
{
    m_streams.reset();
    while (!m_cleanup.empty()) {
        m_cleanup.back()();
        m_cleanup.pop_back();
    }
}

VkShaderStageFlags Way::stages() const
{
    return isDispatch() ? VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT}
                        : VkShaderStageFlags{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT};
}

VkPipelineBindPoint Way::bindPoint() const
{
    return isDispatch() ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
}

void Way::createData()
{
    const auto keep = [&](const GpuBuffer& buffer) {
        onDestroy([this, buffer] { m_gpu.destroy(buffer); });
        return buffer;
    };
    m_vertices = keep(m_gpu.createFilled(pixels(m_scene), VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT));
    m_indices = keep(m_gpu.createFilled(orders(), VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT));
    m_words = streamOf(m_scene, m_vertices.address, m_indices.address);
    m_stream = keep(m_gpu.createFilled(m_kind == Kind::Floor ? commandsOf(m_scene) : m_words, kStreamUsage));
    m_data = keep(m_gpu.createFilled(recordsOf(m_scene), VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT));
    m_readback = keep(m_gpu.createBuffer(kPixels * 4, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT, true));
    m_out = keep(m_gpu.createBuffer(kPixels * 4, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT, false));
}

void Way::createTarget()
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R32_UINT;
    info.extent = {kWidth, kHeight, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const VkDevice device = m_gpu.handle();
    check(vkCreateImage(device, &info, nullptr, &m_image), "vkCreateImage");
    onDestroy([=, image = m_image] { vkDestroyImage(device, image, nullptr); });
    const VkDeviceMemory memory = m_gpu.bindMemory(m_image);
    onDestroy([=] { vkFreeMemory(device, memory, nullptr); });
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = m_image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    check(vkCreateImageView(device, &view, nullptr, &m_view), "vkCreateImageView");
    onDestroy([=, own = m_view] { vkDestroyImageView(device, own, nullptr); });
}

void Way::createLayout()
{
    const VkPushConstantRange range{stages(), 0, kPushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(m_gpu.handle(), &info, nullptr, &m_pipelineLayout), "vkCreatePipelineLayout");
    onDestroy([this] { vkDestroyPipelineLayout(m_gpu.handle(), m_pipelineLayout, nullptr); });
}

std::span<const uint32_t> Way::code() const
{
    const bool isFloor = m_kind == Kind::Floor;
    switch (m_scene.action) {
        case Action::Dispatch:
            return isFloor ? shaders::generated_work_floor : shaders::generated_work;
        case Action::DrawBuffers:
            return isFloor ? shaders::generated_buffers_floor : shaders::generated_buffers;
        default:
            return isFloor ? shaders::generated_point_floor : shaders::generated_point;
    }
}

VkPipeline Way::createPipeline(uint32_t salt, std::span<const VkPipeline> others)
{
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = m_kind == Kind::Streams ? VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV
                                          : VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    const void* const chain = m_kind == Kind::Generated || m_kind == Kind::Streams ? &flags : nullptr;
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (isDispatch())
        pipeline = createCompute(specialization, chain);
    else
        pipeline = createGraphics(specialization, chain, others);
    onDestroy([this, pipeline] { vkDestroyPipeline(m_gpu.handle(), pipeline, nullptr); });
    return pipeline;
}

VkPipeline Way::createCompute(const VkSpecializationInfo& salt, const void* chain)
{
    const VkShaderModule module = m_gpu.createModule(code());
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, chain};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &salt;
    info.layout = m_pipelineLayout;
    std::shared_ptr<SavedPipeline> saved;
    if (m_kind == Kind::Streams) {
        saved = std::make_shared<SavedPipeline>(m_gpu);
        saved->addTo(info);
    }
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(m_gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    vkDestroyShaderModule(m_gpu.handle(), module, nullptr);
    if (saved) {
        saved->save(pipeline);
        onDestroy([saved] {});  // behind the pipeline
    }
    return pipeline;
}

VkPipeline Way::createGraphics(const VkSpecializationInfo& salt, const void* chain, std::span<const VkPipeline> others)
{
    const VkShaderModule modules[] = {m_gpu.createModule(code()), m_gpu.createModule(shaders::generated_fragment)};
    VkPipelineShaderStageCreateInfo stages[2];
    for (uint32_t i = 0; i < 2; ++i) {
        stages[i] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        stages[i].module = modules[i];
        stages[i].pName = "main";
    }
    stages[0].pSpecializationInfo = &salt;
    const VkVertexInputBindingDescription binding{0, 4, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32_UINT, 0};
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    if (m_scene.action == Action::DrawBuffers) {
        input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 1;
        input.pVertexBindingDescriptions = &binding;
        input.pVertexAttributeDescriptions = &attribute;
    }
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    const VkViewport viewport{0, 0, kWidth, kHeight, 0, 1};
    const VkRect2D scissor{{0, 0}, {kWidth, kHeight}};
    VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState stride = VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE;
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    if (m_scene.action == Action::DrawBuffers) {
        dynamic.dynamicStateCount = 1;
        dynamic.pDynamicStates = &stride;
    }
    const VkFormat format = VK_FORMAT_R32_UINT;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, chain};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = m_pipelineLayout;
    VkGraphicsShaderGroupCreateInfoNV own{VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV};
    own.stageCount = info.stageCount;
    own.pStages = info.pStages;
    own.pVertexInputState = info.pVertexInputState;
    VkGraphicsPipelineShaderGroupsCreateInfoNV groups{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV,
                                                      info.pNext};
    groups.groupCount = 1;
    groups.pGroups = &own;
    groups.pipelineCount = static_cast<uint32_t>(others.size());
    groups.pPipelines = others.data();
    if (m_kind == Kind::Streams)
        info.pNext = &groups;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(m_gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    for (const VkShaderModule module : modules)
        vkDestroyShaderModule(m_gpu.handle(), module, nullptr);
    return pipeline;
}

void Way::createCommands()
{
    m_gpu.load(m_execute, "vkCmdExecuteGeneratedCommandsEXT");
    createTokens();
    if (m_scene.hasSet())
        createSet();
    createPreprocess();
}

void Way::createTokens()
{
    std::vector<VkIndirectCommandsLayoutTokenEXT> tokens;
    const auto add = [&](VkIndirectCommandsTokenTypeEXT type, uint32_t word) {
        VkIndirectCommandsLayoutTokenEXT token{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT};
        token.type = type;
        token.offset = word * 4;
        tokens.push_back(token);
        return &tokens.back().data;
    };
    const VkIndirectCommandsExecutionSetTokenEXT set{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, stages()};
    const VkIndirectCommandsPushConstantTokenEXT push{{stages(), 0, 8}};
    const VkIndirectCommandsVertexBufferTokenEXT vertices{0};
    const VkIndirectCommandsIndexBufferTokenEXT indices{VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT};
    if (m_scene.hasSet())
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, m_layout.set)->pExecutionSet = &set;
    add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, m_layout.push)->pPushConstant = &push;
    if (m_scene.action == Action::DrawBuffers) {
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT, m_layout.indices)->pIndexBuffer = &indices;
        add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT, m_layout.vertices)->pVertexBuffer = &vertices;
    }
    add(isDispatch()                            ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT
        : m_scene.action == Action::DrawBuffers ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT
                                                : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT,
        m_layout.action);
    VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
    if (!m_scene.isOrdered)
        info.flags = VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT;
    info.shaderStages = stages();
    info.indirectStride = m_layout.words * 4;
    info.pipelineLayout = m_pipelineLayout;
    info.tokenCount = static_cast<uint32_t>(tokens.size());
    info.pTokens = tokens.data();
    PFN_vkCreateIndirectCommandsLayoutEXT create = nullptr;
    PFN_vkDestroyIndirectCommandsLayoutEXT destroy = nullptr;
    m_gpu.load(create, "vkCreateIndirectCommandsLayoutEXT");
    m_gpu.load(destroy, "vkDestroyIndirectCommandsLayoutEXT");
    check(create(m_gpu.handle(), &info, nullptr, &m_tokens), "vkCreateIndirectCommandsLayoutEXT");
    onDestroy([=, this] { destroy(m_gpu.handle(), m_tokens, nullptr); });
}

void Way::createSet()
{
    PFN_vkCreateIndirectExecutionSetEXT create = nullptr;
    PFN_vkDestroyIndirectExecutionSetEXT destroy = nullptr;
    PFN_vkUpdateIndirectExecutionSetPipelineEXT update = nullptr;
    m_gpu.load(create, "vkCreateIndirectExecutionSetEXT");
    m_gpu.load(destroy, "vkDestroyIndirectExecutionSetEXT");
    m_gpu.load(update, "vkUpdateIndirectExecutionSetPipelineEXT");
    VkIndirectExecutionSetPipelineInfoEXT pipelines{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    pipelines.initialPipeline = m_pipelines[0];
    pipelines.maxPipelineCount = m_scene.pipelines;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    info.info.pPipelineInfo = &pipelines;
    check(create(m_gpu.handle(), &info, nullptr, &m_set), "vkCreateIndirectExecutionSetEXT");
    onDestroy([=, this] { destroy(m_gpu.handle(), m_set, nullptr); });
    std::vector<VkWriteIndirectExecutionSetPipelineEXT> writes;
    for (uint32_t i = 1; i < m_scene.pipelines; ++i)
        writes.push_back({VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, nullptr, i, m_pipelines[i]});
    update(m_gpu.handle(), m_set, static_cast<uint32_t>(writes.size()), writes.data());
}

// Calls share it: a call ends before the next begins.
void Way::createPreprocess()
{
    PFN_vkGetGeneratedCommandsMemoryRequirementsEXT get = nullptr;
    m_gpu.load(get, "vkGetGeneratedCommandsMemoryRequirementsEXT");
    VkGeneratedCommandsPipelineInfoEXT pipeline{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    pipeline.pipeline = m_pipelines[0];
    VkGeneratedCommandsMemoryRequirementsInfoEXT ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
                                                     m_set ? nullptr : &pipeline};
    ask.indirectExecutionSet = m_set;
    ask.indirectCommandsLayout = m_tokens;
    ask.maxSequenceCount = m_scene.sequences;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    get(m_gpu.handle(), &ask, &needs);
    const VkDeviceSize bytes = (needs.memoryRequirements.size + 255) & ~VkDeviceSize{255};
    if (bytes == 0)
        return;
    m_preprocess = m_gpu.createBuffer(bytes * m_scene.calls, VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT, false);
    onDestroy([this] { m_gpu.destroy(m_preprocess); });
}

void Way::barrier()
{
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(m_cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         nullptr, 0, nullptr);
}

void Way::transition(VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier change{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    change.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    change.oldLayout = from;
    change.newLayout = to;
    change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    change.image = m_image;
    change.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(m_cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                         0, nullptr, 1, &change);
}

// Clearing and reading back are outside of what is timed.
void Way::record()
{
    m_cmd = m_gpu.allocate();
    onDestroy([this] { m_gpu.free(m_cmd); });
    m_gpu.begin(m_cmd);
    m_gpu.resetStamps(m_cmd);
    vkCmdFillBuffer(m_cmd, m_out.handle, 0, VK_WHOLE_SIZE, 0);
    if (!isDispatch())
        transition(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    barrier();
    m_gpu.stamp(m_cmd, 0);
    recordCalls();
    m_gpu.stamp(m_cmd, 1);
    barrier();
    if (isDispatch()) {
        const VkBufferCopy copy{0, 0, kPixels * 4};
        vkCmdCopyBuffer(m_cmd, m_out.handle, m_readback.handle, 1, &copy);
    } else {
        transition(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageExtent = {kWidth, kHeight, 1};
        vkCmdCopyImageToBuffer(m_cmd, m_image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_readback.handle, 1, &copy);
    }
    barrier();
    check(vkEndCommandBuffer(m_cmd), "vkEndCommandBuffer");
}

void Way::recordCalls()
{
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = m_view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea = {{0, 0}, {kWidth, kHeight}};
    rendering.layerCount = rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &color;
    if (!isDispatch())
        vkCmdBeginRendering(m_cmd, &rendering);
    vkCmdBindPipeline(m_cmd, bindPoint(), m_pipelines[0]);
    if (isDispatch())
        vkCmdPushConstants(m_cmd, m_pipelineLayout, stages(), 8, 8, &m_out.address);
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t call = 0; call < m_scene.calls; ++call) {
        if (m_kind == Kind::Generated)
            generate(call);
        else if (m_kind == Kind::Streams)
            m_streams->execute(m_cmd, m_stream.handle, call);
        else if (m_kind == Kind::Loop)
            loop(call);
        else
            floor(call);
        if (m_scene.hasOwnDraws)
            drawFirst(call);
    }
    m_callNanoseconds =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / m_scene.calls;
    if (!isDispatch())
        vkCmdEndRendering(m_cmd);
}

void Way::generate(uint32_t call)
{
    VkGeneratedCommandsPipelineInfoEXT pipeline{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    pipeline.pipeline = m_pipelines[0];
    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT, m_set ? nullptr : &pipeline};
    const VkDeviceSize bytes = VkDeviceSize{m_scene.sequences} * m_layout.words * 4;
    const VkDeviceSize preprocess = m_preprocess.size / m_scene.calls;
    info.shaderStages = stages();
    info.indirectExecutionSet = m_set;
    info.indirectCommandsLayout = m_tokens;
    info.indirectAddress = m_stream.address + call * bytes;
    info.indirectAddressSize = bytes;
    info.preprocessAddress = m_preprocess.address ? m_preprocess.address + call * preprocess : 0;
    info.preprocessSize = preprocess;
    info.maxSequenceCount = m_scene.sequences;
    m_execute(m_cmd, VK_FALSE, &info);
}

void Way::loop(uint32_t call)
{
    uint32_t bound = call == 0 ? 0 : ~0u;  // the call before has left another
    for (uint32_t i = call * m_scene.sequences; i < (call + 1) * m_scene.sequences; ++i) {
        const uint32_t* const record = &m_words[size_t{i} * m_layout.words];
        const uint32_t* const action = record + m_layout.action;
        if (m_scene.hasSet() && record[m_layout.set] != bound) {
            bound = record[m_layout.set];
            vkCmdBindPipeline(m_cmd, bindPoint(), m_pipelines[bound]);
        }
        vkCmdPushConstants(m_cmd, m_pipelineLayout, stages(), 0, 8, record + m_layout.push);
        if (isDispatch()) {
            vkCmdDispatch(m_cmd, action[0], action[1], action[2]);
        } else if (m_scene.action == Action::Draw) {
            vkCmdDraw(m_cmd, action[0], action[1], action[2], action[3]);
        } else {
            const VkDeviceSize offset = VkDeviceSize{i} * kVertices * 4, size = kVertices * 4, stride = 4;
            vkCmdBindVertexBuffers2(m_cmd, 0, 1, &m_vertices.handle, &offset, &size, &stride);
            vkCmdBindIndexBuffer(m_cmd, m_indices.handle, i % kOrders * kVertices * 2, VK_INDEX_TYPE_UINT16);
            vkCmdDrawIndexed(m_cmd, action[0], action[1], action[2], static_cast<int32_t>(action[3]), action[4]);
        }
    }
}

void Way::floor(uint32_t call)
{
    vkCmdPushConstants(m_cmd, m_pipelineLayout, stages(), 0, 8, &m_data.address);
    if (isDispatch()) {
        vkCmdDispatch(m_cmd, std::min(m_scene.sequences, 65535u), 1, 1);
        return;
    }
    const uint32_t first = call * m_scene.sequences;
    vkCmdPushConstants(m_cmd, m_pipelineLayout, stages(), 8, 4, &first);
    if (m_scene.action == Action::Draw) {
        vkCmdDrawIndirect(m_cmd, m_stream.handle, VkDeviceSize{first} * 16, m_scene.sequences, 16);
        return;
    }
    const VkDeviceSize offset = 0, stride = 4;
    vkCmdBindVertexBuffers2(m_cmd, 0, 1, &m_vertices.handle, &offset, nullptr, &stride);
    vkCmdBindIndexBuffer(m_cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexedIndirect(m_cmd, m_stream.handle, VkDeviceSize{first} * 20, m_scene.sequences, 20);
}

// Generated commands leave undefined what their tokens set, and want the set's first pipeline to be bound.
void Way::drawFirst(uint32_t call)
{
    const uint32_t first = call * m_scene.sequences;
    if (m_kind == Kind::Floor) {
        vkCmdDrawIndirect(m_cmd, m_stream.handle, VkDeviceSize{first} * 16, 1, 16);
        return;
    }
    const uint32_t* const record = &m_words[size_t{first} * m_layout.words];
    const uint32_t* const action = record + m_layout.action;
    vkCmdBindPipeline(m_cmd, bindPoint(), m_pipelines[m_scene.hasSet() ? record[m_layout.set] : 0]);
    vkCmdPushConstants(m_cmd, m_pipelineLayout, stages(), 0, 8, record + m_layout.push);
    vkCmdDraw(m_cmd, action[0], action[1], action[2], action[3]);
}

double Way::run()
{
    m_gpu.run(m_cmd);
    return m_gpu.nanosecondsBetweenStamps(0, 1);
}

std::vector<uint32_t> Way::result()
{
    return {m_readback.words, m_readback.words + kPixels};
}

}  // namespace millrace::bench
