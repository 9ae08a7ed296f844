// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/held_work.h"

#include <algorithm>

namespace millrace::layer {

bool HeldWork::usesAny(std::span<const VkSemaphore> semaphores)
{
    std::lock_guard lock(m_mutex);
    return std::any_of(semaphores.begin(), semaphores.end(), [&](VkSemaphore semaphore) { return isUsed(semaphore); });
}

bool HeldWork::isUsed(VkSemaphore semaphore) const
{
    const auto found = m_semaphores.find(semaphore);
    return found != m_semaphores.end() && found->second;
}

std::shared_ptr<Token> HeldWork::hold(std::span<const VkSemaphore> semaphores, VkFence fence,
                                      std::vector<std::shared_ptr<Token>>& after)
{
    auto token = std::make_shared<Token>();
    std::lock_guard lock(m_mutex);
    // All that needs memory comes first.
    after.reserve(after.size() + semaphores.size());
    for (VkSemaphore semaphore : semaphores)
        m_semaphores[semaphore];
    if (fence)
        m_fences[fence] = token;
    for (VkSemaphore semaphore : semaphores) {
        std::shared_ptr<Token>& last = m_semaphores[semaphore];
        if (last && last != token)
            after.push_back(last);
        last = token;
    }
    ++m_held;
    return token;
}

void HeldWork::finish(const std::shared_ptr<Token>& token)
{
    {
        std::lock_guard lock(m_mutex);
        token->done = true;
        ++m_finished;
        --m_held;
        std::erase_if(m_semaphores, [&](const auto& item) { return item.second == token; });
        std::erase_if(m_fences, [&](const auto& item) { return item.second == token; });
    }
    m_changed.notify_all();
}

void HeldWork::wait(std::span<const std::shared_ptr<Token>> tokens)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(
        lock, [&] { return std::all_of(tokens.begin(), tokens.end(), [](const auto& token) { return token->done; }); });
}

void HeldWork::waitSemaphores(std::span<const VkSemaphore> semaphores)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] {
        return std::none_of(semaphores.begin(), semaphores.end(),
                            [&](VkSemaphore semaphore) { return isUsed(semaphore); });
    });
}

bool HeldWork::waitFences(std::span<const VkFence> fences, bool all, Clock::time_point deadline)
{
    auto withDriver = [&](VkFence fence) { return !m_fences.contains(fence); };
    auto ready = [&] {
        return all ? std::all_of(fences.begin(), fences.end(), withDriver)
                   : std::any_of(fences.begin(), fences.end(), withDriver);
    };
    std::unique_lock lock(m_mutex);
    if (deadline == Clock::time_point::max()) {
        m_changed.wait(lock, ready);
        return true;
    }
    return m_changed.wait_until(lock, deadline, ready);
}

void HeldWork::waitForChange(Clock::duration atMost)
{
    std::unique_lock lock(m_mutex);
    const uint64_t before = m_finished;
    m_changed.wait_for(lock, atMost, [&] { return m_finished != before; });
}

}  // namespace millrace::layer
