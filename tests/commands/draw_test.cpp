// SPDX-License-Identifier: Apache-2.0
// Generated draws of random layouts, by the layer and by the driver if it can: equal to a loop on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "commands/generated_device.h"
#include "commands/random_layout.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

namespace {

using layertest::Buffer;

constexpr uint32_t kSide = 64;
constexpr uint32_t kIndices = 64;
constexpr uint32_t kLookupWords = 16;
// Vertex buffers of sequences lie anywhere in memory that has this word at each place.
constexpr uint32_t kVertexMemoryWords = 8192;
constexpr uint32_t kVertexBufferWords = 2048;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

using Pixels = std::vector<uint32_t>;

uint32_t lookupWord(uint32_t i)
{
    return i * 0x01234567u + 1;
}

uint32_t indexAt(uint32_t i)
{
    return i * 3 + 1;
}

uint32_t vertexMemoryWord(uint32_t i)
{
    return mixed(0x1f2e3d4cu, i);
}

// Of the buffer that is bound, one for each instance.
uint32_t instanceWord(uint32_t instance)
{
    return instance * 0x9e3779b1u + 3;
}

// Where a sequence's vertices are.
struct Vertices {
    uint32_t firstWord;
    uint32_t strideWords;
};

// One vkCmdDraw or vkCmdDrawIndexed.
struct Draw {
    uint32_t count;
    uint32_t instances;
    uint32_t first;  // vertex or index
    uint32_t base;   // vertex
    uint32_t firstInstance;
    bool isIndexed;
};

// The shaders points.vert and points.frag, in the order of the API.
void addDraw(Pixels& pixels, const PushWords& push, const Draw& draw, const std::optional<Vertices>& vertices)
{
    for (uint32_t instance = 0; instance < draw.instances; ++instance)
        for (uint32_t i = 0; i < draw.count; ++i) {
            const uint32_t vertex = draw.isIndexed ? indexAt(draw.first + i) + draw.base : draw.base + i;
            uint32_t hash = lookupWord(push[1] % kLookupWords);
            for (uint32_t k = 0; k < 9; ++k)
                hash = mixed(hash, push[k]);
            hash = mixed(mixed(hash, vertex), draw.firstInstance + instance);
            hash = mixed(mixed(mixed(hash, draw.base), draw.firstInstance), 0);
            if (vertices) {
                const uint32_t element = vertices->firstWord + vertex * vertices->strideWords;
                for (uint32_t k = 0; k < 3; ++k)
                    hash = mixed(hash, vertexMemoryWord(element + k));
                hash = mixed(hash, instanceWord(draw.firstInstance + instance));
            }
            pixels[hash % pixels.size()] = mixed(mixed(mixed(mixed(hash, push[9]), push[10]), push[11]), push[0]);
        }
}

// One call with everything that it is given. Drawn the same for every provider.
struct Case {
    explicit Case(uint32_t seed);

    Random random;
    bool isIndexed;
    bool hasVertices;
    RandomLayout layout;
    uint32_t maxSequences;
    std::optional<uint32_t> deviceCount;
    bool isExplicit, inSecondary, hasRenderPass;
    PushWords pushed{};
    std::vector<uint32_t> stream;

    uint32_t sequences() const { return std::min(maxSequences, deviceCount.value_or(maxSequences)); }
    Pixels expected() const;

    // The memory that vertex buffers lie in: records say addresses.
    void placeVertices(VkDeviceAddress memory);

private:
    Draw drawOf(const uint32_t* record) const;
    std::vector<Vertices> vertices;  // of each sequence
};

Case::Case(uint32_t seed)
    : random(seed),
      isIndexed(below(random, 2)),
      hasVertices(below(random, 2)),
      layout(random, kStages,
             isIndexed ? ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 5}
                       : ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT, 4},
             false, hasVertices)
{
    maxSequences = 1 + below(random, below(random, 4) == 0 ? 1000 : 30);
    if (below(random, 3) == 0)
        deviceCount = below(random, 2 * maxSequences);
    isExplicit = below(random, 2);
    inSecondary = below(random, 4) == 0;
    hasRenderPass = below(random, 3) == 0;
    for (uint32_t& word : pushed)
        word = static_cast<uint32_t>(random());
    stream.resize(size_t{maxSequences} * layout.strideWords);
    for (uint32_t& word : stream)
        word = static_cast<uint32_t>(random());
    for (uint32_t i = 0; i < maxSequences; ++i) {
        uint32_t* command = &stream[size_t{i} * layout.strideWords + layout.actionWord];
        command[0] = below(random, 6);
        command[1] = below(random, 4);
        command[2] = below(random, 40);
        command[3] = below(random, 50);
        if (isIndexed)
            command[4] = below(random, 50);
        vertices.push_back({below(random, kVertexMemoryWords - kVertexBufferWords), 3 + below(random, 5)});
    }
}

