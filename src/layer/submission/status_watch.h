// SPDX-License-Identifier: Apache-2.0
// Looks at a graph, or at generated commands that are checked or counted, once the application can know that they are
// complete, so that errors are told soon. What a wait costs grows with those that are complete since the last one, not
// with those that are recorded or in flight. "Graphs" stands for both here.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/recording/watched.h"

namespace millrace::layer {

// Thread-safe. Calls `look` without its lock: messages may lead to anything, such as another wait.
class StatusWatch {
public:
    struct SemaphoreValue {
        VkSemaphore semaphore;
        uint64_t value;  // 0: binary
    };
    using Runs = std::span<const std::shared_ptr<Watched>>;

    explicit StatusWatch(std::function<void(Watched&)> look) : m_look(std::move(look)) {}

    // A graph that was recorded.
    void add(const std::shared_ptr<Watched>& run);
    // Recorded and not reset.
    std::vector<std::shared_ptr<Watched>> alive();
    // False: nothing is recorded, so that nobody need tell what is submitted.
    bool isWatching() const { return m_isWatching; }
    // False: batches without graphs need not be told either.
    bool anyPending() const { return m_anyPending; }

    // What a queue is given, in the order in which it is, before the driver gets it: the graphs of a batch, and what it
    // waits for and signals; and behind all of its batches the fence of a submission, if there is one.
    void submitBatch(uint64_t queue, Runs runs, std::span<const SemaphoreValue> waits,
                     std::span<const SemaphoreValue> signals);
    void submitFence(uint64_t queue, VkFence fence);

    // What the application can know, and with it that what comes before is complete. A device that is lost is idle.
    void deviceIsIdle();
    void queueIsIdle(uint64_t queue);
    void isSignaled(VkFence fence);
    void hasReached(VkSemaphore semaphore, uint64_t value);
    // False: isSignaled() would do nothing.
    bool knows(VkFence fence) const;

    // Submissions, fences and values that are kept; for tests.
    size_t size() const;

private:
    // How far queues have come: of each the number of a batch, with which all batches before are complete.
    using Point = std::vector<std::pair<uint64_t, uint64_t>>;
    struct QueueState {
        uint64_t batches = 0;
        Point behind;                                                     // the last batch
        std::map<uint64_t, std::vector<std::weak_ptr<Watched>>> pending;  // by batch
    };

    static void merge(Point& point, const Point& other);
    std::vector<std::weak_ptr<Watched>> take(const Point& point);
    void look(const std::vector<std::weak_ptr<Watched>>& runs);
    size_t sizeLocked() const;
    bool isPending(const Point& point) const;
    void forgetIfIdle();
    void limitSize();

    const std::function<void(Watched&)> m_look;
    std::atomic<bool> m_isWatching{false};
    std::atomic<bool> m_anyPending{false};
    mutable std::mutex m_mutex;
    std::vector<std::weak_ptr<Watched>> m_runs;
    size_t m_mostRuns = 64;  // before those that are gone are removed
    std::unordered_map<uint64_t, QueueState> m_queues;
    std::unordered_map<VkFence, Point> m_fences;
    std::unordered_map<VkSemaphore, std::map<uint64_t, Point>> m_semaphores;  // by value
    size_t m_mostKept = 64;                                                   // likewise
};

}  // namespace millrace::layer
