// SPDX-License-Identifier: Apache-2.0
// Looks at graphs in flight whenever the application has waited for the device, so that errors are told soon.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace millrace::layer {

struct GraphRun;

class StatusWatch {
public:
    void add(const std::shared_ptr<GraphRun>& run);
    void poll();
    // Done by each poll() as well. Before anything polls.
    void alsoDo(std::function<void()> action) { m_action = std::move(action); }
    std::vector<std::shared_ptr<GraphRun>> alive();

private:
    std::atomic<bool> m_any{false};
    std::function<void()> m_action;
    std::mutex m_mutex;
    std::vector<std::weak_ptr<GraphRun>> m_runs;
};

}  // namespace millrace::layer