void Case::placeVertices(VkDeviceAddress memory)
{
    for (uint32_t i = 0; hasVertices && i < maxSequences; ++i) {
        VkBindVertexBufferIndirectCommandEXT command{};
        command.bufferAddress = memory + vertices[i].firstWord * 4;
        command.size = kVertexBufferWords * 4;
        command.stride = vertices[i].strideWords * 4;
        std::memcpy(&stream[size_t{i} * layout.strideWords + static_cast<uint32_t>(layout.vertexWord)], &command,
                    sizeof command);
    }
}

Draw Case::drawOf(const uint32_t* record) const
{
    const uint32_t* command = record + layout.actionWord;
    if (isIndexed)
        return {command[0], command[1], command[2], command[3], command[4], true};
    return {command[0], command[1], command[2], command[2], command[3], false};
}

Pixels Case::expected() const
{
    Pixels pixels(kSide * kSide);
    for (uint32_t i = 0; i < sequences(); ++i) {
        const uint32_t* record = &stream[size_t{i} * layout.strideWords];
        addDraw(pixels, layout.valuesOf(record, i, pushed), drawOf(record),
                hasVertices ? std::optional(vertices[i]) : std::nullopt);
    }
    // What record() draws itself.
    addDraw(pixels, pushed, {5, 1, 0, 0, 0, false}, hasVertices ? std::optional(Vertices{0, 4}) : std::nullopt);
    return pixels;
}

class Draws {
public:
    explicit Draws(Provider provider);
    Pixels run(Case& drawn);

    GeneratedDevice generated;

private:
    VkRenderPass createRenderPass() const;
    VkRenderPass createRenderPass2() const;
    void createFramebuffer();
    void createLayout();
    VkPipeline createPipeline(bool hasRenderPass, bool hasVertices);
    void bind(VkCommandBuffer cmd, const Case& drawn) const;
    void beginPass(VkCommandBuffer cmd, const Case& drawn, bool inSecondary) const;
    void record(VkCommandBuffer cmd, const VkGeneratedCommandsInfoEXT& info, const Case& drawn) const;
    VkCommandBuffer recordSecondary(const VkGeneratedCommandsInfoEXT& info, const Case& drawn);
    VkImageMemoryBarrier2 transition(VkImageLayout from, VkImageLayout to) const;

    layertest::TestDevice& m_device;
    layertest::Image m_target;
    VkRenderPass m_pass = VK_NULL_HANDLE;
    VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline pipelineOf(const Case& drawn) const { return m_pipelines[drawn.hasRenderPass][drawn.hasVertices]; }

    VkPipeline m_pipelines[2][2] = {};  // for dynamic rendering or the render pass, without and with vertex buffers
    Buffer m_vertices;
    Buffer m_instances;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    Buffer m_indices;
    Buffer m_readback;
};

