// SPDX-License-Identifier: Apache-2.0
// The pipelines of generated draws.
#include <array>

#include "commands/draws.h"
#include "layer/tomorrow.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

namespace {

// All state of a pipeline but its stages and layout.
struct PipelineState {
    PipelineState(bool hasVertices, uint32_t views, bool hasDynamicInput = false)
    {
        if (hasDynamicInput)
            states[2] = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT;
        if (hasVertices) {
            input.vertexBindingDescriptionCount = 2;
            input.pVertexBindingDescriptions = kBindings;
            input.vertexAttributeDescriptionCount = 3;
            input.pVertexAttributeDescriptions = kAttributes;
        }
        assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        viewport.viewportCount = viewport.scissorCount = 1;
        raster.lineWidth = 1.0f;
        samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
        attachment.colorWriteMask = 0xf;
        blend.attachmentCount = 1;
        blend.pAttachments = &attachment;
        dynamic.dynamicStateCount = hasVertices ? 3 : 2;
        dynamic.pDynamicStates = states;
        rendering.viewMask = views;
        rendering.colorAttachmentCount = 1;
        rendering.pColorAttachmentFormats = &kFormat;
    }
    PipelineState(const PipelineState&) = delete;
    PipelineState& operator=(const PipelineState&) = delete;

    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkPipelineDepthStencilStateCreateInfo depthStencil{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState attachment{};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    VkDynamicState states[3] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
};

VkPipelineShaderStageCreateInfo stageOf(VkShaderStageFlagBits stage, VkShaderModule module)
{
    VkPipelineShaderStageCreateInfo info = layertest::TestDevice::stage(module, "main");
    info.stage = stage;
    return info;
}

}  // namespace

VkShaderModule Draws::createModule(std::span<const uint32_t> words) const
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateShaderModule(m_device.handle, &info, nullptr, &module));
    return module;
}

VkPipeline Draws::createOne(VkGraphicsPipelineCreateInfo info)
{
    const VkTomorrowEXT tomorrow = layertest::tomorrow(info.pNext);
    if (generated.hasTomorrow)
        info.pNext = &tomorrow;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateGraphicsPipelines(m_device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    return pipeline;
}

VkIndirectExecutionSetEXT Draws::createSet(const std::vector<VkPipeline>& pipelines)
{
    VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    of.initialPipeline = pipelines[0];
    of.maxPipelineCount = static_cast<uint32_t>(pipelines.size()) + 1;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    info.info.pPipelineInfo = &of;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createSet(m_device.handle, &info, nullptr, &set));
    m_device.onDestroy([this, set] { generated.destroySet(m_device.handle, set, nullptr); });
    for (uint32_t i = 1; i < pipelines.size(); ++i) {
        VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT};
        write.index = i;
        write.pipeline = pipelines[i];
        generated.updateSet(m_device.handle, set, 1, &write);
    }
    return set;
}

VkPipeline Draws::createGroups(bool hasRenderPass, bool hasVertices)
{
    if (usesMesh(m_maker)) {
        const VkPipeline other = createMeshPipeline(hasRenderPass, hasVertices, kDrawSalts[2]);
        return createMeshPipeline(hasRenderPass, hasVertices, kDrawSalts[0], {other});
    }
    const VkPipeline other = createPipeline(hasRenderPass, hasVertices, kDrawSalts[2]);
    return createPipeline(hasRenderPass, hasVertices, kDrawSalts[0], {other});
}

namespace {

// What a group has of a pipeline's state.
VkGraphicsShaderGroupCreateInfoNV groupOf(const VkGraphicsPipelineCreateInfo& info,
                                          const VkPipelineShaderStageCreateInfo* stages)
{
    VkGraphicsShaderGroupCreateInfoNV group{VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV};
    group.stageCount = info.stageCount;
    group.pStages = stages;
    group.pVertexInputState = info.pVertexInputState;
    return group;
}

}  // namespace

