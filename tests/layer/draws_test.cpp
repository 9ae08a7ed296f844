// SPDX-License-Identifier: Apache-2.0
// Draws with all that can be bound for them, in front of, around and behind graphs: the picture is that of the same
// commands without graphs.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kSize = 16;
constexpr uint32_t kRoots = 40;
constexpr uint32_t kLeaves = 16 * kRoots;  // the tree has four levels of two

enum class Pass { Legacy, Dynamic };
enum class Shaders { Pipeline, Objects };
enum class Descriptors { Set, Push, Buffer };
enum class Boundary { None, WholeInFront, SplitInFront, WholeInside, SplitInside };

struct Way {
    Pass pass;
    Shaders shaders;
    Descriptors descriptors;
    Boundary boundary;
};

bool isInside(Boundary boundary)
{
    return boundary == Boundary::WholeInside || boundary == Boundary::SplitInside;
}

bool isSplit(Boundary boundary)
{
    return boundary == Boundary::SplitInFront || boundary == Boundary::SplitInside;
}

DeviceOptions withAllWays()
{
    static VkPhysicalDeviceShaderObjectFeaturesEXT objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                           nullptr, VK_TRUE};
    static VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, &objects, VK_TRUE};
    return {.chain = &buffers,
            .extensions = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, VK_EXT_SHADER_OBJECT_EXTENSION_NAME,
                           VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}};
}

// Two strips of four vertices, and colors of two instances. None begins where its buffer does.
struct Geometry {
    Buffer positions;
    Buffer colors;
    Buffer indices;

    explicit Geometry(TestDevice& device)
        : positions(device.createBuffer(256, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT)),
          colors(device.createBuffer(256, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT)),
          indices(device.createBuffer(64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT))
    {
        constexpr float kPositions[8][2] = {{-0.9f, -0.9f}, {-0.9f, 0.1f}, {-0.3f, -0.9f}, {-0.3f, 0.1f},
                                            {-0.1f, -0.2f}, {-0.1f, 0.7f}, {0.6f, -0.2f},  {0.6f, 0.7f}};
        for (size_t i = 0; i < 8; ++i)
            std::memcpy(positions.words + 4 + 4 * i, kPositions[i], sizeof kPositions[i]);
        constexpr float kColors[2][4] = {{0.5f, 0.1f, 0.3f, 1.0f}, {0.1f, 0.6f, 0.2f, 1.0f}};
        std::memcpy(colors.words + 8, kColors, sizeof kColors);
        constexpr uint16_t kIndices[] = {9, 9, 0, 1, 2, 3, 0xffff, 4, 5, 6, 7};
        std::memcpy(indices.words, kIndices, sizeof kIndices);
    }

    void bind(VkCommandBuffer cmd) const
    {
        const VkBuffer buffers[] = {positions.handle, colors.handle};
        const VkDeviceSize offsets[] = {16, 32};
        const VkDeviceSize strides[] = {16, 16};
        vkCmdBindVertexBuffers2(cmd, 0, 2, buffers, offsets, nullptr, strides);
        vkCmdBindIndexBuffer(cmd, indices.handle, 4, VK_INDEX_TYPE_UINT16);
    }
};

