// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh_device.h"

#include <utility>

#include "layer/tomorrow.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

using layertest::DeviceOptions;
using layertest::InstanceOptions;

InstanceOptions instanceOptions(Provider provider)
{
    InstanceOptions options;
    options.emulation = provider != Provider::Driver;
    if (provider == Provider::Nodes)
        options.settings = {{"enable", "mesh_nodes"}};
    if (provider == Provider::NodesOfLayer)
        options.settings = {{"enable", "mesh_nodes, mesh_shaders"}, {"force_enable", "true"}};
    if (provider == Provider::Layer)
        options.settings = {{"enable", "mesh_shaders"}, {"force_enable", "true"}};
    if (provider == Provider::LayerInOnePiece)
        options.settings = {{"enable", "mesh_shaders"}, {"force_enable", "true"}, {"continuation", "single"}};
    return options;
}

bool driverHasMeshShaders()
{
    static const bool has = [] {
        InstanceOptions options;
        options.emulation = false;
        const layertest::TestInstance instance(options);
        return layertest::lists(layertest::deviceExtensions(instance.physical), VK_EXT_MESH_SHADER_EXTENSION_NAME);
    }();
    return has;
}

VkPhysicalDeviceMeshShaderFeaturesEXT meshFeaturesOf(VkPhysicalDevice physical)
{
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    mesh.taskShader = mesh.meshShader = mesh.multiviewMeshShader = mesh.meshShaderQueries = 77;
    mesh.primitiveFragmentShadingRateMeshShader = 77;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &mesh};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return mesh;
}