Draws::Draws(Provider provider) : generated(provider, true), m_device(generated.device)
{
    m_target = m_device.createTarget(kSide, kSide);
    createFramebuffer();
    createLayout();
    for (bool hasRenderPass : {false, true})
        for (bool hasVertices : {false, true})
            m_pipelines[hasRenderPass][hasVertices] = createPipeline(hasRenderPass, hasVertices);
    m_vertices = m_device.createBuffer(kVertexMemoryWords * 4, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    for (uint32_t i = 0; i < kVertexMemoryWords; ++i)
        m_vertices.words[i] = vertexMemoryWord(i);
    m_instances = m_device.createBuffer(64 * 4, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    for (uint32_t i = 0; i < 64; ++i)
        m_instances.words[i] = instanceWord(i);
    m_indices = m_device.createBuffer(kIndices * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    for (uint32_t i = 0; i < kIndices; ++i)
        m_indices.words[i] = indexAt(i);
    m_readback = m_device.createBuffer(kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

VkRenderPass Draws::createRenderPass() const
{
    VkAttachmentDescription attachment{};
    attachment.format = kFormat;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    // Stages that the driver does not know if the layer provides the extension.
    VkSubpassDependency dependency{VK_SUBPASS_EXTERNAL, 0};
    dependency.srcStageMask = VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    dependency.srcAccessMask = VK_ACCESS_COMMAND_PREPROCESS_WRITE_BIT_EXT | VK_ACCESS_TRANSFER_WRITE_BIT;
    dependency.dstStageMask = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    dependency.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateRenderPass(m_device.handle, &info, nullptr, &pass));
    return pass;
}

// The same by the newer command.
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
    vkDestroyRenderPass(m_device.handle, createRenderPass(), nullptr);
    VkFramebufferCreateInfo framebuffer{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    framebuffer.renderPass = m_pass;
    framebuffer.attachmentCount = 1;
    framebuffer.pAttachments = &m_target.view;
    framebuffer.width = framebuffer.height = kSide;
    framebuffer.layers = 1;
    MILLRACE_CHECK(vkCreateFramebuffer(m_device.handle, &framebuffer, nullptr, &m_framebuffer));
    m_device.onDestroy([this] {
        vkDestroyFramebuffer(m_device.handle, m_framebuffer, nullptr);
        vkDestroyRenderPass(m_device.handle, m_pass, nullptr);
    });
}

void Draws::createLayout()
{
    const VkDescriptorSetLayout setLayout =
        m_device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, VK_SHADER_STAGE_VERTEX_BIT);
    const VkPushConstantRange range{kStages, 0, kPushWords * 4};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    MILLRACE_CHECK(vkCreatePipelineLayout(m_device.handle, &info, nullptr, &m_layout));
    m_device.onDestroy([this] { vkDestroyPipelineLayout(m_device.handle, m_layout, nullptr); });
    const Buffer lookup = m_device.createBuffer(kLookupWords * 4);
    for (uint32_t i = 0; i < kLookupWords; ++i)
        lookup.words[i] = lookupWord(i);
    m_set = m_device.createSet(lookup, setLayout);
}

VkPipeline Draws::createPipeline(bool hasRenderPass, bool hasVertices)
{
    VkPipelineShaderStageCreateInfo stages[] = {
        m_device.stage(m_device.createModule(hasVertices ? shaders::points_vertex_attributes : shaders::points_vertex),
                       "main"),
        m_device.stage(m_device.createModule(shaders::points_fragment), "main")};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkVertexInputBindingDescription bindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                        {1, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
    const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_UINT, 0}, {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8}, {2, 1, VK_FORMAT_R32_UINT, 0}};
    if (hasVertices) {
        input.vertexBindingDescriptionCount = 2;
        input.pVertexBindingDescriptions = bindings;
        input.vertexAttributeDescriptionCount = 3;
        input.pVertexAttributeDescriptions = attributes;
    }
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                     VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = hasVertices ? 3 : 2;
    dynamic.pDynamicStates = states;
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    // The flag is for execution sets: pipelines that are bound may do without it, as those of dynamic rendering do
    // here.
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    // Like the one that is used, and gone when variants are made.
    const VkRenderPass pass = hasRenderPass ? createRenderPass2() : VK_NULL_HANDLE;
    if (hasRenderPass) {
        info.pNext = &flags;
        info.renderPass = pass;
    }
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = m_layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateGraphicsPipelines(m_device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    vkDestroyRenderPass(m_device.handle, pass, nullptr);
    m_device.onDestroy([this, pipeline] { vkDestroyPipeline(m_device.handle, pipeline, nullptr); });
    return pipeline;
}

void Draws::bind(VkCommandBuffer cmd, const Case& drawn) const
{
    const VkViewport viewport{0, 0, kSide, kSide, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSide, kSide}};
    vkCmdSetViewport(cmd, 0, 1, &viewport);
    vkCmdSetScissor(cmd, 0, 1, &scissor);
    vkCmdBindPipeline(cmd, kGraphics, pipelineOf(drawn));
    if (drawn.hasVertices) {
        const VkBuffer buffers[] = {m_vertices.handle, m_instances.handle};
        const VkDeviceSize offsets[] = {0, 0};
        const VkDeviceSize strides[] = {16, 4};
        vkCmdBindVertexBuffers2(cmd, 0, 2, buffers, offsets, nullptr, strides);
    }
    vkCmdBindDescriptorSets(cmd, kGraphics, m_layout, 0, 1, &m_set, 0, nullptr);
    vkCmdBindIndexBuffer(cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdPushConstants(cmd, m_layout, kStages, 0, kPushWords * 4, drawn.pushed.data());
}

void Draws::beginPass(VkCommandBuffer cmd, const Case& drawn, bool inSecondary) const
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
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &attachment;
    vkCmdBeginRendering(cmd, &info);
}

// With a draw of the application's behind, which sees the state that was set before.
void Draws::record(VkCommandBuffer cmd, const VkGeneratedCommandsInfoEXT& info, const Case& drawn) const
{
    bind(cmd, drawn);
    generated.cmdExecute(cmd, drawn.isExplicit, &info);
    // What tokens have set is undefined.
    bind(cmd, drawn);
    vkCmdDraw(cmd, 5, 1, 0, 0);
}

VkCommandBuffer Draws::recordSecondary(const VkGeneratedCommandsInfoEXT& info, const Case& drawn)
{
    const VkCommandBuffer secondary = m_device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
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
    record(secondary, info, drawn);
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
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    return barrier;
}

void barrier(VkCommandBuffer cmd, const VkImageMemoryBarrier2* image, const VkMemoryBarrier2* memory = nullptr)
{
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = image ? 1 : 0;
    info.pImageMemoryBarriers = image;
    info.memoryBarrierCount = memory ? 1 : 0;
    info.pMemoryBarriers = memory;
    vkCmdPipelineBarrier2(cmd, &info);
}

Pixels Draws::run(Case& drawn)
{
    drawn.placeVertices(m_vertices.address);
    const Buffer stream = generated.createStream(drawn.stream);
    const Buffer count = generated.createCount(drawn.deviceCount.value_or(0), drawn.maxSequences);
    VkIndirectCommandsLayoutEXT layout = VK_NULL_HANDLE;
    const VkIndirectCommandsLayoutCreateInfoEXT layoutInfo = drawn.layout.createInfo(
        m_layout, drawn.isExplicit ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0, kStages);
    MILLRACE_CHECK(generated.createLayout(m_device.handle, &layoutInfo, nullptr, &layout));

    VkGeneratedCommandsPipelineInfoEXT pipeline{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    pipeline.pipeline = pipelineOf(drawn);
    VkGeneratedCommandsMemoryRequirementsInfoEXT ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
                                                     &pipeline};
    ask.indirectCommandsLayout = layout;
    ask.maxSequenceCount = drawn.maxSequences;
    const Buffer preprocess = generated.createPreprocess(ask);

    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT, &pipeline};
    info.shaderStages = kStages;
    info.indirectCommandsLayout = layout;
    info.indirectAddress = stream.address;
    info.indirectAddressSize = drawn.stream.size() * 4;
    info.preprocessAddress = preprocess.address;
    info.preprocessSize = preprocess.size;
    info.maxSequenceCount = drawn.maxSequences;
    info.sequenceCountAddress = drawn.deviceCount ? count.address : 0;

    const bool inSecondary = drawn.inSecondary && generated.provider == Provider::Layer;
    const VkCommandBuffer cmd = m_device.begin();
    const VkImageMemoryBarrier2 before =
        transition(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    barrier(cmd, &before);
    if (drawn.isExplicit) {
        bind(cmd, drawn);
        generated.preprocess(info, cmd);
        const VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      nullptr,
                                      VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT,
                                      VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT,
                                      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                      VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
        barrier(cmd, nullptr, &memory);
    }
    beginPass(cmd, drawn, inSecondary);
    if (inSecondary) {
        const VkCommandBuffer secondary = recordSecondary(info, drawn);
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        record(cmd, info, drawn);
    }
    if (drawn.hasRenderPass)
        vkCmdEndRenderPass(cmd);
    else
        vkCmdEndRendering(cmd);
    const VkImageMemoryBarrier2 behind =
        transition(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    barrier(cmd, &behind);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSide, kSide, 1};
    vkCmdCopyImageToBuffer(cmd, m_target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_readback.handle, 1, &copy);
    m_device.submitAndWait(cmd);
    generated.destroyLayout(m_device.handle, layout, nullptr);
    return {m_readback.words, m_readback.words + kSide * kSide};
}

class GeneratedDraws : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasGeneratedCommands())
            GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    }
};

TEST_P(GeneratedDraws, RandomLayouts_AsALoopOnTheHost)
{
    constexpr uint32_t kSeeds = 150;
    Draws draws(GetParam());
    for (uint32_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
        Case drawn(seed);
        EXPECT_EQ(draws.run(drawn), drawn.expected()) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDraws, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });

}  // namespace

}  // namespace millrace::commandtest
