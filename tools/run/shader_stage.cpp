// SPDX-License-Identifier: Apache-2.0
#include "tools/run/shader_stage.h"

#include <algorithm>
#include <bit>

namespace millrace::tools::run {

namespace {

// The size that the shader wants, 0 if it gets it anyway.
uint32_t chooseWaveSize(const ProgramNode& node, const WaveLimits& device)
{
    if (node.waveSizes.empty())
        return 0;
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

}  // namespace

ShaderStage::ShaderStage(const Device& device, VkShaderStageFlagBits stage, const spirv::Words& words,
                         const std::string& entryPoint, const std::vector<spirv::SpecializationValue>& specialization)
    : m_device(device)
{
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = words.size() * 4;
    module.pCode = words.data();
    check(m_device.vk().CreateShaderModule(device.handle(), &module, nullptr, &m_info.module), "vkCreateShaderModule");
    for (const spirv::SpecializationValue& value : specialization) {
        m_entries.push_back({value.specId, static_cast<uint32_t>(m_data.size()), value.data.size()});
        m_data.insert(m_data.end(), value.data.begin(), value.data.end());
    }
    m_specialization = {static_cast<uint32_t>(m_entries.size()), m_entries.data(), m_data.size(), m_data.data()};
    m_info.stage = stage;
    m_info.pName = entryPoint.c_str();
    m_info.pSpecializationInfo = &m_specialization;
}

ShaderStage::ShaderStage(const Device& device, const ProgramNode& node)
    : ShaderStage(device, node.isMesh() ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_COMPUTE_BIT, node.words,
                  node.entryPoint, node.specialization)
{
    m_waves.requiredSubgroupSize = chooseWaveSize(node, device.waves());
    m_node.pNext = m_waves.requiredSubgroupSize != 0 ? &m_waves : nullptr;
    m_node.pName = node.name ? node.name->c_str() : nullptr;
    m_node.index = node.index.value_or(VK_SHADER_INDEX_UNUSED_AMDX);
    m_info.pNext = &m_node;
}

ShaderStage::~ShaderStage()
{
    m_device.vk().DestroyShaderModule(m_device.handle(), m_info.module, nullptr);
}

}  // namespace millrace::tools::run
