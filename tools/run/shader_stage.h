// SPDX-License-Identifier: Apache-2.0
// A shader stage with all that it points to, the module included.
#pragma once

#include <vector>

#include "tools/run/device.h"
#include "tools/run/program.h"

namespace millrace::tools::run {

class ShaderStage {
public:
    ShaderStage(const Device& device, VkShaderStageFlagBits stage, const spirv::Words& words,
                const std::string& entryPoint, const std::vector<spirv::SpecializationValue>& specialization);
    // Of a node, whose name and index it has.
    ShaderStage(const Device& device, const ProgramNode& node);
    ~ShaderStage();
    ShaderStage(const ShaderStage&) = delete;
    ShaderStage& operator=(const ShaderStage&) = delete;

    const VkPipelineShaderStageCreateInfo& info() const { return m_info; }

private:
    const Device& m_device;
    VkPipelineShaderStageNodeCreateInfoAMDX m_node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo m_waves{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo m_info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    std::vector<VkSpecializationMapEntry> m_entries;
    std::vector<uint8_t> m_data;
    VkSpecializationInfo m_specialization{};
};

}  // namespace millrace::tools::run
