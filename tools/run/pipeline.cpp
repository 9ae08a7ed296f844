// SPDX-License-Identifier: Apache-2.0
#include "tools/run/pipeline.h"

#include <deque>

#include "tools/run/mesh_library.h"
#include "tools/run/shader_stage.h"

namespace millrace::tools::run {

namespace {

constexpr VkShaderStageFlags kComputeStages = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkShaderStageFlags kDrawingStages =
    VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

}  // namespace

VkDescriptorType descriptorType(DescriptorKind kind)
{
    switch (kind) {
        case DescriptorKind::UniformBuffer:
            return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case DescriptorKind::StorageImage:
            return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case DescriptorKind::UniformTexelBuffer:
            return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        case DescriptorKind::StorageTexelBuffer:
            return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
        case DescriptorKind::StorageBuffer:
            break;
    }
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

Pipeline::Pipeline(const Device& device, const Program& program, const Work& work)
    : m_device(device), m_stages(program.draws() ? kDrawingStages : kComputeStages)
{
    try {
        createLayout(program);
        create(program, work);
    } catch (...) {
        destroy();
        throw;
    }
}

Pipeline::~Pipeline()
{
    destroy();
}

void Pipeline::destroy()
{
    m_device.vk().DestroyPipeline(m_device.handle(), m_pipeline, nullptr);
    for (VkPipeline library : m_libraries)
        m_device.vk().DestroyPipeline(m_device.handle(), library, nullptr);
    m_device.vk().DestroyPipelineLayout(m_device.handle(), m_layout, nullptr);
    for (VkDescriptorSetLayout layout : m_setLayouts)
        m_device.vk().DestroyDescriptorSetLayout(m_device.handle(), layout, nullptr);
}

void Pipeline::createLayout(const Program& program)
{
    const uint32_t setCount = program.bindings.empty() ? 0 : program.bindings.back().set + 1;
    const uint32_t most = m_device.properties().limits.maxBoundDescriptorSets;
    if (setCount > most) {
        throw DeviceError("the nodes use set " + std::to_string(setCount - 1) + ", and the device has " +
                          std::to_string(most) + " sets");
    }
    for (uint32_t set = 0; set < setCount; ++set) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const BindingUse& use : program.bindings)
            if (use.set == set)
                bindings.push_back({use.binding, descriptorType(use.kind), 1, m_stages, nullptr});
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        VkDescriptorSetLayout layout = VK_NULL_HANDLE;
        check(m_device.vk().CreateDescriptorSetLayout(m_device.handle(), &info, nullptr, &layout),
              "vkCreateDescriptorSetLayout");
        m_setLayouts.push_back(layout);
    }
    const auto constantBytes = static_cast<uint32_t>((program.constantBytes + 3) / 4 * 4);
    if (constantBytes > m_device.properties().limits.maxPushConstantsSize) {
        throw DeviceError("the nodes have " + std::to_string(constantBytes) + " bytes of push constants, the device " +
                          std::to_string(m_device.properties().limits.maxPushConstantsSize));
    }
    const VkPushConstantRange range{m_stages, 0, constantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(m_setLayouts.size());
    info.pSetLayouts = m_setLayouts.data();
    info.pushConstantRangeCount = constantBytes > 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    check(m_device.vk().CreatePipelineLayout(m_device.handle(), &info, nullptr, &m_layout), "vkCreatePipelineLayout");
}

// Compute nodes are stages, mesh nodes libraries.
void Pipeline::create(const Program& program, const Work& work)
{
    std::deque<ShaderStage> stages;
    std::vector<VkPipelineShaderStageCreateInfo> list;
    for (const ProgramNode& node : program.nodes)
        if (node.isMesh())
            m_libraries.push_back(createMeshLibrary(m_device, m_layout, node, work));
        else
            list.push_back(stages.emplace_back(m_device, node).info());
    VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    libraries.libraryCount = static_cast<uint32_t>(m_libraries.size());
    libraries.pLibraries = m_libraries.data();
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = static_cast<uint32_t>(list.size());
    info.pStages = list.data();
    info.pLibraryInfo = m_libraries.empty() ? nullptr : &libraries;
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    const GraphFunctions& graphs = m_device.graphs();
    check(graphs.createPipelines(m_device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
          "vkCreateExecutionGraphPipelinesAMDX");
    check(graphs.getScratchSize(m_device.handle(), m_pipeline, &m_scratch),
          "vkGetExecutionGraphPipelineScratchSizeAMDX");
    for (const ProgramNode& node : program.nodes) {
        VkPipelineShaderStageNodeCreateInfoAMDX wanted{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
        wanted.pName = node.declared.id.name.c_str();
        wanted.index = node.declared.id.index;
        check(graphs.getNodeIndex(m_device.handle(), m_pipeline, &wanted, &m_nodeIndices.emplace_back()),
              "vkGetExecutionGraphPipelineNodeIndexAMDX");
    }
}

}  // namespace millrace::tools::run
