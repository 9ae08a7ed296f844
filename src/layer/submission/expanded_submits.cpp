// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/expanded_submits.h"

#include <algorithm>
#include <span>

#include "layer/loader/device.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

bool hasSeveralStreams(VkCommandBuffer handle)
{
    return CommandBuffer::of(handle).streams.size() > 1;
}

bool needsExpansion(const VkSubmitInfo& submit)
{
    return std::ranges::any_of(std::span(submit.pCommandBuffers, submit.commandBufferCount), hasSeveralStreams);
}

bool needsExpansion(const VkSubmitInfo2& submit)
{
    return std::ranges::any_of(
        std::span(submit.pCommandBufferInfos, submit.commandBufferInfoCount),
        [](const VkCommandBufferSubmitInfo& info) { return hasSeveralStreams(info.commandBuffer); });
}

// Elsewhere no command buffer goes on without a wait.
template <typename Info>
bool anyNeedsExpansion(const Device& device, uint32_t count, const Info* submits)
{
    return (device.needsFronts || device.needsPassFronts || device.hasLateStreams) &&
           std::any_of(submits, submits + count, [](const Info& submit) { return needsExpansion(submit); });
}

}  // namespace

ExpandedSubmits<VkSubmitInfo>::ExpandedSubmits(const Device& device, uint32_t count, const VkSubmitInfo* submits)
    : m_submits(submits)
{
    if (!anyNeedsExpansion(device, count, submits))
        return;
    m_copies.assign(submits, submits + count);
    m_submits = m_copies.data();
    for (VkSubmitInfo& copy : m_copies)
        expand(copy);
}

void ExpandedSubmits<VkSubmitInfo>::expand(VkSubmitInfo& submit)
{
    constexpr VkStructureType kGroup = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO;
    PatchedChain& chain = m_chains.emplace_back(submit.pNext);
    const auto* group = chain.find<VkDeviceGroupSubmitInfo>(kGroup);
    const uint32_t maskCount = group ? group->commandBufferCount : 0;
    std::vector<VkCommandBuffer>& streams = m_commandBuffers.emplace_back();
    std::vector<uint32_t>& masks = m_masks.emplace_back();
    for (uint32_t i = 0; i < submit.commandBufferCount; ++i) {
        const std::vector<VkCommandBuffer> own = CommandBuffer::of(submit.pCommandBuffers[i]).submittedStreams();
        streams.insert(streams.end(), own.begin(), own.end());
        if (i < maskCount)
            masks.insert(masks.end(), own.size(), group->pCommandBufferDeviceMasks[i]);
    }
    submit.commandBufferCount = static_cast<uint32_t>(streams.size());
    submit.pCommandBuffers = streams.data();
    if (maskCount == 0)
        return;
    auto& changed = *chain.change<VkDeviceGroupSubmitInfo>(kGroup);
    changed.commandBufferCount = static_cast<uint32_t>(masks.size());
    changed.pCommandBufferDeviceMasks = masks.data();
    submit.pNext = chain.get();
}

ExpandedSubmits<VkSubmitInfo2>::ExpandedSubmits(const Device& device, uint32_t count, const VkSubmitInfo2* submits)
    : m_submits(submits)
{
    if (!anyNeedsExpansion(device, count, submits))
        return;
    m_copies.assign(submits, submits + count);
    m_submits = m_copies.data();
    for (VkSubmitInfo2& copy : m_copies) {
        std::vector<VkCommandBufferSubmitInfo>& infos = m_commandBuffers.emplace_back();
        for (const VkCommandBufferSubmitInfo& info : std::span(copy.pCommandBufferInfos, copy.commandBufferInfoCount))
            for (VkCommandBuffer stream : CommandBuffer::of(info.commandBuffer).submittedStreams()) {
                infos.push_back(info);
                infos.back().commandBuffer = stream;
            }
        copy.commandBufferInfoCount = static_cast<uint32_t>(infos.size());
        copy.pCommandBufferInfos = infos.data();
    }
}

}  // namespace millrace::layer