constexpr VkVertexInputBindingDescription kBindings[] = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                         {1, 16, VK_VERTEX_INPUT_RATE_INSTANCE}};
constexpr VkVertexInputAttributeDescription kAttributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                             {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
// What is there already shines through, by the blend constants.
constexpr VkPipelineColorBlendAttachmentState kBlend{VK_TRUE,
                                                     VK_BLEND_FACTOR_ONE,
                                                     VK_BLEND_FACTOR_CONSTANT_COLOR,
                                                     VK_BLEND_OP_ADD,
                                                     VK_BLEND_FACTOR_ONE,
                                                     VK_BLEND_FACTOR_ZERO,
                                                     VK_BLEND_OP_ADD,
                                                     0xf};
constexpr VkClearValue kClear{{{0.2f, 0.4f, 0.6f, 1.0f}}};

class Draws : public testing::TestWithParam<Way> {
protected:
    using Picture = std::vector<uint32_t>;

    Draws()
    {
        const VkShaderStageFlags stages = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
        const Descriptors kind = GetParam().descriptors;
        const bool inBuffers = kind == Descriptors::Buffer;
        const VkDescriptorSetLayoutCreateFlags bufferFlag =
            inBuffers ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
        graphSetLayout = device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bufferFlag, stages);
        setLayout = kind == Descriptors::Push
                        ? device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT, stages)
                        : graphSetLayout;
        graphLayout = createLayout(graphSetLayout);
        layout = createLayout(setLayout);
        pipelineFlags = inBuffers ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
        tree = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Ample,
                                  graphLayout, pipelineFlags);
        counts = device.createBuffer(256);
        factor = device.createBuffer(256);
        const std::array<float, 4> values = {0.9f, 0.8f, 0.7f, 1.0f};
        std::memcpy(factor.words, values.data(), sizeof values);
        createDescriptors();
        createShaders();
        pass = device.createRenderPass();
    }

    void TearDown() override
    {
        for (const Message& message : device.instance.takeMessages())
            // The validation layer asks it of pipelines that have no descriptors as well, such as the scheduler's.
            EXPECT_TRUE(message.id.starts_with("VUID-vkCmdDispatch") && message.id.ends_with("-None-08117"))
                << message.text;
    }

    VkPipelineLayout createLayout(VkDescriptorSetLayout set);
    void createDescriptors();
    void createShaders();
    VkPipeline createPipeline();
    void bindDescriptors(VkCommandBuffer cmd, VkPipelineBindPoint point);
    void setState(VkCommandBuffer cmd);
    void setStateOfObjects(VkCommandBuffer cmd);
    void runGraph(VkCommandBuffer cmd, Boundary boundary);
    void beginPass(VkCommandBuffer cmd, const Image& image);
    void endPass(VkCommandBuffer cmd);
    void draw(VkCommandBuffer cmd, const std::array<float, 4>& added);
    Picture draw(Boundary boundary);

    TestDevice device{{}, withAllWays()};
    Geometry geometry{device};
    VkDescriptorSetLayout graphSetLayout = VK_NULL_HANDLE;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout graphLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipelineCreateFlags pipelineFlags = 0;
    Graph tree;
    Buffer counts;
    Buffer factor;
    VkDescriptorSet graphSet = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    Buffer descriptors;
    VkDeviceSize setBytes = 256;  // from the graph's set to the other
    VkRenderPass pass = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    std::array<VkShaderEXT, 2> objects{};
};

VkPipelineLayout Draws::createLayout(VkDescriptorSetLayout one)
{
    const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &one;
    info.pushConstantRangeCount = 2;
    info.pPushConstantRanges = ranges;
    VkPipelineLayout out = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineLayout(device.handle, &info, nullptr, &out));
    device.onDestroy([this, out] { vkDestroyPipelineLayout(device.handle, out, nullptr); });
    return out;
}

void Draws::createDescriptors()
{
    const Descriptors kind = GetParam().descriptors;
    if (kind != Descriptors::Buffer) {
        graphSet = device.createSet(counts, graphSetLayout);
        set = kind == Descriptors::Set ? device.createSet(factor, setLayout) : VK_NULL_HANDLE;
        return;
    }
    VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    descriptors = device.createBuffer(2 * setBytes, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
    VkDeviceSize binding = 0;
    device.get<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>("vkGetDescriptorSetLayoutBindingOffsetEXT")(
        device.handle, setLayout, 0, &binding);
    auto* at = reinterpret_cast<std::byte*>(descriptors.words) + binding;
    for (const Buffer* buffer : {&counts, &factor}) {
        VkDescriptorAddressInfoEXT address{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT};
        address.address = buffer->address;
        address.range = buffer->size;
        VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT};
        info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        info.data.pStorageBuffer = &address;
        device.get<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")(device.handle, &info,
                                                                 limits.storageBufferDescriptorSize, at);
        at += setBytes;
    }
}

