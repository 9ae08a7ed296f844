// SPDX-License-Identifier: Apache-2.0
// Submissions with all streams of their command buffers in place of these, where nothing has to wait between two.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <vector>

#include "layer/chains/patched_chain.h"

namespace millrace::layer {

struct Device;

// For the time of a call. The application's structures are not written to. `Info`: VkSubmitInfo or VkSubmitInfo2.
// Requires: no command buffer in it is split.
template <typename Info>
class ExpandedSubmits;

template <>
class ExpandedSubmits<VkSubmitInfo> {
public:
    ExpandedSubmits(const Device& device, uint32_t count, const VkSubmitInfo* submits);
    ExpandedSubmits(const ExpandedSubmits&) = delete;
    ExpandedSubmits& operator=(const ExpandedSubmits&) = delete;

    const VkSubmitInfo* get() const { return m_submits; }

private:
    void expand(VkSubmitInfo& submit);

    const VkSubmitInfo* m_submits;
    std::vector<VkSubmitInfo> m_copies;
    std::deque<std::vector<VkCommandBuffer>> m_commandBuffers;
    std::deque<std::vector<uint32_t>> m_masks;  // of devices
    std::deque<PatchedChain> m_chains;
};

template <>
class ExpandedSubmits<VkSubmitInfo2> {
public:
    ExpandedSubmits(const Device& device, uint32_t count, const VkSubmitInfo2* submits);
    ExpandedSubmits(const ExpandedSubmits&) = delete;
    ExpandedSubmits& operator=(const ExpandedSubmits&) = delete;

    const VkSubmitInfo2* get() const { return m_submits; }

private:
    const VkSubmitInfo2* m_submits;
    std::vector<VkSubmitInfo2> m_copies;
    std::deque<std::vector<VkCommandBufferSubmitInfo>> m_commandBuffers;
};

}  // namespace millrace::layer
