// SPDX-License-Identifier: Apache-2.0
#include "tools/run/pipeline.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace millrace::tools::run {

namespace {

// The size that the shader wants, 0 if it gets it anyway.
uint32_t chooseWaveSize(const ProgramNode& node, const WaveLimits& device)
{
    if (node.waveSizes.empty()) {
        return 0;
    }
    const auto sizeAt = [&](size_t n) { return n < node.waveSizes.size() ? node.waveSizes[n] : 0; };
    const uint32_t least = sizeAt(0);
    const uint32_t most = sizeAt(1) != 0 ? sizeAt(1) : least;
    const uint32_t first = std::max(least, device.smallest);
    const uint32_t last = std::min(most, device.largest);
    const auto isIn = [&](uint32_t size) { return size >= first && size <= last; };
    const uint32_t out = isIn(sizeAt(2)) ? sizeAt(2) : isIn(device.usual) ? device.usual : first;
    if (first > last || !std::has_single_bit(out)) {
        const auto text = [](uint32_t a, uint32_t b) {
            return std::to_string(a) + (a == b ? "" : " to " + std::to_string(b));
        };
        throw DeviceError(node.file + ", entry point '" + node.entryPoint + "': it wants waves of " +
                          text(least, most) + " lanes, the device has " + text(device.smallest, device.largest));
    }
    return device.smallest == device.largest ? 0 : out;
}

// A shader stage with all that it points to, the module included.
struct Stage {
    Stage(const Device& device, const ProgramNode& from) : m_device(device)
    {
        waves.requiredSubgroupSize = chooseWaveSize(from, device.waves());
        node.pNext = waves.requiredSubgroupSize != 0 ? &waves : nullptr;
        VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        moduleInfo.codeSize = from.words.size() * 4;
        moduleInfo.pCode = from.words.data();
        check(m_device.vk().CreateShaderModule(device.handle(), &moduleInfo, nullptr, &info.module),
              "vkCreateShaderModule");
        node.pName = from.name ? from.name->c_str() : nullptr;
        node.index = from.index.value_or(VK_SHADER_INDEX_UNUSED_AMDX);
        for (const spirv::SpecializationValue& value : from.specialization) {
            m_entries.push_back({value.specId, static_cast<uint32_t>(m_data.size()), value.data.size()});
            m_data.insert(m_data.end(), value.data.begin(), value.data.end());
        }
        m_specialization = {static_cast<uint32_t>(m_entries.size()), m_entries.data(), m_data.size(), m_data.data()};
        info.pNext = &node;
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.pName = from.entryPoint.c_str();
        info.pSpecializationInfo = &m_specialization;
    }
    ~Stage() { m_device.vk().DestroyShaderModule(m_device.handle(), info.module, nullptr); }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    VkPipelineShaderStageNodeCreateInfoAMDX node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo waves{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};

private:
    const Device& m_device;
    std::vector<VkSpecializationMapEntry> m_entries;
    std::vector<uint8_t> m_data;
    VkSpecializationInfo m_specialization{};
};

}  // namespace

VkDescriptorType descriptorType(DescriptorKind kind)
{
    switch (kind) {
        case DescriptorKind::UniformBuffer:
            return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case DescriptorKind::StorageImage:
            return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case DescriptorKind::StorageBuffer:
            break;
    }
    return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

Pipeline::Pipeline(const Device& device, const Program& program) : m_device(device)
{
    try {
        createLayout(program);
        create(program);
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
    m_device.vk().DestroyPipelineLayout(m_device.handle(), m_layout, nullptr);
    for (VkDescriptorSetLayout layout : m_setLayouts) {
        m_device.vk().DestroyDescriptorSetLayout(m_device.handle(), layout, nullptr);
    }
}

void Pipeline::createLayout(const Program& program)
{
    const uint32_t setCount = program.bindings.empty() ? 0 : program.bindings.back().set + 1;
    const uint32_t most = m_device.properties().limits.maxBoundDescriptorSets;
    if (setCount > most) {
        throw DeviceError("the nodes use set " + std::to_string(setCount - 1) + ", and the device has " +
                          std::to_string(most) + " sets");
    }
    for (uint32_t set = 0; set < setCount; set++) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const BindingUse& use : program.bindings) {
            if (use.set == set) {
                bindings.push_back({use.binding, descriptorType(use.kind), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
            }
        }
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
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, constantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(m_setLayouts.size());
    info.pSetLayouts = m_setLayouts.data();
    info.pushConstantRangeCount = constantBytes > 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    check(m_device.vk().CreatePipelineLayout(m_device.handle(), &info, nullptr, &m_layout), "vkCreatePipelineLayout");
}

void Pipeline::create(const Program& program)
{
    std::deque<Stage> stages;
    std::vector<VkPipelineShaderStageCreateInfo> list;
    for (const ProgramNode& node : program.nodes) {
        list.push_back(stages.emplace_back(m_device, node).info);
    }
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = static_cast<uint32_t>(list.size());
    info.pStages = list.data();
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    const GraphFunctions& graphs = m_device.graphs();
    check(graphs.createPipelines(m_device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
          "vkCreateExecutionGraphPipelinesAMDX");
    check(graphs.getScratchSize(m_device.handle(), m_pipeline, &m_scratch),
          "vkGetExecutionGraphPipelineScratchSizeAMDX");
    for (const ProgramNode& node : program.nodes) {
        VkPipelineShaderStageNodeCreateInfoAMDX wanted{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
        wanted.pName = node.node.id.name.c_str();
        wanted.index = node.node.id.index;
        check(graphs.getNodeIndex(m_device.handle(), m_pipeline, &wanted, &m_nodeIndices.emplace_back()),
              "vkGetExecutionGraphPipelineNodeIndexAMDX");
    }
}

}  // namespace millrace::tools::run
