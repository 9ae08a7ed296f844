// SPDX-License-Identifier: Apache-2.0
// Submissions as the driver may see them: where the layer generates commands, semaphores may wait at a stage that the
// driver does not know.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "layer/loader/device.h"

namespace millrace::layer {

// Preprocessing runs in shaders and fetches indirect commands; all commands are no more than a wait at its beginning
// would hold up.
template <typename Flags>
Flags driverSubmitStages(Flags stages)
{
    constexpr auto kPreprocess = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT);
    if (!(stages & kPreprocess))
        return stages;
    return (stages & ~kPreprocess) | static_cast<Flags>(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
}

// For the time of a call. The application's structures are not written to.
class DriverSubmits1 {
public:
    DriverSubmits1(const Device& device, uint32_t count, const VkSubmitInfo* submits) : m_submits(submits)
    {
        if (!device.usesCommands())
            return;
        m_copies.assign(submits, submits + count);
        m_stages.resize(count);
        for (uint32_t i = 0; i < count; ++i) {
            std::vector<VkPipelineStageFlags>& stages = m_stages[i];
            const VkPipelineStageFlags* given = submits[i].pWaitDstStageMask;
            stages.assign(given, given + submits[i].waitSemaphoreCount);
            std::ranges::transform(stages, stages.begin(), driverSubmitStages<VkPipelineStageFlags>);
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
        if (!device.usesCommands())
            return;
        m_copies.assign(submits, submits + count);
        m_semaphores.reserve(2 * size_t{count});
        for (VkSubmitInfo2& copy : m_copies) {
            copy.pWaitSemaphoreInfos = translate(copy.pWaitSemaphoreInfos, copy.waitSemaphoreInfoCount);
            copy.pSignalSemaphoreInfos = translate(copy.pSignalSemaphoreInfos, copy.signalSemaphoreInfoCount);
        }
        m_submits = m_copies.data();
    }
    DriverSubmits2(const DriverSubmits2&) = delete;
    DriverSubmits2& operator=(const DriverSubmits2&) = delete;

    const VkSubmitInfo2* get() const { return m_submits; }

private:
    const VkSemaphoreSubmitInfo* translate(const VkSemaphoreSubmitInfo* infos, uint32_t count)
    {
        std::vector<VkSemaphoreSubmitInfo>& copies = m_semaphores.emplace_back(infos, infos + count);
        for (VkSemaphoreSubmitInfo& copy : copies)
            copy.stageMask = driverSubmitStages(copy.stageMask);
        return copies.data();
    }

    const VkSubmitInfo2* m_submits;
    std::vector<VkSubmitInfo2> m_copies;
    std::vector<std::vector<VkSemaphoreSubmitInfo>> m_semaphores;
};

}  // namespace millrace::layer
