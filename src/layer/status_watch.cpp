// SPDX-License-Identifier: Apache-2.0
#include "layer/status_watch.h"

#include "layer/graph_run.h"

namespace millrace::layer {

void StatusWatch::add(const std::shared_ptr<GraphRun>& run)
{
    std::lock_guard lock(m_mutex);
    m_runs.push_back(run);
    m_any = true;
}

std::vector<std::shared_ptr<GraphRun>> StatusWatch::alive()
{
    std::vector<std::shared_ptr<GraphRun>> runs;
    std::lock_guard lock(m_mutex);
    std::erase_if(m_runs, [&](const std::weak_ptr<GraphRun>& watched) {
        if (auto run = watched.lock())
            runs.push_back(std::move(run));
        return watched.expired();
    });
    m_any = !m_runs.empty();
    return runs;
}

void StatusWatch::poll()
{
    if (!m_any)
        return;
    // Without the lock: messages may lead to anything, such as another wait.
    for (const std::shared_ptr<GraphRun>& run : alive())
        run->reportStatus();
    if (m_action)
        m_action();
}

}  // namespace millrace::layer