bool driverHas(Beside beside)
{
    InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    const auto extensions = layertest::deviceExtensions(instance.physical);
    switch (beside) {
        case Beside::Libraries:
            return layertest::lists(extensions, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
        case Beside::ShaderObjects:
            return layertest::lists(extensions, VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
        case Beside::Conditions:
            return layertest::lists(extensions, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
        case Beside::NestedSecondaries:
            return layertest::lists(extensions, VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME);
        default:
            return true;
    }
}

namespace {

// What compilers declare for PrimitiveId and gl_DrawID, which lowered shaders go without, several draws in one command,
// and statistics.
void enableWhatTestsNeed(VkPhysicalDeviceFeatures2& core, VkPhysicalDeviceVulkan11Features& v11)
{
    InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    VkPhysicalDeviceVulkan11Features has11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 has{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &has11};
    vkGetPhysicalDeviceFeatures2(instance.physical, &has);
    core.features.geometryShader = has.features.geometryShader;
    core.features.pipelineStatisticsQuery = has.features.pipelineStatisticsQuery;
    core.features.inheritedQueries = has.features.inheritedQueries;
    core.features.multiDrawIndirect = has.features.multiDrawIndirect;
    core.features.fragmentStoresAndAtomics = has.features.fragmentStoresAndAtomics;
    core.features.vertexPipelineStoresAndAtomics = has.features.vertexPipelineStoresAndAtomics;
    v11.shaderDrawParameters = has11.shaderDrawParameters;
    v11.multiview = has11.multiview;
    core.pNext = &v11;
}

}  // namespace

namespace {

InstanceOptions with(InstanceOptions options, const std::string& trace, bool tomorrow)
{
    options.tomorrow = tomorrow;
    if (!trace.empty()) {
        options.emulation = true;
        options.settings["trace"] = trace;
    }
    return options;
}

}  // namespace

MeshDevice::MeshDevice(Provider by, Beside beside, const std::string& trace, bool tomorrow)
    : provider(by), device(with(instanceOptions(by), trace, tomorrow), options(beside, tomorrow))
{
    setLayout =
        device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, kMeshStages | VK_SHADER_STAGE_FRAGMENT_BIT);
    const VkPushConstantRange ranges[] = {{kMeshStages, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    info.pushConstantRangeCount = 2;
    info.pPushConstantRanges = ranges;
    MILLRACE_CHECK(vkCreatePipelineLayout(device.handle, &info, nullptr, &layout));
    device.onDestroy([this] { vkDestroyPipelineLayout(device.handle, layout, nullptr); });
    cmdDraw = device.get<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT");
    cmdDrawIndirectCount = device.get<PFN_vkCmdDrawMeshTasksIndirectCountEXT>("vkCmdDrawMeshTasksIndirectCountEXT");
    cmdDrawIndirect = device.get<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT");
}

DeviceOptions MeshDevice::options(Beside beside, bool tomorrow)
{
    const layertest::TestInstance instance(instanceOptions(provider));
    const VkPhysicalDeviceMeshShaderFeaturesEXT has = meshFeaturesOf(instance.physical);
    m_features.multiviewMeshShader = has.multiviewMeshShader == VK_TRUE;
    m_features.meshShaderQueries = has.meshShaderQueries == VK_TRUE;
    m_features.meshShader = VK_TRUE;
    m_features.taskShader = VK_TRUE;
    enableWhatTestsNeed(m_core, m_v11);
    DeviceOptions options;
    options.first = &m_core;
    options.meshNodes = provider == Provider::Nodes || provider == Provider::NodesOfLayer;
    options.extension = options.feature = beside == Beside::Graphs || options.meshNodes;
    options.memoryModel = true;
    options.hostQueryReset = true;
    options.chain = &m_features;
    options.extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
    if (tomorrow)
        options.extensions.push_back(VK_EXT_TOMORROW_EXTENSION_NAME);
    if (beside == Beside::Libraries) {
        options.extensions.insert(options.extensions.end(), {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
        m_libraries.graphicsPipelineLibrary = VK_TRUE;
        m_features.pNext = &m_libraries;
    } else if (beside == Beside::ShaderObjects) {
        options.extensions.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
        m_objects.shaderObject = VK_TRUE;
        m_features.pNext = &m_objects;
    } else if (beside == Beside::Conditions) {
        options.extensions.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
        m_conditions.conditionalRendering = VK_TRUE;
        m_features.pNext = &m_conditions;
    } else if (beside == Beside::NestedSecondaries) {
        options.extensions.push_back(VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME);
        m_nested.nestedCommandBuffer = m_nested.nestedCommandBufferRendering = VK_TRUE;
        m_features.pNext = &m_nested;
    }
    return options;
}

VkQueryPool MeshDevice::createQueries(VkQueryType type, VkQueryPipelineStatisticFlags statistics, uint32_t count)
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = type;
    info.queryCount = count;
    info.pipelineStatistics = statistics;
    VkQueryPool queries = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.handle, &info, nullptr, &queries));
    device.onDestroy([this, queries] { vkDestroyQueryPool(device.handle, queries, nullptr); });
    return queries;
}

VkPipeline MeshDevice::createPipeline(const PipelineOptions& options)
{
    VkResult result = VK_SUCCESS;
    const VkPipeline pipeline = createPipeline(options, result);
    layertest::check(result, "vkCreateGraphicsPipelines");
    return pipeline;
}

VkPipeline MeshDevice::createPipeline(const PipelineOptions& options, VkResult& result)
{
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    const auto add = [&](VkShaderModule module, VkShaderStageFlagBits stage) {
        stages.push_back(layertest::TestDevice::stage(module, "main"));
        stages.back().stage = stage;
    };
    if (!options.task.empty())
        add(device.createModule(options.task), VK_SHADER_STAGE_TASK_BIT_EXT);
    add(device.createModule(options.mesh.empty() ? shaders::cells_mesh : options.mesh), VK_SHADER_STAGE_MESH_BIT_EXT);
    stages.back().pName = options.entry;
    stages.back().pNext = options.node;
    stages.back().pSpecializationInfo = options.constants;
    add(device.createModule(options.fragment.empty() ? shaders::cells_fragment : options.fragment),
        VK_SHADER_STAGE_FRAGMENT_BIT);
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = states;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    rendering.viewMask = options.viewMask;
    rendering.pNext = options.chain;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = options.flags;
    info.pNext = options.renderPass ? options.chain : &rendering;
    if (options.flags != 0) {
        flags.pNext = info.pNext;
        info.pNext = &flags;
    }
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    info.renderPass = options.renderPass;
    info.subpass = options.subpass;
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (options.linking == Linking::Whole)
        result = vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    else
        pipeline = createLinked(info, options);
    device.onDestroy([this, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
    return pipeline;
}

VkPipeline MeshDevice::create(const VkGraphicsPipelineCreateInfo& info)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    return pipeline;
}

namespace {

constexpr VkGraphicsPipelineLibraryFlagsEXT kBefore = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
constexpr VkGraphicsPipelineLibraryFlagsEXT kFragment = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
constexpr VkGraphicsPipelineLibraryFlagsEXT kOutput = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;

// What a library of the subset has of a whole pipeline, whose last stage is the fragment shader.
VkGraphicsPipelineCreateInfo partOf(VkGraphicsPipelineCreateInfo info, VkGraphicsPipelineLibraryFlagsEXT subset)
{
    const uint32_t before = info.stageCount - 1;
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    if (subset != kBefore) {
        info.pViewportState = nullptr;
        info.pRasterizationState = nullptr;
    }
    if (subset == kFragment)
        info.pStages += before;
    info.stageCount = subset == kBefore ? before : subset == kFragment ? 1 : 0;
    if (subset != kOutput)
        info.pColorBlendState = nullptr;
    else
        info.layout = VK_NULL_HANDLE;
    return info;
}

}  // namespace

// The fragment shader's library is made first. Libraries live as long as what is made of them.
VkPipeline MeshDevice::createLinked(const VkGraphicsPipelineCreateInfo& info, const PipelineOptions& options)
{
    std::vector<VkPipeline> libraries, used;
    VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags2.flags = options.flags;
    const void* linkChain = options.linkChain;
    const auto link = [&](VkPipelineCreateFlags flags) {
        VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
        flags2.pNext = std::exchange(linkChain, nullptr);
        linked.pNext = options.flags != 0 ? &flags2 : flags2.pNext;
        linked.libraryCount = static_cast<uint32_t>(libraries.size());
        linked.pLibraries = libraries.data();
        VkGraphicsPipelineCreateInfo whole{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &linked, flags};
        whole.layout = info.layout;
        whole.basePipelineIndex = -1;
        return create(whole);
    };
    for (const VkGraphicsPipelineLibraryFlagsEXT subset : {kFragment, kBefore, kOutput}) {
        VkGraphicsPipelineCreateInfo part = partOf(info, subset);
        VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
        library.pNext = const_cast<void*>(info.pNext);
        library.flags = subset;
        part.pNext = &library;
        if (options.linking == Linking::PartAlone)
            return create(part);
        libraries.push_back(create(part));
        used.push_back(libraries.back());
        if (options.linking == Linking::LibrariesOfLibraries && subset == kBefore) {
            const VkPipeline together = link(VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
            libraries = {together};
            used.push_back(together);
        }
    }
    for (const VkPipeline library : used)
        device.onDestroy([this, library] { vkDestroyPipeline(device.handle, library, nullptr); });
    return link(0);
}

}  // namespace millrace::meshtest
