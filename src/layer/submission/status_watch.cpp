// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/status_watch.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace millrace::layer {

namespace {

// Twice what has remained, so that looking through all costs each of them a constant time.
size_t roomFor(size_t remaining)
{
    constexpr size_t kLeast = 64;
    return std::max(kLeast, 2 * remaining);
}

}  // namespace

void StatusWatch::add(const std::shared_ptr<Watched>& run)
{
    std::lock_guard lock(m_mutex);
    if (m_runs.size() >= m_mostRuns) {
        std::erase_if(m_runs, [](const std::weak_ptr<Watched>& watched) { return watched.expired(); });
        m_mostRuns = roomFor(m_runs.size());
    }
    m_runs.push_back(run);
    m_isWatching = true;
}

std::vector<std::shared_ptr<Watched>> StatusWatch::alive()
{
    std::vector<std::shared_ptr<Watched>> runs;
    std::lock_guard lock(m_mutex);
    std::erase_if(m_runs, [&](const std::weak_ptr<Watched>& watched) {
        if (auto run = watched.lock())
            runs.push_back(std::move(run));
        return watched.expired();
    });
    return runs;
}

void StatusWatch::submitBatch(uint64_t queue, Runs runs, std::span<const SemaphoreValue> waits,
                              std::span<const SemaphoreValue> signals)
{
    if (runs.empty() && !m_anyPending)
        return;
    std::lock_guard lock(m_mutex);
    limitSize();
    QueueState& state = m_queues[queue];
    if (!runs.empty()) {
        state.pending[++state.batches].assign(runs.begin(), runs.end());
        m_anyPending = true;
    }
    merge(state.behind, {{queue, state.batches}});
    for (const SemaphoreValue& wait : waits) {
        const auto found = m_semaphores.find(wait.semaphore);
        if (found == m_semaphores.end())
            continue;
        const auto above = found->second.upper_bound(wait.value);
        if (above != found->second.begin())
            merge(state.behind, std::prev(above)->second);
    }
    for (const SemaphoreValue& signal : signals) {
        std::map<uint64_t, Point>& values = m_semaphores[signal.semaphore];
        Point point = state.behind;
        // Values are reached in their order.
        const auto next = values.lower_bound(signal.value);
        if (next != values.begin())
            merge(point, std::prev(next)->second);
        values.insert_or_assign(signal.value, std::move(point));
    }
}

void StatusWatch::submitFence(uint64_t queue, VkFence fence)
{
    if (!fence || !m_anyPending)
        return;
    std::lock_guard lock(m_mutex);
    limitSize();
    m_fences[fence] = m_queues[queue].behind;
}

void StatusWatch::deviceIsIdle()
{
    if (!m_anyPending)
        return;
    std::vector<std::weak_ptr<Watched>> runs;
    {
        std::lock_guard lock(m_mutex);
        Point all;
        for (const auto& [queue, state] : m_queues)
            all.emplace_back(queue, state.batches);
        runs = take(all);
    }
    look(runs);
}

void StatusWatch::queueIsIdle(uint64_t queue)
{
    if (!m_anyPending)
        return;
    std::vector<std::weak_ptr<Watched>> runs;
    {
        std::lock_guard lock(m_mutex);
        const Point behind = m_queues[queue].behind;
        runs = take(behind);
    }
    look(runs);
}

void StatusWatch::isSignaled(VkFence fence)
{
    if (!m_anyPending)
        return;
    std::vector<std::weak_ptr<Watched>> runs;
    {
        std::lock_guard lock(m_mutex);
        const auto found = m_fences.find(fence);
        if (found == m_fences.end())
            return;
        const Point behind = std::move(found->second);
        m_fences.erase(found);
        runs = take(behind);
    }
    look(runs);
}

void StatusWatch::hasReached(VkSemaphore semaphore, uint64_t value)
{
    if (!m_anyPending)
        return;
    std::vector<std::weak_ptr<Watched>> runs;
    {
        std::lock_guard lock(m_mutex);
        const auto found = m_semaphores.find(semaphore);
        if (found == m_semaphores.end())
            return;
        const auto above = found->second.upper_bound(value);
        if (above == found->second.begin())
            return;
        const Point reached = std::move(std::prev(above)->second);
        found->second.erase(found->second.begin(), above);
        runs = take(reached);
    }
    look(runs);
}

