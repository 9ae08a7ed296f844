// SPDX-License-Identifier: Apache-2.0
// Looks at graphs in flight whenever the application has waited for the device, so that errors are told soon.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace millrace::layer {

struct GraphRun;

class StatusWatch {
public:
    void add(const std::shared_ptr<GraphRun>& run);
    void poll();
    std::vector<std::shared_ptr<GraphRun>> alive();

private:
    std::atomic<bool> m_any{false};
    std::mutex m_mutex;
    std::vector<std::weak_ptr<GraphRun>> m_runs;
};

}  // namespace millrace::layer
