// SPDX-License-Identifier: Apache-2.0
// Submissions that are held back on the host because a graph before them is not complete, seen across all queues.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace millrace::layer {

struct TimelineSemaphore {};

// One held submission, until all of it is with the driver.
struct Token {
    bool done = false;
};

class HeldWork {
public:
    using Clock = std::chrono::steady_clock;

    // Command buffers that are split; while there are none, submissions need no look at theirs.
    void countSplit(int change) { m_splits += change; }
    bool anySplit() const { return m_splits > 0; }
    bool any() const { return m_held > 0; }

    // True if held work uses one of these binary semaphores. A driver must see the operations on a binary semaphore in
    // order, so what uses it next has to wait.
    bool usesAny(std::span<const VkSemaphore> semaphores);

    // Registers held work with the binary semaphores and the fence it uses. `after` is what must be with the driver
    // before it.
    std::shared_ptr<Token> hold(std::span<const VkSemaphore> semaphores, VkFence fence,
                                std::vector<std::shared_ptr<Token>>& after);
    void finish(const std::shared_ptr<Token>& token);
    void wait(std::span<const std::shared_ptr<Token>> tokens);
    void waitSemaphores(std::span<const VkSemaphore> semaphores);

    // Waits until all of these fences (or any, if not `all`) are with the driver. False if the deadline passes.
    bool waitFences(std::span<const VkFence> fences, bool all, Clock::time_point deadline);

    // Waits until some held work is with the driver, but no longer than this.
    void waitForChange(Clock::duration atMost);

    // The device was lost, or work that the application believes submitted could not be: it cannot go on.
    void setLost() { m_lost = true; }
    bool lost() const { return m_lost; }

private:
    bool isUsed(VkSemaphore semaphore) const;

    std::atomic<int> m_splits{0};
    std::atomic<int> m_held{0};
    std::atomic<bool> m_lost{false};
    std::mutex m_mutex;
    std::condition_variable m_changed;
    uint64_t m_finished = 0;  // held work that is with the driver
    // The last held work that uses each; a semaphore may have none.
    std::unordered_map<VkSemaphore, std::shared_ptr<Token>> m_semaphores;
    std::unordered_map<VkFence, std::shared_ptr<Token>> m_fences;
};

}  // namespace millrace::layer
