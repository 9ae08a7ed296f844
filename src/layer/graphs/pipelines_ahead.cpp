// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/pipelines_ahead.h"

#include <utility>

#include "layer/base/own_thread.h"

namespace millrace::layer {

void releaseAll(std::span<const std::shared_ptr<NodePipeline>> nodes)
{
    for (const std::shared_ptr<NodePipeline>& node : nodes)
        node->code->release();
}

void PipelinesAhead::add(std::span<const std::shared_ptr<NodePipeline>> nodes,
                         std::span<const runtime::PipelineUse> uses)
{
    std::lock_guard lock(m_mutex);
    if (m_stopped)
        return;
    if (uses.empty())
        return releaseAll(nodes);
    for (const runtime::PipelineUse& use : uses)
        m_wanted.push_back({nodes[use.node]->code, use.memory});
    for (const std::shared_ptr<NodePipeline>& node : nodes)
        m_wanted.push_back({node->code, std::nullopt});
    if (m_runs)
        return;
    // It has left the lock for good.
    if (m_thread.joinable())
        m_thread.join();
    m_runs = startOwnThread(m_thread, [this] { run(); });
    if (m_runs)
        return;
    m_wanted.clear();
    releaseAll(nodes);
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

void PipelinesAhead::make(NodeCode& code, std::optional<graph::MemoryUse> memory)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (memory)
        code.get(*memory, {}, pipeline);
    else
        code.release();
}

// What fails is made again where it is needed, and reported there.
void PipelinesAhead::makeNext(std::unique_lock<std::mutex>& lock)
{
    const Wanted next = std::move(m_wanted.front());
    m_wanted.pop_front();
    lock.unlock();
    try {
        const InDriver inDriver;
        if (const std::shared_ptr<NodeCode> code = inDriver ? next.code.lock() : nullptr)
            make(*code, next.memory);
    } catch (...) {
        // Without memory as well.
    }
    lock.lock();
}

}  // namespace millrace::layer