VkPipeline Draws::createPipeline(bool hasRenderPass, bool hasVertices, uint32_t salt,
                                 const std::vector<VkPipeline>& others, bool isEarly)
{
    PipelineState state(hasVertices, m_views, m_hasDynamicInput);
    const std::span<const uint32_t> fragment = isEarly ? shaders::points_fragment_early : shaders::points_fragment;
    const VkShaderModule modules[] = {createModule(vertexCode(hasVertices)), createModule(fragment)};
    VkPipelineShaderStageCreateInfo stages[] = {stageOf(VK_SHADER_STAGE_VERTEX_BIT, modules[0]),
                                                stageOf(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1])};
    const VkSpecializationMapEntry entry{3, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    const VkSpecializationInfo fragmentSalt{1, &entry, 4, &kFragmentSalts[1]};
    if (salt != kDrawSalts[0])
        stages[0].pSpecializationInfo = &specialization;
    if (salt == kDrawSalts[2])
        stages[1].pSpecializationInfo = &fragmentSalt;
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &flags};
    // Like the one that is used, and gone when variants are made, as the modules are.
    const VkRenderPass pass = hasRenderPass ? createRenderPass2() : VK_NULL_HANDLE;
    if (hasRenderPass)
        info.renderPass = pass;
    else
        flags.pNext = &state.rendering;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = hasVertices && m_hasDynamicInput ? nullptr : &state.input;
    info.pInputAssemblyState = &state.assembly;
    info.pViewportState = &state.viewport;
    info.pRasterizationState = &state.raster;
    info.pMultisampleState = &state.samples;
    info.pColorBlendState = &state.blend;
    info.pDynamicState = &state.dynamic;
    info.layout = m_layout;
    const VkSpecializationInfo secondSalt{1, &entry, 4, &kDrawSalts[1]};
    VkPipelineShaderStageCreateInfo second[] = {stages[0], stages[1]};
    second[0].pSpecializationInfo = &secondSalt;
    const VkGraphicsShaderGroupCreateInfoNV own[] = {groupOf(info, stages), groupOf(info, second)};
    VkGraphicsPipelineShaderGroupsCreateInfoNV groups{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV,
                                                      info.pNext};
    groups.groupCount = 2;
    groups.pGroups = own;
    groups.pipelineCount = static_cast<uint32_t>(others.size());
    groups.pPipelines = others.data();
    if (!others.empty())
        info.pNext = &groups;
    if (m_maker == Maker::Streams)
        flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV;
    const VkPipeline pipeline = createOne(info);
    vkDestroyRenderPass(m_device.handle, pass, nullptr);
    for (VkShaderModule module : modules)
        vkDestroyShaderModule(m_device.handle, module, nullptr);
    m_device.onDestroy([this, pipeline] { vkDestroyPipeline(m_device.handle, pipeline, nullptr); });
    return pipeline;
}

void Draws::replace(const DrawCase& drawn, uint32_t index, uint32_t salt, bool isEarly)
{
    VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT};
    write.index = index;
    write.pipeline = createPipeline(drawn.hasRenderPass, drawn.hasVertices, salt, {}, isEarly);
    generated.updateSet(m_device.handle, m_sets[drawn.hasRenderPass][drawn.hasVertices], 1, &write);
}

VkPipeline Draws::createMeshPipeline(bool hasRenderPass, bool hasTasks, uint32_t salt,
                                     const std::vector<VkPipeline>& others)
{
    PipelineState state(false, m_views);
    const VkShaderModule modules[] = {createModule(meshCode(hasTasks)), createModule(shaders::points_fragment),
                                      createModule(taskCode())};
    VkPipelineShaderStageCreateInfo stages[] = {stageOf(VK_SHADER_STAGE_MESH_BIT_EXT, modules[0]),
                                                stageOf(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1]),
                                                stageOf(VK_SHADER_STAGE_TASK_BIT_EXT, modules[2])};
    const VkSpecializationMapEntry entry{3, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    stages[0].pSpecializationInfo = &specialization;
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    if (!hasRenderPass)
        flags.pNext = &state.rendering;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &flags};
    info.renderPass = hasRenderPass ? m_pass : VK_NULL_HANDLE;
    info.stageCount = hasTasks ? 3 : 2;
    info.pStages = stages;
    info.pViewportState = &state.viewport;
    info.pRasterizationState = &state.raster;
    info.pMultisampleState = &state.samples;
    info.pColorBlendState = &state.blend;
    info.pDynamicState = &state.dynamic;
    info.layout = m_layout;
    const VkSpecializationInfo secondSalt{1, &entry, 4, &kDrawSalts[1]};
    VkPipelineShaderStageCreateInfo second[] = {stages[0], stages[1], stages[2]};
    second[0].pSpecializationInfo = &secondSalt;
    const VkGraphicsShaderGroupCreateInfoNV own[] = {groupOf(info, stages), groupOf(info, second)};
    VkGraphicsPipelineShaderGroupsCreateInfoNV groups{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV,
                                                      info.pNext};
    groups.groupCount = 2;
    groups.pGroups = own;
    groups.pipelineCount = static_cast<uint32_t>(others.size());
    groups.pPipelines = others.data();
    if (!others.empty())
        info.pNext = &groups;
    if (m_maker == Maker::MeshStreams)
        flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV;
    const VkPipeline pipeline = createOne(info);
    for (VkShaderModule module : modules)
        vkDestroyShaderModule(m_device.handle, module, nullptr);
    m_device.onDestroy([this, pipeline] { vkDestroyPipeline(m_device.handle, pipeline, nullptr); });
    return pipeline;
}

