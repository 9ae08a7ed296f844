// SPDX-License-Identifier: Apache-2.0
#include "mesh/random_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>

#include "mesh/compile_text.h"

namespace millrace::meshtest {

namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkShaderStageFlags kFirstStages =
    VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_VERTEX_BIT;
constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kRandomViews};

// From vertex shaders.
bool driverWritesViewports()
{
    layertest::InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    return layertest::lists(layertest::deviceExtensions(instance.physical),
                            VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
}

void readDriverFeatures(VkPhysicalDeviceFeatures2& features)
{
    layertest::InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
}

VkPrimitiveTopology topologyOf(uint32_t corners)
{
    constexpr VkPrimitiveTopology kLists[] = {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                              VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    return kLists[corners - 1];
}

layertest::InstanceOptions withWays(Ways ways)
{
    layertest::InstanceOptions options = instanceOptions(Provider::Layer);
    if (ways == Ways::FewIndices)
        options.settings["traits"] = "mesh_index_kib=1";
    if (ways == Ways::NoIndices)
        options.settings["disable"] = "mesh_indices";
    if (ways == Ways::StoredVertices)
        options.settings["disable"] = "computed_vertices";
    return options;
}

}  // namespace

RandomDevice::RandomDevice(Ways ways) : m_device(withWays(ways), options())
{
    m_cmdDraw = m_device.get<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT");
    m_cmdDrawIndirect = m_device.get<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT");
    m_cmdDrawIndirectCount = m_device.get<PFN_vkCmdDrawMeshTasksIndirectCountEXT>("vkCmdDrawMeshTasksIndirectCountEXT");
    createLayout();
    createTarget();
    createCounter();
}

layertest::DeviceOptions RandomDevice::options()
{
    m_parameters.pNext = &m_multiview;
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &m_parameters};
    readDriverFeatures(all);
    const VkPhysicalDeviceFeatures& driver = all.features;
    VkPhysicalDeviceFeatures& own = m_core.features;
    own.geometryShader = driver.geometryShader;
    own.shaderFloat64 = driver.shaderFloat64;
    own.shaderInt64 = driver.shaderInt64;
    own.shaderClipDistance = driver.shaderClipDistance;
    own.shaderCullDistance = driver.shaderCullDistance;
    own.largePoints = driver.largePoints;
    own.pipelineStatisticsQuery = driver.pipelineStatisticsQuery;
    own.multiViewport = driver.multiViewport && driverWritesViewports();
    own.multiDrawIndirect = driver.multiDrawIndirect;
    m_multiview.multiviewGeometryShader = m_multiview.multiviewTessellationShader = VK_FALSE;
    m_multiview.pNext = &m_features;
    m_features.meshShader = VK_TRUE;
    m_features.taskShader = VK_TRUE;
    m_features.multiviewMeshShader = m_multiview.multiview;
    layertest::DeviceOptions options;
    options.first = &m_core;
    options.extension = false;
    options.feature = false;
    options.chain = &m_parameters;
    options.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
    if (own.multiViewport)
        options.extensions.push_back(VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
    return options;
}

Abilities RandomDevice::abilities() const
{
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &driver};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
    vkGetPhysicalDeviceProperties2(m_device.physical, &properties);
    const VkPhysicalDeviceFeatures& own = m_core.features;
    Abilities abilities;
    abilities.float64 = own.shaderFloat64;
    abilities.int64 = own.shaderInt64;
    abilities.clipDistance = own.shaderClipDistance;
    abilities.cullDistance = own.shaderCullDistance;
    abilities.largePoints = own.largePoints;
    // Where one driver's compiler would end the process (docs/gpu.md), and where the layer is told to take it for that.
    const char* const disabled = std::getenv("VK_MILLRACE_EMULATION_DISABLE");
    abilities.viewPointSizes = driver.driverID != VK_DRIVER_ID_NVIDIA_PROPRIETARY &&
                               !(disabled && std::string_view(disabled) == "view_point_sizes");
    abilities.fragmentBuiltIns = own.geometryShader;
    abilities.viewports = own.multiViewport;
    abilities.tasks = m_features.taskShader;
    abilities.drawIndex = m_parameters.shaderDrawParameters;
    abilities.multiview = m_features.multiviewMeshShader;
    if ((subgroups.supportedStages & VK_SHADER_STAGE_MESH_BIT_EXT) &&
        (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT))
        abilities.subgroupSize = subgroups.subgroupSize;
    return abilities;
}

