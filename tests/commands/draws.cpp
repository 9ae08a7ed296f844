// SPDX-License-Identifier: Apache-2.0
#include "commands/draws.h"

#include <algorithm>
#include <cstring>

namespace millrace::commandtest {

using layertest::Buffer;

namespace {

// Of the application's, behind what is generated.
constexpr VkDrawIndirectCommand kOwnDraw{5, 1, 0, 0};

}  // namespace

Draws::Draws(Provider provider, Maker maker, const GeneratedOptions& with)
    : generated(provider, {.draws = true,
                           .libraries = maker == Maker::Libraries,
                           .objects = usesObjects(maker),
                           .dynamicInput = with.dynamicInput,
                           .narrow = with.narrow,
                           .mesh = usesMesh(maker) || with.ownMesh,
                           .ownMesh = with.ownMesh,
                           .meshAlone = with.meshAlone,
                           .validate = with.validate,
                           .separate = with.separate,
                           .asRecorded = with.asRecorded,
                           .conditional = with.conditional,
                           .info = with.info,
                           .streams = usesStreams(maker),
                           .views = with.views,
                           .trace = with.trace,
                           .tomorrow = with.tomorrow}),
      m_maker(maker),
      m_views(with.views),
      m_hasDynamicInput(with.dynamicInput),
      m_device(generated.device)
{
    m_target = m_device.createTarget(kSide, kSide, layerCount());
    createFramebuffer();
    createLayout();
    for (bool hasVertices : {false, true}) {
        if (m_maker == Maker::Objects)
            createObjects(hasVertices);
        if (m_maker == Maker::MeshObjects)
            createMeshObjects(hasVertices);
        for (bool hasRenderPass : {false, true}) {
            std::vector<VkPipeline>& pipelines = m_pipelines[hasRenderPass][hasVertices];
            if (m_maker == Maker::Libraries)
                pipelines.push_back(createLinked(hasRenderPass, hasVertices));
            if (usesStreams(m_maker))
                pipelines.push_back(createGroups(hasRenderPass, hasVertices));
            if (m_maker != Maker::Whole && m_maker != Maker::Mesh)
                continue;
            for (uint32_t salt : kDrawSalts)
                pipelines.push_back(m_maker == Maker::Mesh ? createMeshPipeline(hasRenderPass, hasVertices, salt)
                                                           : createPipeline(hasRenderPass, hasVertices, salt));
            m_sets[hasRenderPass][hasVertices] = createSet(pipelines);
        }
    }
    m_vertices = m_device.createBuffer(kVertexMemoryWords * 4, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    for (uint32_t i = 0; i < kVertexMemoryWords; ++i)
        m_vertices.words[i] = vertexMemoryWord(i);
    m_instances = m_device.createBuffer(64 * 4, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    for (uint32_t i = 0; i < 64; ++i)
        m_instances.words[i] = instanceWord(i);
    m_indices = m_device.createBuffer(kIndices * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    for (uint32_t i = 0; i < kIndices; ++i)
        m_indices.words[i] = indexAt(i);
    m_ownDraw = m_device.createBuffer(sizeof(kOwnDraw) + 2 * sizeof(uint32_t), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    std::memcpy(m_ownDraw.words, &kOwnDraw, sizeof(kOwnDraw));
    m_ownDraw.words[sizeof(kOwnDraw) / 4] = 0;
    m_ownDraw.words[sizeof(kOwnDraw) / 4 + 1] = 1;
    m_readback = m_device.createBuffer(layerCount() * kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

VkRenderPass Draws::createRenderPass2() const
{
    VkAttachmentDescription2 attachment{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2};
    attachment.format = kFormat;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    VkAttachmentReference2 reference{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2};
    reference.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    reference.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    subpass.viewMask = m_views;
    const VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                   nullptr,
                                   VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT,
                                   VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT,
                                   VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                   VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
    VkSubpassDependency2 dependency{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, &barrier};
    dependency.srcSubpass = VK_SUBPASS_EXTERNAL;
    VkRenderPassCreateInfo2 info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateRenderPass2(m_device.handle, &info, nullptr, &pass));
    return pass;
}

void Draws::createFramebuffer()
{
    m_pass = createRenderPass2();
    m_device.onDestroy([this] { vkDestroyRenderPass(m_device.handle, m_pass, nullptr); });
    // By the older command as well: stages that the driver does not know if the layer provides the extension.
    VkSubpassDependency dependency{VK_SUBPASS_EXTERNAL, 0};
    dependency.srcStageMask = VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    dependency.srcAccessMask = VK_ACCESS_COMMAND_PREPROCESS_WRITE_BIT_EXT | VK_ACCESS_TRANSFER_WRITE_BIT;
    dependency.dstStageMask = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    dependency.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    m_device.createRenderPass({&dependency, 1});
    m_framebuffer = m_device.createFramebuffer(m_pass, m_target, kSide, kSide);
}

void Draws::createLayout()
{
    m_setLayout = m_device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, VK_SHADER_STAGE_VERTEX_BIT);
    const VkPushConstantRange range{stages(), 0, kPushWords * 4};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    MILLRACE_CHECK(vkCreatePipelineLayout(m_device.handle, &info, nullptr, &m_layout));
    m_device.onDestroy([this] { vkDestroyPipelineLayout(m_device.handle, m_layout, nullptr); });
    const Buffer lookup = m_device.createBuffer(kLookupWords * 4);
    for (uint32_t i = 0; i < kLookupWords; ++i)
        lookup.words[i] = lookupWord(i);
    m_set = m_device.createSet(lookup, m_setLayout);
}

void Draws::bind(VkCommandBuffer cmd, const DrawCase& drawn) const
{
    const VkViewport viewport{0, 0, kSide, kSide, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSide, kSide}};
    if (usesObjects(m_maker)) {
        bindObjects(cmd, drawn.hasVertices || drawn.hasTasks);
        vkCmdSetViewportWithCount(cmd, 1, &viewport);
        vkCmdSetScissorWithCount(cmd, 1, &scissor);
    } else {
        vkCmdSetViewport(cmd, 0, 1, &viewport);
        vkCmdSetScissor(cmd, 0, 1, &scissor);
        vkCmdBindPipeline(cmd, kGraphics, pipelineOf(drawn));
        if (m_hasDynamicInput && drawn.hasVertices)
            setVertexInput(cmd, true);
        if (drawn.boundGroup > 0)
            m_device.get<PFN_vkCmdBindPipelineShaderGroupNV>("vkCmdBindPipelineShaderGroupNV")(
                cmd, kGraphics, pipelineOf(drawn), drawn.boundGroup);
    }
    if (drawn.hasVertices) {
        const VkBuffer buffers[] = {m_vertices.handle, m_instances.handle};
        const VkDeviceSize offsets[] = {0, 0};
        const VkDeviceSize strides[] = {16, 4};
        vkCmdBindVertexBuffers2(cmd, 0, 2, buffers, offsets, nullptr, m_hasDynamicInput ? nullptr : strides);
    }
    vkCmdBindDescriptorSets(cmd, kGraphics, m_layout, 0, 1, &m_set, 0, nullptr);
    vkCmdBindIndexBuffer(cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdPushConstants(cmd, m_layout, stages(), 0, kPushWords * 4, drawn.pushed.data());
}

void Draws::setHalf(VkCommandBuffer cmd, int32_t half) const
{
    constexpr uint32_t kWidth = kSide / 2;
    const VkRect2D scissor{{half * static_cast<int32_t>(kWidth), 0}, {kWidth, kSide}};
    if (usesObjects(m_maker))
        vkCmdSetScissorWithCount(cmd, 1, &scissor);
    else
        vkCmdSetScissor(cmd, 0, 1, &scissor);
}

void Draws::beginPass(VkCommandBuffer cmd, const DrawCase& drawn, bool inSecondary) const
{
    const VkClearValue clear{};
    if (drawn.hasRenderPass) {
        VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        info.renderPass = m_pass;
        info.framebuffer = m_framebuffer;
        info.renderArea.extent = {kSide, kSide};
        info.clearValueCount = 1;
        info.pClearValues = &clear;
        vkCmdBeginRenderPass(cmd, &info,
                             inSecondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
        return;
    }
    VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    attachment.imageView = m_target.view;
    attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.flags = inSecondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0;
    info.renderArea.extent = {kSide, kSide};
    info.layerCount = 1;
    info.viewMask = m_views;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &attachment;
    vkCmdBeginRendering(cmd, &info);
}

void Draws::drawOwn(VkCommandBuffer cmd, const DrawCase& drawn, uint32_t seed) const
{
    Random random(seed);
    DrawCase own(seed, m_maker);
    own.hasRenderPass = drawn.hasRenderPass;
    const bool counts = driverCountsDraws();
    for (uint32_t i = 0; i < drawn.ownDraws; ++i) {
        const bool isBound = i == 0 || below(random, 3) == 0;
        if (isBound)
            own.hasVertices = below(random, 2);
        for (uint32_t& word : own.pushed)
            word = static_cast<uint32_t>(random());
        if (isBound)
            bind(cmd, own);
        if (below(random, 2))
            vkCmdPushConstants(cmd, m_layout, stages(), 8, 8, own.pushed.data() + 2);
        if (below(random, 2))
            setHalf(cmd, static_cast<int32_t>(below(random, 2)));
        // Others than those that are bound for generated commands.
        if (!usesObjects(m_maker) && (isBound || below(random, 2)))
            vkCmdBindPipeline(cmd, kGraphics, m_pipelines[drawn.hasRenderPass][own.hasVertices][1 + below(random, 2)]);
        switch (below(random, counts ? 4 : 3)) {
            case 0:
                vkCmdDraw(cmd, 20, 2, below(random, 5), 0);
                break;
            case 1:
                vkCmdDrawIndexed(cmd, 30, 1, below(random, 20), static_cast<int32_t>(below(random, 5)), 0);
                break;
            case 2:
                vkCmdDrawIndirect(cmd, m_ownDraw.handle, 0, 1, sizeof(kOwnDraw));
                break;
            default:
                vkCmdDrawIndirectCount(cmd, m_ownDraw.handle, 0, m_ownDraw.handle, sizeof(kOwnDraw) + sizeof(uint32_t),
                                       1, sizeof(kOwnDraw));
        }
    }
}

// With a draw of the application's behind, which sees the state that was set before.
void Draws::record(VkCommandBuffer cmd, const Commands& commands, const DrawCase& drawn) const
{
    bind(cmd, drawn);
    if (drawn.besideCounts && driverCountsDraws())
        vkCmdDrawIndirectCount(cmd, m_ownDraw.handle, 0, m_ownDraw.handle, sizeof(kOwnDraw), 1, sizeof(kOwnDraw));
    commands.execute(cmd);
    // What tokens have set is undefined.
    bind(cmd, drawn);
    if (drawn.hasMesh)
        m_device.get<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT")(cmd, 2, 1, 1);
    else if (drawn.besideCounts)
        vkCmdDrawIndirect(cmd, m_ownDraw.handle, 0, 1, sizeof(kOwnDraw));
    else
        vkCmdDraw(cmd, kOwnDraw.vertexCount, kOwnDraw.instanceCount, 0, 0);
}

VkQueryPool Draws::beginQuery(VkCommandBuffer cmd) const
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.queryCount = 1;
    info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
    VkQueryPool pool = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(m_device.handle, &info, nullptr, &pool));
    m_device.onDestroy([this, pool] { vkDestroyQueryPool(m_device.handle, pool, nullptr); });
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    return pool;
}

VkCommandBuffer Draws::recordSecondary(const Commands& commands, const DrawCase& drawn)
{
    const VkCommandBuffer secondary = m_device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
    rendering.viewMask = m_views;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    if (drawn.hasRenderPass)
        inheritance.renderPass = m_pass;
    else
        inheritance.pNext = &rendering;
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    begin.pInheritanceInfo = &inheritance;
    MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
    record(secondary, commands, drawn);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    return secondary;
}

VkImageMemoryBarrier2 Draws::transition(VkImageLayout from, VkImageLayout to) const
{
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = m_target.handle;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layerCount()};
    return barrier;
}

namespace {

void barrier(VkCommandBuffer cmd, const VkImageMemoryBarrier2* image, const VkMemoryBarrier2* memory = nullptr)
{
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = image ? 1 : 0;
    info.pImageMemoryBarriers = image;
    info.memoryBarrierCount = memory ? 1 : 0;
    info.pMemoryBarriers = memory;
    vkCmdPipelineBarrier2(cmd, &info);
}

}  // namespace

const void* Draws::chainOf(const DrawCase& drawn)
{
    if (drawn.hasSet)
        return nullptr;
    if (usesObjects(m_maker)) {
        const std::vector<VkShaderEXT>& objects = m_objects[drawn.hasVertices || drawn.hasTasks];
        m_shaderInfo.shaderCount = static_cast<uint32_t>(objects.size());
        m_shaderInfo.pShaders = objects.data();
        return &m_shaderInfo;
    }
    m_pipelineInfo.pipeline = pipelineOf(drawn);
    return &m_pipelineInfo;
}

Pixels Draws::run(DrawCase& drawn)
{
    if (usesStreams(m_maker))
        return runStreams(drawn);
    drawn.placeVertices(m_vertices.address);
    drawn.placeIndices(m_indices.address);
    if (drawn.hasObjects)
        drawn.layout.set.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    const Buffer commands = generated.createStream(drawn.commands);
    drawn.placeCommands(commands.address);
    drawn.spoil(drawn);
    const Buffer stream = generated.createStream(drawn.stream);
    const Buffer count = generated.createCount(drawn.deviceCount.value_or(0), drawn.maxSequences);
    VkIndirectCommandsLayoutEXT layout = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutCreateInfoEXT layoutInfo = drawn.layout.createInfo(
        m_layout,
        (drawn.isExplicit ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0) |
            (drawn.isUnordered ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT : 0),
        stages());
    const VkPushConstantRange range{stages(), 0, kPushWords * 4};
    VkPipelineLayoutCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    dynamic.setLayoutCount = 1;
    dynamic.pSetLayouts = &m_setLayout;
    dynamic.pushConstantRangeCount = 1;
    dynamic.pPushConstantRanges = &range;
    if (drawn.layout.isDynamic && generated.hasDynamicLayouts()) {
        layoutInfo.pipelineLayout = VK_NULL_HANDLE;
        layoutInfo.pNext = &dynamic;
    }
    MILLRACE_CHECK(generated.createLayout(m_device.handle, &layoutInfo, nullptr, &layout));

    const void* const chain = chainOf(drawn);
    VkGeneratedCommandsMemoryRequirementsInfoEXT ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
                                                     chain};
    ask.indirectCommandsLayout = layout;
    ask.maxSequenceCount = drawn.maxSequences;
    ask.maxDrawCount = drawn.isCounted ? drawn.maxDraws : 0;
    ask.indirectExecutionSet =
        drawn.hasSet ? m_sets[drawn.hasRenderPass][drawn.hasVertices || drawn.hasTasks] : VK_NULL_HANDLE;
    const Buffer preprocess = generated.createPreprocess(ask);

    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT, chain};
    info.shaderStages = stages();
    info.indirectCommandsLayout = layout;
    info.indirectAddress = stream.address;
    info.indirectAddressSize = drawn.stream.size() * 4;
    info.preprocessAddress = preprocess.address;
    info.preprocessSize = preprocess.size;
    info.maxSequenceCount = drawn.maxSequences;
    info.maxDrawCount = std::max(ask.maxDrawCount, drawn.namedDraws);
    info.indirectExecutionSet = ask.indirectExecutionSet;
    info.sequenceCountAddress = drawn.deviceCount ? count.address : 0;

    const Commands of{[&](VkCommandBuffer state) { generated.preprocess(info, state); },
                      [&](VkCommandBuffer cmd) {
                          drawn.beforeExecution(cmd);
                          for (int32_t half = 0; half < (drawn.inHalves ? 2 : 1); ++half) {
                              if (drawn.inHalves)
                                  setHalf(cmd, half);
                              generated.cmdExecute(cmd, drawn.isExplicit, &info);
                              if (drawn.ownDraws == 0)
                                  continue;
                              drawOwn(cmd, drawn, static_cast<uint32_t>(half));
                              bind(cmd, drawn);
                          }
                          drawn.behindExecution(cmd);
                      }};
    const Pixels pixels = draw(drawn, of);
    generated.destroyLayout(m_device.handle, layout, nullptr);
    return pixels;
}

std::vector<Pixels> Draws::runViews(DrawCase& drawn)
{
    const Pixels all = run(drawn);
    std::vector<Pixels> views;
    for (auto first = all.begin(); first != all.end(); first += kSide * kSide)
        views.emplace_back(first, first + kSide * kSide);
    return views;
}

Pixels Draws::draw(const DrawCase& drawn, const Commands& commands)
{
    const bool inSecondary = drawn.inSecondary && generated.provider == Provider::Layer;
    const VkCommandBuffer cmd = m_device.begin();
    const VkImageMemoryBarrier2 before =
        transition(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    barrier(cmd, &before);
    if (drawn.isExplicit) {
        bind(cmd, drawn);
        commands.preprocess(cmd);
        const VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      nullptr,
                                      VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT,
                                      VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT,
                                      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                      VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
        barrier(cmd, nullptr, &memory);
    }
    const VkQueryPool pool = drawn.inQuery ? beginQuery(cmd) : VK_NULL_HANDLE;
    drawn.beforeInstance(cmd);
    beginPass(cmd, drawn, inSecondary);
    if (inSecondary) {
        const VkCommandBuffer secondary = recordSecondary(commands, drawn);
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        record(cmd, commands, drawn);
    }
    if (drawn.hasRenderPass)
        vkCmdEndRenderPass(cmd);
    else
        vkCmdEndRendering(cmd);
    drawn.behindInstance(cmd);
    if (pool)
        vkCmdEndQuery(cmd, pool, 0);
    const VkImageMemoryBarrier2 behind =
        transition(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    barrier(cmd, &behind);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layerCount()};
    copy.imageExtent = {kSide, kSide, 1};
    vkCmdCopyImageToBuffer(cmd, m_target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_readback.handle, 1, &copy);
    return submit(cmd);
}

Pixels Draws::submit(VkCommandBuffer cmd)
{
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    if (afterRecording)
        afterRecording();
    Pixels pixels;
    do {
        m_device.submit(cmd);
        MILLRACE_CHECK(vkQueueWaitIdle(m_device.queue));
        pixels.assign(m_readback.words, m_readback.words + size_t{layerCount()} * kSide * kSide);
    } while (submitAgain && submitAgain(pixels));
    return pixels;
}

}  // namespace millrace::commandtest