// A library with one subset of the state; everything else in its structure is wrong or nothing.
VkPipeline Draws::createLibrary(VkGraphicsPipelineLibraryFlagsEXT subset, VkRenderPass pass, bool hasVertices)
{
    PipelineState state(hasVertices, m_views);
    VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
    library.flags = subset;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &library};
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    info.pDynamicState = &state.dynamic;
    if (subset != VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) {
        info.renderPass = pass;
        library.pNext = pass ? nullptr : &state.rendering;
    }
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipelineShaderStageCreateInfo stage;
    const auto setStage = [&](VkShaderStageFlagBits bit, std::span<const uint32_t> code) {
        module = createModule(code);
        stage = stageOf(bit, module);
        info.stageCount = 1;
        info.pStages = &stage;
        info.layout = m_layout;
    };
    if (subset == VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) {
        info.pVertexInputState = &state.input;
        info.pInputAssemblyState = &state.assembly;
    } else if (subset == VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) {
        setStage(VK_SHADER_STAGE_VERTEX_BIT, vertexCode(hasVertices));
        info.pViewportState = &state.viewport;
        info.pRasterizationState = &state.raster;
    } else if (subset == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT) {
        setStage(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment);
        info.pDepthStencilState = &state.depthStencil;
    } else {
        info.pMultisampleState = &state.samples;
        info.pColorBlendState = &state.blend;
    }
    const VkPipeline pipeline = createOne(info);
    vkDestroyShaderModule(m_device.handle, module, nullptr);
    return pipeline;
}

// Of two libraries that are linked into a third, and the rest. Libraries live as long as pipelines of them.
VkPipeline Draws::createLinked(bool hasRenderPass, bool hasVertices)
{
    const VkRenderPass pass = hasRenderPass ? createRenderPass2() : VK_NULL_HANDLE;
    const auto library = [&](VkGraphicsPipelineLibraryFlagsEXT subset) {
        return createLibrary(subset, pass, hasVertices);
    };
    const VkPipeline shading[] = {library(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT),
                                  library(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT)};
    VkPipelineLibraryCreateInfoKHR list{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    list.libraryCount = 2;
    list.pLibraries = shading;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &list};
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    info.layout = m_layout;
    const VkPipeline all[] = {library(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT), createOne(info),
                              library(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)};
    list.libraryCount = 3;
    list.pLibraries = all;
    info.flags = 0;
    const VkPipeline pipeline = createOne(info);
    vkDestroyRenderPass(m_device.handle, pass, nullptr);
    for (VkPipeline made : {shading[0], shading[1], all[0], all[1], all[2], pipeline})
        m_device.onDestroy([this, made] { vkDestroyPipeline(m_device.handle, made, nullptr); });
    return pipeline;
}

namespace {

// Code of one kind, without and with vertex buffers or task shaders.
using Pair = std::array<std::span<const uint32_t>, 2>;

std::span<const uint32_t> choose(const Pair& pair, const Pair& plain, bool isSecond)
{
    return (driverHasDrawParameters() ? pair : plain)[isSecond ? 1 : 0];
}

}  // namespace

std::span<const uint32_t> Draws::vertexCode(bool hasVertices, bool hasMore) const
{
    if (m_views)
        return choose({shaders::points_vertex_views, shaders::points_vertex_attributes_views},
                      {shaders::points_vertex_views_plain, shaders::points_vertex_attributes_views_plain}, hasVertices);
    if (hasMore)
        return choose({shaders::points_vertex_more, shaders::points_vertex_attributes_more},
                      {shaders::points_vertex_more_plain, shaders::points_vertex_attributes_more_plain}, hasVertices);
    return choose({shaders::points_vertex, shaders::points_vertex_attributes},
                  {shaders::points_vertex_plain, shaders::points_vertex_attributes_plain}, hasVertices);
}

std::span<const uint32_t> Draws::meshCode(bool hasTasks) const
{
    if (m_views)
        return choose({shaders::points_mesh_views, shaders::points_tasks_mesh_views},
                      {shaders::points_mesh_views_plain, shaders::points_tasks_mesh_views_plain}, hasTasks);
    return choose({shaders::points_mesh, shaders::points_tasks_mesh},
                  {shaders::points_mesh_plain, shaders::points_tasks_mesh_plain}, hasTasks);
}

std::span<const uint32_t> Draws::taskCode()
{
    return choose({shaders::points_task, {}}, {shaders::points_task_plain, {}}, false);
}

}  // namespace millrace::commandtest
