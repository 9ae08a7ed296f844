// SPDX-License-Identifier: Apache-2.0
// Submissions as the driver may see them: where the layer generates commands or runs mesh shaders, semaphores may wait
// at a stage that the driver does not know.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "layer/loader/device.h"

namespace millrace::layer {

// The stages that the driver does not know, and those that have such stages as parts. All commands are no more than a
// wait at the beginning of what the layer runs in their place would hold up.
class HiddenSubmitStages {
public:
    explicit HiddenSubmitStages(const Device& device)
    {
        if (device.usesCommands())
            m_hidden |= VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT;
        if (!device.usesMesh())
            return;
        m_hidden |= VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;
        m_partly |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT |
                    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    }

    bool any() const { return m_hidden != 0; }
    template <typename Flags>
    Flags translate(Flags stages) const
    {
        if (stages & static_cast<Flags>(m_hidden | m_partly))
            stages =
                (stages & ~static_cast<Flags>(m_hidden)) | static_cast<Flags>(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
        return stages;
    }

private:
    VkPipelineStageFlags2 m_hidden = 0;
    VkPipelineStageFlags2 m_partly = 0;
};

// For the time of a call. The application's structures are not written to.
class DriverSubmits1 {
public:
    DriverSubmits1(const Device& device, uint32_t count, const VkSubmitInfo* submits) : m_submits(submits)
    {
        const HiddenSubmitStages hidden(device);
        if (!hidden.any())
            return;
        m_copies.assign(submits, submits + count);
        m_stages.resize(count);
        for (uint32_t i = 0; i < count; ++i) {
            std::vector<VkPipelineStageFlags>& stages = m_stages[i];
            const VkPipelineStageFlags* given = submits[i].pWaitDstStageMask;
            stages.assign(given, given + submits[i].waitSemaphoreCount);
            for (VkPipelineStageFlags& stage : stages)
                stage = hidden.translate(stage);
            m_copies[i].pWaitDstStageMask = stages.data();
        }
        m_submits = m_copies.data();
    }
    DriverSubmits1(const DriverSubmits1&) = delete;
    DriverSubmits1& operator=(const DriverSubmits1&) = delete;

    const VkSubmitInfo* get() const { return m_submits; }

private:
    const VkSubmitInfo* m_submits;
    std::vector<VkSubmitInfo> m_copies;
    std::vector<std::vector<VkPipelineStageFlags>> m_stages;
};

class DriverSubmits2 {
public:
    DriverSubmits2(const Device& device, uint32_t count, const VkSubmitInfo2* submits) : m_submits(submits)
    {
        const HiddenSubmitStages hidden(device);
        if (!hidden.any())
            return;
        m_copies.assign(submits, submits + count);
        m_semaphores.reserve(2 * size_t{count});
        for (VkSubmitInfo2& copy : m_copies) {
            copy.pWaitSemaphoreInfos = translate(hidden, copy.pWaitSemaphoreInfos, copy.waitSemaphoreInfoCount);
            copy.pSignalSemaphoreInfos = translate(hidden, copy.pSignalSemaphoreInfos, copy.signalSemaphoreInfoCount);
        }
        m_submits = m_copies.data();
    }
    DriverSubmits2(const DriverSubmits2&) = delete;
    DriverSubmits2& operator=(const DriverSubmits2&) = delete;

    const VkSubmitInfo2* get() const { return m_submits; }

private:
    const VkSemaphoreSubmitInfo* translate(const HiddenSubmitStages& hidden, const VkSemaphoreSubmitInfo* infos,
                                           uint32_t count)
    {
        std::vector<VkSemaphoreSubmitInfo>& copies = m_semaphores.emplace_back(infos, infos + count);
        for (VkSemaphoreSubmitInfo& copy : copies)
            copy.stageMask = hidden.translate(copy.stageMask);
        return copies.data();
    }

    const VkSubmitInfo2* m_submits;
    std::vector<VkSubmitInfo2> m_copies;
    std::vector<std::vector<VkSemaphoreSubmitInfo>> m_semaphores;
};

}  // namespace millrace::layer