void Draws::createShaders()
{
    if (GetParam().shaders == Shaders::Pipeline) {
        pass = device.createRenderPass();
        pipeline = createPipeline();
        return;
    }
    const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    std::array<VkShaderCreateInfoEXT, 2> infos{};
    const std::span<const uint32_t> codes[] = {shaders::moved_instances, shaders::mixed_color};
    for (size_t i = 0; i < 2; ++i) {
        infos[i].sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
        infos[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        infos[i].nextStage = i == 0 ? VK_SHADER_STAGE_FRAGMENT_BIT : 0;
        infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        infos[i].codeSize = codes[i].size_bytes();
        infos[i].pCode = codes[i].data();
        infos[i].pName = "main";
        infos[i].setLayoutCount = 1;
        infos[i].pSetLayouts = &setLayout;
        infos[i].pushConstantRangeCount = 2;
        infos[i].pPushConstantRanges = ranges;
    }
    MILLRACE_CHECK(device.get<PFN_vkCreateShadersEXT>("vkCreateShadersEXT")(device.handle, 2, infos.data(), nullptr,
                                                                            objects.data()));
    device.onDestroy([this] {
        for (VkShaderEXT object : objects)
            device.get<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT")(device.handle, object, nullptr);
    });
}

VkPipeline Draws::createPipeline()
{
    VkPipelineShaderStageCreateInfo stages[] = {
        TestDevice::stage(device.createModule(shaders::moved_instances), "main"),
        TestDevice::stage(device.createModule(shaders::mixed_color), "main")};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = 2;
    input.pVertexBindingDescriptions = kBindings;
    input.vertexAttributeDescriptionCount = 2;
    input.pVertexAttributeDescriptions = kAttributes;
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &kBlend;
    constexpr VkDynamicState kStates[] = {
        VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
        VK_DYNAMIC_STATE_CULL_MODE,           VK_DYNAMIC_STATE_FRONT_FACE,
        VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
        VK_DYNAMIC_STATE_BLEND_CONSTANTS,     VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = static_cast<uint32_t>(std::size(kStates));
    dynamic.pDynamicStates = kStates;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    const bool legacy = GetParam().pass == Pass::Legacy;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, legacy ? nullptr : &rendering};
    info.flags = pipelineFlags;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    info.renderPass = legacy ? pass : VK_NULL_HANDLE;
    VkPipeline out = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &out));
    device.onDestroy([this, out] { vkDestroyPipeline(device.handle, out, nullptr); });
    return out;
}

