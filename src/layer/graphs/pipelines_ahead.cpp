// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/pipelines_ahead.h"

#include <algorithm>
#include <utility>

#include "layer/base/own_thread.h"

namespace millrace::layer {

namespace {

void make(NodeCode& code, std::optional<graph::MemoryUse> memory)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (memory)
        code.get(*memory, {}, pipeline);
    else
        code.release();
}

// Those that were started.
void joinAll(std::vector<std::thread>& threads)
{
    for (std::thread& thread : threads)
        if (thread.joinable())
            thread.join();
}

}  // namespace

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
    startThreads();
    if (m_running > 0)
        return;
    m_wanted.clear();
    releaseAll(nodes);
}

void PipelinesAhead::startThreads()
{
    // They have left the lock for good.
    if (m_running == 0) {
        joinAll(m_threads);
        m_threads.clear();
    }
    const size_t most = std::max(2u, std::thread::hardware_concurrency() / 2);
    m_making.reserve(most);
    while (m_running < std::min(most, m_wanted.size())) {
        if (!startOwnThread(m_threads.emplace_back(), [this] { run(); })) {
            m_threads.pop_back();
            return;
        }
        ++m_running;
    }
}

void PipelinesAhead::waitFor(std::span<const std::shared_ptr<NodePipeline>> nodes,
                             std::span<const runtime::PipelineUse> uses)
{
    if (isOwnThread())
        return;
    std::unique_lock lock(m_mutex);
    const auto isFor = [&](const Wanted& wanted, const runtime::PipelineUse& use) {
        return wanted.memory == use.memory && wanted.isOf(nodes[use.node]->code);
    };
    std::stable_partition(m_wanted.begin(), m_wanted.end(), [&](const Wanted& wanted) {
        return std::ranges::any_of(uses, [&](const runtime::PipelineUse& use) { return isFor(wanted, use); });
    });
    // One after the other: there may be thousands.
    for (const runtime::PipelineUse& use : uses) {
        const auto isThis = [&](const Wanted& wanted) { return isFor(wanted, use); };
        m_made.wait(lock,
                    [&] { return std::ranges::none_of(m_making, isThis) && std::ranges::none_of(m_wanted, isThis); });
    }
}

void PipelinesAhead::stop()
{
    {
        std::lock_guard lock(m_mutex);
        m_stopped = true;
        m_wanted.clear();
    }
    joinAll(m_threads);
}

void PipelinesAhead::run()
{
    std::unique_lock lock(m_mutex);
    for (auto next = findNext(); next != m_wanted.end(); next = findNext())
        makeNext(lock, next);
    --m_running;
}

// What pipelines are made of, which others may have as well, is there until the last one is made. Its thread comes back
// for the rest.
std::deque<PipelinesAhead::Wanted>::iterator PipelinesAhead::findNext()
{
    const bool isIdle = std::ranges::none_of(m_making, [](const Wanted& making) { return making.memory.has_value(); });
    return std::ranges::find_if(m_wanted, [&](const Wanted& wanted) { return isIdle || wanted.memory; });
}

// What fails is made again where it is needed, and reported there.
void PipelinesAhead::makeNext(std::unique_lock<std::mutex>& lock, std::deque<Wanted>::iterator next)
{
    const Wanted wanted = std::move(*next);
    m_wanted.erase(next);
    m_making.push_back(wanted);
    lock.unlock();
    try {
        const InDriver inDriver;
        if (const std::shared_ptr<NodeCode> code = inDriver ? wanted.code.lock() : nullptr)
            make(*code, wanted.memory);
    } catch (...) {
        // Without memory as well.
    }
    lock.lock();
    std::erase_if(m_making,
                  [&](const Wanted& making) { return making.memory == wanted.memory && making.isOf(wanted.code); });
    m_made.notify_all();
}

}  // namespace millrace::layer