void RandomDevice::createLayout()
{
    m_setLayout = m_device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, kFirstStages);
    const VkPushConstantRange ranges[] = {{kFirstStages, 0, sizeof(RandomPush)},
                                          {VK_SHADER_STAGE_FRAGMENT_BIT, kRandomFragmentPush, 4}};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_setLayout;
    info.pushConstantRangeCount = 2;
    info.pPushConstantRanges = ranges;
    MILLRACE_CHECK(vkCreatePipelineLayout(m_device.handle, &info, nullptr, &m_layout));
    m_device.onDestroy([this] { vkDestroyPipelineLayout(m_device.handle, m_layout, nullptr); });
}

void RandomDevice::createTarget()
{
    m_target = m_device.createTarget(kRandomSize, kRandomSize, kRandomViews);
}

void RandomDevice::createCounter()
{
    if (!m_core.features.pipelineStatisticsQuery)
        return;
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.queryCount = 1;
    info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT;
    MILLRACE_CHECK(vkCreateQueryPool(m_device.handle, &info, nullptr, &m_counter));
    m_device.onDestroy([this] { vkDestroyQueryPool(m_device.handle, m_counter, nullptr); });
}

// Behind a submission that has ended.
void RandomDevice::countRuns()
{
    uint64_t runs = 0;
    EXPECT_EQ(vkGetQueryPoolResults(m_device.handle, m_counter, 0, 1, sizeof runs, &runs, sizeof runs,
                                    VK_QUERY_RESULT_64_BIT),
              VK_SUCCESS);
    m_vertexRuns += runs;
}

VkPipeline RandomDevice::createPipeline(const std::vector<StageText>& texts, const RandomShader& shader, uint32_t salt)
{
    const VkSpecializationMapEntry entry{0, 0, sizeof salt};
    const VkSpecializationInfo constants{1, &entry, sizeof salt, &salt};
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const auto& [stage, text] : texts) {
        if (text.empty())
            continue;
        const std::vector<uint32_t> words = compileText(text, stage);
        if (words.empty())
            return VK_NULL_HANDLE;
        stages.push_back(layertest::TestDevice::stage(m_device.createModule(words), "main"));
        stages.back().stage = stage;
        if (stage != VK_SHADER_STAGE_FRAGMENT_BIT)
            stages.back().pSpecializationInfo = &constants;
    }
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = topologyOf(shader.corners);
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = states;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    rendering.viewMask = shader.viewMask;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    if (stages[0].stage == VK_SHADER_STAGE_VERTEX_BIT) {
        info.pVertexInputState = &input;
        info.pInputAssemblyState = &assembly;
    }
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = m_layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateGraphicsPipelines(m_device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    m_device.onDestroy([this, pipeline] { vkDestroyPipeline(m_device.handle, pipeline, nullptr); });
    return pipeline;
}

void RandomDevice::beginRendering(VkCommandBuffer cmd, uint32_t viewMask) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = m_target.handle;
    barrier.subresourceRange = kAll;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
    VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    attachment.imageView = m_target.view;
    attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, {kRandomSize, kRandomSize}};
    info.viewMask = viewMask;
    info.layerCount = kRandomLayers;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &attachment;
    vkCmdBeginRendering(cmd, &info);
    const VkViewport viewports[] = {{0, 0, kRandomSize, kRandomSize, 0, 1},
                                    {8, 4, kRandomSize / 2, kRandomSize / 2, 0.25f, 0.75f}};
    const VkRect2D scissors[] = {{{0, 0}, {kRandomSize, kRandomSize}}, {{5, 6}, {kRandomSize / 2, kRandomSize / 2}}};
    const uint32_t count = m_core.features.multiViewport ? 2 : 1;
    vkCmdSetViewportWithCount(cmd, count, viewports);
    vkCmdSetScissorWithCount(cmd, count, scissors);
}

void RandomDevice::copyPixels(VkCommandBuffer cmd, const layertest::Buffer& pixels) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = m_target.handle;
    barrier.subresourceRange = kAll;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, kRandomViews};
    region.imageExtent = {kRandomSize, kRandomSize, 1};
    vkCmdCopyImageToBuffer(cmd, m_target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &region);
    VkMemoryBarrier toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    toHost.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr, 0,
                         nullptr);
}

