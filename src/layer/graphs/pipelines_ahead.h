// SPDX-License-Identifier: Apache-2.0
// Makes pipelines before the dispatches that need them are recorded.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "layer/graphs/node_code.h"
#include "layer/graphs/node_pipelines.h"

namespace millrace::layer {

// Threads of the layer's, while there is something to make: half as many as the host runs at once, since the
// application has work of its own, and two at least. They begin when a graph is created, never when something is
// recorded. Where the system gives no thread, nothing is made ahead. Thread-safe.
class PipelinesAhead {
public:
    PipelinesAhead() = default;
    ~PipelinesAhead() { stop(); }
    PipelinesAhead(const PipelinesAhead&) = delete;
    PipelinesAhead& operator=(const PipelinesAhead&) = delete;

    // In this order; then the nodes' code has made all that it is expected to (NodeCode::release()). Pipelines of
    // graphs that are destroyed before are left out.
    void add(std::span<const std::shared_ptr<NodePipeline>> nodes, std::span<const runtime::PipelineUse> uses);
    // Those of them that are to be made come first now. Returns when they are made, or have failed; on a thread of the
    // layer's, which may be the one that makes them, at once.
    void waitFor(std::span<const std::shared_ptr<NodePipeline>> nodes, std::span<const runtime::PipelineUse> uses);
    // Waits for the pipelines that are being made. Nothing is made from then on.
    void stop();

private:
    struct Wanted {
        std::weak_ptr<NodeCode> code;
        std::optional<graph::MemoryUse> memory;  // none: no more are expected

        bool isOf(const std::weak_ptr<NodeCode>& other) const
        {
            return !code.owner_before(other) && !other.owner_before(code);
        }
    };

    void startThreads();
    void run();
    void makeNext(std::unique_lock<std::mutex>& lock, std::deque<Wanted>::iterator next);
    // m_wanted.end(): there is nothing that this thread can do.
    std::deque<Wanted>::iterator findNext();

    std::mutex m_mutex;
    std::condition_variable m_made;  // m_making has become less
    std::deque<Wanted> m_wanted;
    std::vector<Wanted> m_making;
    size_t m_running = 0;  // of the threads, those that will look at m_wanted again
    bool m_stopped = false;
    std::vector<std::thread> m_threads;
};

// Where nothing is made ahead: creation was all that is expected of the nodes' code.
void releaseAll(std::span<const std::shared_ptr<NodePipeline>> nodes);

}  // namespace millrace::layer