void Draws::bindDescriptors(VkCommandBuffer cmd, VkPipelineBindPoint point)
{
    const bool forGraph = point == kGraphPoint;
    const VkPipelineLayout with = forGraph ? graphLayout : layout;
    const Descriptors kind = GetParam().descriptors;
    if (kind == Descriptors::Buffer) {
        const uint32_t buffer = 0;
        const VkDeviceSize offset = forGraph ? 0 : setBytes;
        device.get<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(cmd, point, with, 0, 1,
                                                                                                 &buffer, &offset);
    } else if (forGraph || kind == Descriptors::Set) {
        vkCmdBindDescriptorSets(cmd, point, with, 0, 1, forGraph ? &graphSet : &set, 0, nullptr);
    } else {
        const VkDescriptorBufferInfo info{factor.handle, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &info;
        device.get<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR")(cmd, point, with, 0, 1, &write);
    }
}

// What no pipeline sets.
void Draws::setStateOfObjects(VkCommandBuffer cmd)
{
    constexpr VkShaderStageFlagBits kStages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    device.get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")(cmd, 2, kStages, objects.data());
    VkVertexInputBindingDescription2EXT bindings[2]{};
    VkVertexInputAttributeDescription2EXT attributes[2]{};
    for (size_t i = 0; i < 2; ++i) {
        bindings[i].sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT;
        bindings[i].binding = kBindings[i].binding;
        bindings[i].stride = 16;
        bindings[i].inputRate = kBindings[i].inputRate;
        bindings[i].divisor = 1;
        attributes[i] = {VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                         nullptr,
                         kAttributes[i].location,
                         kAttributes[i].binding,
                         kAttributes[i].format,
                         kAttributes[i].offset};
    }
    device.get<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT")(cmd, 2, bindings, 2, attributes);
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    vkCmdSetDepthTestEnable(cmd, VK_FALSE);
    vkCmdSetDepthWriteEnable(cmd, VK_FALSE);
    vkCmdSetDepthBiasEnable(cmd, VK_FALSE);
    vkCmdSetStencilTestEnable(cmd, VK_FALSE);
    const VkSampleMask mask = 1;
    device.get<PFN_vkCmdSetRasterizationSamplesEXT>("vkCmdSetRasterizationSamplesEXT")(cmd, VK_SAMPLE_COUNT_1_BIT);
    device.get<PFN_vkCmdSetSampleMaskEXT>("vkCmdSetSampleMaskEXT")(cmd, VK_SAMPLE_COUNT_1_BIT, &mask);
    device.get<PFN_vkCmdSetAlphaToCoverageEnableEXT>("vkCmdSetAlphaToCoverageEnableEXT")(cmd, VK_FALSE);
    device.get<PFN_vkCmdSetPolygonModeEXT>("vkCmdSetPolygonModeEXT")(cmd, VK_POLYGON_MODE_FILL);
    const VkBool32 blends = VK_TRUE;
    const VkColorBlendEquationEXT equation{kBlend.srcColorBlendFactor, kBlend.dstColorBlendFactor, kBlend.colorBlendOp,
                                           kBlend.srcAlphaBlendFactor, kBlend.dstAlphaBlendFactor, kBlend.alphaBlendOp};
    const VkColorComponentFlags components = kBlend.colorWriteMask;
    device.get<PFN_vkCmdSetColorBlendEnableEXT>("vkCmdSetColorBlendEnableEXT")(cmd, 0, 1, &blends);
    device.get<PFN_vkCmdSetColorBlendEquationEXT>("vkCmdSetColorBlendEquationEXT")(cmd, 0, 1, &equation);
    device.get<PFN_vkCmdSetColorWriteMaskEXT>("vkCmdSetColorWriteMaskEXT")(cmd, 0, 1, &components);
}

void Draws::setState(VkCommandBuffer cmd)
{
    if (GetParam().shaders == Shaders::Pipeline)
        vkCmdBindPipeline(cmd, kGraphics, pipeline);
    else
        setStateOfObjects(cmd);
    geometry.bind(cmd);
    bindDescriptors(cmd, kGraphics);
    const VkViewport viewport{1, 2, kSize - 2, kSize - 4, 0, 1};
    vkCmdSetViewportWithCount(cmd, 1, &viewport);
    const VkRect2D scissor{{2, 2}, {kSize - 4, kSize - 5}};
    vkCmdSetScissorWithCount(cmd, 1, &scissor);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_BACK_BIT);
    vkCmdSetFrontFace(cmd, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vkCmdSetPrimitiveRestartEnable(cmd, VK_TRUE);
    const float constants[] = {0.5f, 0.25f, 1.0f, 1.0f};
    vkCmdSetBlendConstants(cmd, constants);
}

void Draws::runGraph(VkCommandBuffer cmd, Boundary boundary)
{
    const std::vector<uint32_t> roots(kRoots, 0);
    if (isSplit(boundary))
        device.dispatchIndirect(cmd, tree, "recurse", kRoots, roots);
    else
        device.dispatch(cmd, tree, "recurse", kRoots, roots);
}

void Draws::beginPass(VkCommandBuffer cmd, const Image& image)
{
    if (GetParam().pass == Pass::Legacy) {
        VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        begin.renderPass = pass;
        begin.framebuffer = device.createFramebuffer(pass, image, kSize, kSize);
        begin.renderArea.extent = {kSize, kSize};
        begin.clearValueCount = 1;
        begin.pClearValues = &kClear;
        vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
        return;
    }
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = image.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue = kClear;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {kSize, kSize};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vkCmdBeginRendering(cmd, &info);
}

void Draws::endPass(VkCommandBuffer cmd)
{
    if (GetParam().pass == Pass::Legacy)
        vkCmdEndRenderPass(cmd);
    else
        vkCmdEndRendering(cmd);
}

void Draws::draw(VkCommandBuffer cmd, const std::array<float, 4>& added)
{
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16, added.data());
    vkCmdDrawIndexed(cmd, 9, 2, 0, 0, 0);
}

