// SPDX-License-Identifier: Apache-2.0
// A copy of one vkQueueSubmit*, to be handed to the driver piece by piece.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/chain_copy.h"

namespace millrace::layer {

struct Device;
struct Queue;
struct Split;

class Submission {
public:
    Submission(uint32_t count, const VkSubmitInfo* submits, VkFence fence);
    Submission(uint32_t count, const VkSubmitInfo2* submits, VkFence fence);

    // True if a command buffer in it is split.
    static bool hasSplit(uint32_t count, const VkSubmitInfo* submits);
    static bool hasSplit(uint32_t count, const VkSubmitInfo2* submits);
    // The binary semaphores it waits for and signals.
    std::vector<VkSemaphore> binarySemaphores(const Device& device) const;

    // Semaphore waits go with a batch's first piece, signals and the fence with the last.
    //
    // What is in front of the first split, for a queue whose thread has no work. Nothing of the submission is with the
    // driver if it fails.
    VkResult begin(Queue& queue);
    // The rest, on the queue's thread; all of it without begin().
    VkResult run(Queue& queue);

private:
    struct Batch {
        std::vector<VkSemaphoreSubmitInfo> waits;
        std::vector<VkCommandBufferSubmitInfo> commandBuffers;
        std::vector<VkSemaphoreSubmitInfo> signals;
        VkSubmitFlags flags = 0;
        ChainCopy chain;

        VkSubmitInfo2 info() const;
    };

    // What is submitted together, and what completes it before the next: nothing behind the last.
    struct Part {
        std::vector<Batch> batches;
        const Split* split = nullptr;
        uint32_t deviceMask = 0;

        std::vector<VkSubmitInfo2> infos() const;
    };

    static Batch copy(const VkSubmitInfo& submit);
    static Batch copy(const VkSubmitInfo2& submit);
    std::vector<Part> takeParts();
    VkResult complete(Queue& queue, const Split& split, uint32_t deviceMask);
    static VkResult submitSweeps(Queue& queue, const std::vector<VkCommandBufferSubmitInfo>& steps, size_t sweeps);

    std::vector<Batch> m_batches;
    std::vector<Part> m_parts;  // of them, once begin() was there
    VkFence m_fence;
};

}  // namespace millrace::layer
