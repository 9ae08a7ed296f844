// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/pipelines_ahead.h"

#include <utility>

#include "layer/base/own_thread.h"

namespace millrace::layer {

void PipelinesAhead::add(std::span<const std::shared_ptr<NodePipeline>> nodes,
                         std::span<const runtime::PipelineUse> uses)
{
    std::lock_guard lock(m_mutex);
    if (m_stopped)
        return;
    for (const runtime::PipelineUse& use : uses)
        m_wanted.push_back({nodes[use.node]->code, use.memory});
    if (m_runs || m_wanted.empty())
        return;
    // It has left the lock for good.
    if (m_thread.joinable())
        m_thread.join();
    m_runs = startOwnThread(m_thread, [this] { run(); });
    if (!m_runs)
        m_wanted.clear();
}

void PipelinesAhead::stop()
{
    {
        std::lock_guard lock(m_mutex);
        m_stopped = true;
        m_wanted.clear();
    }
    if (m_thread.joinable())
        m_thread.join();
}

void PipelinesAhead::run()
{
    std::unique_lock lock(m_mutex);
    while (!m_wanted.empty())
        makeNext(lock);
    m_runs = false;
}

// What fails is made again where it is needed, and reported there.
void PipelinesAhead::makeNext(std::unique_lock<std::mutex>& lock)
{
    const Wanted next = std::move(m_wanted.front());
    m_wanted.pop_front();
    lock.unlock();
    try {
        const InDriver inDriver;
        const std::shared_ptr<NodeCode> code = inDriver ? next.code.lock() : nullptr;
        VkPipeline pipeline = VK_NULL_HANDLE;
        if (code)
            code->get(next.memory, {}, pipeline);
    } catch (...) {
        // Without memory as well.
    }
    lock.lock();
}

}  // namespace millrace::layer