bool StatusWatch::knows(VkFence fence) const
{
    if (!m_anyPending)
        return false;
    std::lock_guard lock(m_mutex);
    return m_fences.contains(fence);
}

size_t StatusWatch::size() const
{
    std::lock_guard lock(m_mutex);
    return m_runs.size() + sizeLocked();
}

void StatusWatch::merge(Point& point, const Point& other)
{
    for (const auto& [queue, batch] : other) {
        const auto known = std::ranges::find(point, queue, &Point::value_type::first);
        if (known == point.end())
            point.emplace_back(queue, batch);
        else
            known->second = std::max(known->second, batch);
    }
}

// What is complete with that.
std::vector<std::weak_ptr<Watched>> StatusWatch::take(const Point& point)
{
    std::vector<std::weak_ptr<Watched>> runs;
    for (const auto& [queue, batch] : point) {
        auto& pending = m_queues[queue].pending;
        const auto end = pending.upper_bound(batch);
        for (auto complete = pending.begin(); complete != end; ++complete)
            runs.insert(runs.end(), complete->second.begin(), complete->second.end());
        pending.erase(pending.begin(), end);
    }
    // What was submitted several times is looked at once.
    const std::owner_less<> isBefore;
    std::ranges::sort(runs, isBefore);
    const auto isSame = [&](const auto& a, const auto& b) { return !isBefore(a, b) && !isBefore(b, a); };
    runs.erase(std::ranges::unique(runs, isSame).begin(), runs.end());
    forgetIfIdle();
    return runs;
}

void StatusWatch::look(const std::vector<std::weak_ptr<Watched>>& runs)
{
    for (const std::weak_ptr<Watched>& watched : runs)
        if (const std::shared_ptr<Watched> run = watched.lock())
            m_look(*run);
}

size_t StatusWatch::sizeLocked() const
{
    size_t size = m_fences.size();
    for (const auto& [semaphore, values] : m_semaphores)
        size += values.size();
    for (const auto& [queue, state] : m_queues)
        size += state.pending.size();
    return size;
}

// Whether anything is not known to be complete that is with it.
bool StatusWatch::isPending(const Point& point) const
{
    return std::ranges::any_of(point, [this](const auto& item) {
        const auto queue = m_queues.find(item.first);
        return queue != m_queues.end() && !queue->second.pending.empty() &&
               queue->second.pending.begin()->first <= item.second;
    });
}

// Without graphs in flight nothing means anything.
void StatusWatch::forgetIfIdle()
{
    if (std::ranges::any_of(m_queues, [](const auto& item) { return !item.second.pending.empty(); }))
        return;
    m_anyPending = false;
    m_fences.clear();
    m_semaphores.clear();
    for (auto& [queue, state] : m_queues)
        state.behind.clear();
}

// An application that never asks how far the device is would make it grow for ever. Of graphs that are gone everything
// was told when their command buffers were reset; of those that were submitted again the last time counts.
void StatusWatch::limitSize()
{
    if (sizeLocked() < m_mostKept)
        return;
    for (auto& [queue, state] : m_queues) {
        std::set<std::weak_ptr<Watched>, std::owner_less<>> later;
        for (auto batch = state.pending.end(); batch != state.pending.begin();) {
            --batch;
            std::erase_if(batch->second, [&](const std::weak_ptr<Watched>& run) {
                return run.expired() || !later.insert(run).second;
            });
            if (batch->second.empty())
                batch = state.pending.erase(batch);
        }
    }
    std::erase_if(m_fences, [this](const auto& item) { return !isPending(item.second); });
    for (auto& [semaphore, values] : m_semaphores)
        std::erase_if(values, [this](const auto& item) { return !isPending(item.second); });
    std::erase_if(m_semaphores, [](const auto& item) { return item.second.empty(); });
    forgetIfIdle();
    m_mostKept = roomFor(sizeLocked());
}

}  // namespace millrace::layer