Draws::Picture Draws::draw(Boundary boundary)
{
    const Image image = device.createTarget(kSize, kSize);
    const Buffer pixels = device.createBuffer(VkDeviceSize{4} * kSize * kSize, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, tree.pipeline, tree.scratch.address, tree.scratch.size);
    TestDevice::barrier(cmd);
    if (GetParam().descriptors == Descriptors::Buffer) {
        VkDescriptorBufferBindingInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT};
        info.address = descriptors.address;
        info.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        device.get<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(cmd, 1, &info);
    }
    vkCmdBindPipeline(cmd, kGraphPoint, tree.pipeline);
    bindDescriptors(cmd, kGraphPoint);
    TestDevice::transition(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    setState(cmd);
    if (boundary != Boundary::None && !isInside(boundary))
        runGraph(cmd, boundary);
    beginPass(cmd, image);
    draw(cmd, {0.1f, 0.0f, 0.2f, 0.0f});
    if (isInside(boundary))
        runGraph(cmd, boundary);
    // Only this changes: all else is as it was in front of the graph.
    draw(cmd, {0.0f, 0.3f, 0.1f, 0.0f});
    endPass(cmd);
    TestDevice::transition(cmd, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &copy);
    TestDevice::barrier(cmd);
    device.submitAndWait(cmd);
    return {pixels.words, pixels.words + size_t{kSize} * kSize};
}

TEST_P(Draws, AroundAGraph_PictureIsThatWithoutIt)
{
    const Picture wanted = draw(Boundary::None);
    EXPECT_EQ(counts.words[4], 0u);
    // The background, two instances, and where they cover each other.
    EXPECT_GE(std::set<uint32_t>(wanted.begin(), wanted.end()).size(), 4u);
    EXPECT_EQ(draw(GetParam().boundary), wanted);
    EXPECT_EQ(counts.words[4], kLeaves);
}

std::vector<Way> allWays()
{
    std::vector<Way> ways;
    for (Pass pass : {Pass::Legacy, Pass::Dynamic})
        for (Shaders shaders : {Shaders::Pipeline, Shaders::Objects})
            for (Descriptors descriptors : {Descriptors::Set, Descriptors::Push, Descriptors::Buffer})
                for (Boundary boundary :
                     {Boundary::WholeInFront, Boundary::SplitInFront, Boundary::WholeInside, Boundary::SplitInside})
                    // Shader objects need dynamic rendering, and in a legacy pass there are no graphs.
                    if (pass == Pass::Dynamic || (shaders == Shaders::Pipeline && !isInside(boundary)))
                        ways.push_back({pass, shaders, descriptors, boundary});
    return ways;
}

std::string nameOf(const testing::TestParamInfo<Way>& info)
{
    constexpr const char* kDescriptors[] = {"Set", "Push", "Buffer"};
    constexpr const char* kBoundaries[] = {"None", "WholeInFront", "SplitInFront", "WholeInside", "SplitInside"};
    const Way& way = info.param;
    return std::string(way.pass == Pass::Legacy ? "Legacy" : "Dynamic") +
           (way.shaders == Shaders::Pipeline ? "Pipeline" : "Objects") +
           kDescriptors[static_cast<size_t>(way.descriptors)] + kBoundaries[static_cast<size_t>(way.boundary)];
}

INSTANTIATE_TEST_SUITE_P(Ways, Draws, testing::ValuesIn(allWays()), nameOf);

}  // namespace

}  // namespace millrace::layertest
