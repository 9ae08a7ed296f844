// SPDX-License-Identifier: Apache-2.0
// A copy of one vkQueueSubmit*, to be handed to the driver piece by piece.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "layer/chains/chain_copy.h"
#include "layer/chains/patched_chain.h"
#include "layer/chains/unknown_structures.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

struct Device;
struct Queue;
struct Boundary;

class Submission {
public:
    Submission(uint32_t count, const VkSubmitInfo* submits, VkFence fence);
    Submission(uint32_t count, const VkSubmitInfo2* submits, VkFence fence);

    // Structures in its chains that cannot be copied. Then it reads the application's own, and has to run before the
    // command that it comes from returns.
    const StructureTypes& unknown() const { return m_unknown; }
    const StructureTypes& lost() const { return m_lost; }  // that PatchedChain had to leave out
    // True if a command buffer in it is split, so that a part of it has to wait.
    static bool hasSplit(uint32_t count, const VkSubmitInfo* submits);
    static bool hasSplit(uint32_t count, const VkSubmitInfo2* submits);
    // The binary semaphores it waits for and signals.
    std::vector<VkSemaphore> binarySemaphores(const Device& device) const;

    // Semaphore waits go with a batch's first piece, signals and the fence with the last.
    //
    // What is in front of the first split, for a queue whose thread has no work, and ahead of the rest what can be.
    // Nothing of the submission is with the driver if it fails.
    VkResult begin(Queue& queue);
    // The rest, on the queue's thread; all of it without begin().
    VkResult run(Queue& queue);
    // What has to be signaled if run() is never called behind begin().
    const std::optional<StatusWatch::SemaphoreValue>& opening() const { return m_opening; }

private:
    struct Batch {
        std::vector<VkSemaphoreSubmitInfo> waits;
        std::vector<VkCommandBufferSubmitInfo> commandBuffers;
        std::vector<VkSemaphoreSubmitInfo> signals;
        VkSubmitFlags flags = 0;
        const void* chain = nullptr;

        VkSubmitInfo2 info() const;
    };

    // What is submitted together, and what completes it before the next: nothing behind the last.
    struct Part {
        std::vector<Batch> batches;
        const Boundary* boundary = nullptr;
        uint32_t deviceMask = 0;
        uint64_t end = 0;  // of the queue's

        VkResult prepareEnd(Queue& queue);
        VkResult putBehindGate(Queue& queue);
        void forgetDecision() const;
    };

    Batch copy(const VkSubmitInfo& submit);
    Batch copy(const VkSubmitInfo2& submit);
    template <typename Info>
    void copyChains(std::vector<Info>& infos);
    std::vector<Part> takeParts();
    VkResult submitUpTo(Queue& queue, size_t boundary);
    VkResult passBoundary(Queue& queue, size_t index);
    static VkResult complete(Queue& queue, const Part& part);
    static VkResult submitSweeps(Queue& queue, const std::vector<VkCommandBufferSubmitInfo>& steps, size_t sweeps);

    StructureTypes m_unknown;
    StructureTypes m_lost;
    std::deque<ChainCopy> m_copies;     // of chains, where everything in them is known,
    std::deque<PatchedChain> m_chains;  // and else the application's without what has become members
    std::vector<Batch> m_batches;
    std::vector<Part> m_parts;  // of them
    size_t m_submitted = 0;     // with the driver
    std::optional<StatusWatch::SemaphoreValue> m_opening;
    VkFence m_fence;
};

}  // namespace millrace::layer
