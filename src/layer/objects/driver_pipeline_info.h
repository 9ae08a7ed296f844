// SPDX-License-Identifier: Apache-2.0
// Creation structures of ordinary pipelines as the driver may see them.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <vector>

#include "layer/chains/chain.h"
#include "layer/chains/patched_chain.h"
#include "layer/loader/device.h"
#include "layer/objects/shader_counter.h"

namespace millrace::layer {

// True if the driver cannot take these stages as they are.
bool needsTranslation(const Device& device, const VkPipelineShaderStageCreateInfo& stage);

// Stages without node structures and, where the layer provides VK_KHR_maintenance5, with modules made from chained
// code; with a ShaderCounter, stages that count.
class DriverStages {
public:
    // `isCounted`: their code counts already, or is not to.
    DriverStages(const Device& device, const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                 bool isCounted = false);
    ~DriverStages();
    DriverStages(const DriverStages&) = delete;
    DriverStages& operator=(const DriverStages&) = delete;

    const VkPipelineShaderStageCreateInfo* data() const { return m_stages.data(); }
    VkResult result() const { return m_result; }
    const std::vector<VkStructureType>& lost() const { return m_lost; }

private:
    // `code`: in place of the stage's own; null: none.
    void translate(VkPipelineShaderStageCreateInfo& stage, const SharedWords& code);
    void createModule(VkPipelineShaderStageCreateInfo& stage, const VkShaderModuleCreateInfo& info);

    const Device& m_device;
    std::vector<VkPipelineShaderStageCreateInfo> m_stages;
    std::deque<PatchedChain> m_chains;
    std::vector<VkShaderModule> m_modules;
    std::vector<VkStructureType> m_lost;
    VkResult m_result = VK_SUCCESS;
};

// That the driver does not know.
inline VkPipelineCreateFlags2 hiddenFlags(const Device& device)
{
    constexpr VkPipelineCreateFlags2 kBindable = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    constexpr VkPipelineCreateFlags2 kBindableParts = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV;
    return VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | (device.usesCommands() ? kBindable : 0) |
           (device.usesTokenStreams() ? kBindableParts : 0);
}

// Of VK_NV_device_generated_commands and VK_NV_device_generated_commands_compute.
inline constexpr VkStructureType kStreamStructures[] = {
    VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV,
    VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV};

// True if flags, base pipeline or their structure must change.
template <typename Info>
bool needsTranslation(const Device& device, const Info& info)
{
    const auto* flags2 = findInChain<VkPipelineCreateFlags2CreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    if (flags2 && (device.emulatesMaintenance5() || (flags2->flags & hiddenFlags(device))))
        return true;
    if (info.flags & static_cast<VkPipelineCreateFlags>(hiddenFlags(device)))
        return true;
    for (VkStructureType type : kStreamStructures)
        if (device.usesTokenStreams() && findInChain<VkBaseInStructure>(info.pNext, type))
            return true;
    return info.basePipelineHandle && device.graphObjects.find(handleId(info.basePipelineHandle));
}

// A creation structure for a call of its own. `created`: pipelines of the same command that basePipelineIndex may mean.
template <typename Info>
class DriverPipelineInfo {
public:
    DriverPipelineInfo(const Device& device, const Info& original, const VkPipeline* created)
        : m_info(original), m_chain(original.pNext)
    {
        if (auto* flags2 = m_chain.change<VkPipelineCreateFlags2CreateInfo>(kFlags2))
            flags2->flags &= ~hiddenFlags(device);
        m_info.flags &= ~static_cast<VkPipelineCreateFlags>(hiddenFlags(device));
        for (VkStructureType type : kStreamStructures)
            if (device.usesTokenStreams())
                m_chain.remove(type);
        if (m_info.basePipelineIndex >= 0) {
            m_info.basePipelineHandle = created[m_info.basePipelineIndex];
            m_info.basePipelineIndex = -1;
        }
        // A library of ours has nothing that a driver could derive from.
        if (m_info.basePipelineHandle && device.graphObjects.find(handleId(m_info.basePipelineHandle)))
            m_info.basePipelineHandle = VK_NULL_HANDLE;
        if (!m_info.basePipelineHandle)
            dropDerivative();
        foldFlags2(device);
        m_info.pNext = m_chain.get();
    }

    DriverPipelineInfo(const DriverPipelineInfo&) = delete;
    DriverPipelineInfo& operator=(const DriverPipelineInfo&) = delete;

    Info& info() { return m_info; }
    const std::vector<VkStructureType>& lost() const { return m_chain.lost(); }

private:
    void dropDerivative()
    {
        m_info.flags &= ~VK_PIPELINE_CREATE_DERIVATIVE_BIT;
        if (auto* flags2 = m_chain.change<VkPipelineCreateFlags2CreateInfo>(kFlags2))
            flags2->flags &= ~VK_PIPELINE_CREATE_2_DERIVATIVE_BIT;
    }

    // Where the driver does not know the structure, or nothing is left in it, which Vulkan does not allow.
    void foldFlags2(const Device& device)
    {
        const auto* flags2 = m_chain.find<VkPipelineCreateFlags2CreateInfo>(kFlags2);
        if (!flags2 || (flags2->flags != 0 && !device.emulatesMaintenance5()))
            return;
        m_info.flags = static_cast<VkPipelineCreateFlags>(flags2->flags);
        m_chain.remove(kFlags2);
    }

    static constexpr VkStructureType kFlags2 = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;

    Info m_info;
    PatchedChain m_chain;
};

}  // namespace millrace::layer