RandomDevice::Pixels RandomDevice::drawWith(VkPipeline pipeline, uint32_t seed, uint32_t viewMask, VkQueryPool counter,
                                            const std::function<void(VkCommandBuffer, uint32_t)>& draw)
{
    if (!pipeline)
        return {};
    const layertest::Buffer words = m_device.createBuffer(kRandomWords * sizeof(uint32_t));
    std::mt19937 random(seed);
    std::generate_n(words.words, kRandomWords, random);
    const VkDescriptorSet set = m_device.createSet(words, m_setLayout);
    const size_t count = size_t{kRandomSize} * kRandomSize * kRandomViews;
    const layertest::Buffer pixels = m_device.createBuffer(count * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const VkCommandBuffer cmd = m_device.begin();
    if (counter)
        vkCmdResetQueryPool(cmd, counter, 0, 1);
    beginRendering(cmd, viewMask);
    if (counter)
        vkCmdBeginQuery(cmd, counter, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &set, 0, nullptr);
    for (const uint32_t pushed : {0u, 91u}) {
        vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_FRAGMENT_BIT, kRandomFragmentPush, sizeof pushed, &pushed);
        draw(cmd, pushed);
    }
    if (counter)
        vkCmdEndQuery(cmd, counter, 0);
    vkCmdEndRendering(cmd);
    copyPixels(cmd, pixels);
    m_device.submitAndWait(cmd);
    if (counter)
        countRuns();
    const uint32_t drawn = viewMask == 0 ? (1u << kRandomLayers) - 1 : viewMask;
    Pixels out(count, 0);
    for (uint32_t layer = 0; layer < kRandomViews; ++layer) {
        const size_t first = size_t{layer} * kRandomSize * kRandomSize;
        if (drawn >> layer & 1)
            std::copy_n(pixels.words + first, kRandomSize * kRandomSize, out.begin() + static_cast<ptrdiff_t>(first));
    }
    return out;
}

void RandomDevice::push(VkCommandBuffer cmd, const RandomPush& values) const
{
    vkCmdPushConstants(cmd, m_layout, kFirstStages, 0, sizeof values, &values);
}

// The records are further apart than they are long, and there are more than are drawn.
void RandomDevice::drawIndirect(VkCommandBuffer cmd, const RandomShader& shader)
{
    constexpr uint32_t kStride = 20, kFirst = 8;
    const auto count = static_cast<uint32_t>(shader.draws.size());
    const layertest::Buffer records = m_device.createBuffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    records.words[0] = count;
    for (uint32_t draw = 0; draw <= count; ++draw)
        std::ranges::copy(shader.draws[draw % count], records.words + (kFirst + draw * kStride) / 4);
    if (shader.kind == RandomDraws::Indirect)
        m_cmdDrawIndirect(cmd, records.handle, kFirst, count, kStride);
    else
        m_cmdDrawIndirectCount(cmd, records.handle, kFirst, records.handle, 0, count + 1, kStride);
}

RandomDevice::Pixels RandomDevice::draw(const RandomShader& shader, uint32_t seed)
{
    const VkPipeline pipeline = createPipeline({{VK_SHADER_STAGE_TASK_BIT_EXT, shader.task},
                                                {VK_SHADER_STAGE_MESH_BIT_EXT, shader.mesh},
                                                {VK_SHADER_STAGE_FRAGMENT_BIT, shader.fragment}},
                                               shader, seed);
    const VkQueryPool counter = shader.viewMask == 0 ? m_counter : VK_NULL_HANDLE;
    return drawWith(pipeline, seed, shader.viewMask, counter, [&](VkCommandBuffer cmd, uint32_t pushed) {
        push(cmd, {pushed, 0, {}, {}});
        if (shader.kind != RandomDraws::Direct)
            return drawIndirect(cmd, shader);
        for (const auto& [x, y, z] : shader.draws)
            m_cmdDraw(cmd, x, y, z);
    });
}

RandomDevice::Pixels RandomDevice::drawExpected(const RandomShader& shader, uint32_t seed)
{
    const VkPipeline pipeline = createPipeline(
        {{VK_SHADER_STAGE_VERTEX_BIT, shader.expectedVertex}, {VK_SHADER_STAGE_FRAGMENT_BIT, shader.expectedFragment}},
        shader, seed);
    return drawWith(pipeline, seed, shader.viewMask, VK_NULL_HANDLE, [&](VkCommandBuffer cmd, uint32_t pushed) {
        uint32_t draw = 0;
        for (const auto& [x, y, z] : shader.draws) {
            push(cmd, {pushed, draw, {}, {x, y, z}});
            vkCmdDraw(cmd, x * y * z * shader.expectedVertices, 1, 0, 0);
            draw += shader.kind == RandomDraws::Direct || !m_parameters.shaderDrawParameters ? 0 : 1;
        }
    });
}

}  // namespace millrace::meshtest
