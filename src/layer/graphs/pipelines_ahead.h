// SPDX-License-Identifier: Apache-2.0
// Makes pipelines before the dispatches that need them are recorded.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "layer/graphs/node_code.h"
#include "layer/graphs/node_pipelines.h"

namespace millrace::layer {

// A thread of the layer's, while there is something to make. Who needs a pipeline earlier makes it, or waits for it
// where the thread has begun (NodeCode::get()). Where the system gives no thread, nothing is made ahead. Thread-safe.
class PipelinesAhead {
public:
    PipelinesAhead() = default;
    ~PipelinesAhead() { stop(); }
    PipelinesAhead(const PipelinesAhead&) = delete;
    PipelinesAhead& operator=(const PipelinesAhead&) = delete;

    // In this order; then the nodes' code has made all that it is expected to (NodeCode::release()). Pipelines of
    // graphs that are destroyed before are left out.
    void add(std::span<const std::shared_ptr<NodePipeline>> nodes, std::span<const runtime::PipelineUse> uses);
    // Waits for the pipeline that is being made. Nothing is made from then on.
    void stop();

private:
    struct Wanted {
        std::weak_ptr<NodeCode> code;
        std::optional<graph::MemoryUse> memory;  // none: no more are expected
    };

    void run();
    void makeNext(std::unique_lock<std::mutex>& lock);
    static void make(NodeCode& code, std::optional<graph::MemoryUse> memory);

    std::mutex m_mutex;
    std::deque<Wanted> m_wanted;
    bool m_runs = false;  // the thread will look at m_wanted again
    bool m_stopped = false;
    std::thread m_thread;
};

// Where nothing is made ahead: creation was all that is expected of the nodes' code.
void releaseAll(std::span<const std::shared_ptr<NodePipeline>> nodes);

}  // namespace millrace::layer
