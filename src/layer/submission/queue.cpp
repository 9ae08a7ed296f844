// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/queue.h"

#include <chrono>

#include "layer/base/own_thread.h"
#include "layer/submission/faults.h"
#include "runtime/device_traits.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

Queue::~Queue()
{
    {
        std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
    if (m_fence)
        device.table.DestroyFence(device.handle, m_fence, runtime::hostMemory());
}

void Queue::enqueue(std::function<VkResult()> work, std::span<const VkSemaphore> semaphores, VkFence fence,
                    std::vector<StatusWatch::SemaphoreValue> promised)
{
    Item item{std::move(work), nullptr, {}, std::move(promised)};
    item.token = device.held->hold(semaphores, fence, item.after);
    std::unique_lock lock(m_mutex);
    ++m_waiting;
    bool isQueued = false;
    try {
        isQueued = m_thread.joinable() || startOwnThread(m_thread, [this] { run(); });
        if (isQueued)
            m_items.push_back(std::move(item));
    } catch (...) {
        --m_waiting;
        device.held->finish(item.token);
        throw;
    }
    lock.unlock();
    if (!isQueued) {
        execute(item);
        --m_waiting;
    }
    m_changed.notify_all();
}

void Queue::drain()
{
    if (isOwnThread())
        return;
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_waiting == 0; });
}

void Queue::run()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [&] { return m_stop || !m_items.empty(); });
        if (m_items.empty())
            return;
        Item item = std::move(m_items.front());
        m_items.pop_front();
        lock.unlock();
        execute(item);
        lock.lock();
        --m_waiting;
        m_changed.notify_all();
    }
}

void Queue::execute(Item& item)
{
    device.held->wait(item.after);
    if (const InDriver inDriver; inDriver) {
        VkResult result = VK_ERROR_DEVICE_LOST;
        try {
            if (!device.held->lost())
                result = item.work();
        } catch (...) {
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        if (result < 0 && !device.held->lost()) {
            device.held->setLost();
            if (!mustLeaveDriver())
                tellFailure(result);
        }
        if (device.held->lost())
            signalOnHost(device, item.promised);
        item.work = nullptr;
    } else {
        leave(item);
    }
    device.held->finish(item.token);
}

// The process ends. What the work holds goes where the device is destroyed, and whoever waits gets to know.
void Queue::leave(Item& item)
{
    device.held->setLost();
    std::lock_guard lock(m_mutex);
    m_left.push_back(std::move(item.work));
}

// Without memory for a message there is none.
void Queue::tellFailure(VkResult result) noexcept
{
    try {
        if (device.faults->check(result) != VK_ERROR_DEVICE_LOST)
            device.messages().error("Millrace-submission", objectReference(VK_OBJECT_TYPE_QUEUE, handle),
                                    "a submission behind an execution graph failed with VkResult " +
                                        std::to_string(result) + "; the device is treated as lost",
                                    "Give the graph's scratch memory maxSize bytes, so that nothing is held back "
                                    "behind it and vkQueueSubmit returns the error");
    } catch (...) {
    }
}

VkResult Queue::submit(std::span<const VkSubmitInfo2> submits)
{
    if (mustLeaveDriver())
        return VK_ERROR_DEVICE_LOST;
    const VkuDeviceDispatchTable& table = device.table;
    VkResult result = m_isPending ? wait() : VK_SUCCESS;
    if (!m_fence) {
        const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        result = table.CreateFence(device.handle, &info, runtime::hostMemory(), &m_fence);
        device.names.set(VK_OBJECT_TYPE_FENCE, m_fence, {"fence of a queue"});
    }
    if (result == VK_SUCCESS && m_isSignaled)
        result = table.ResetFences(device.handle, 1, &m_fence);
    m_isSignaled = false;
    if (result == VK_SUCCESS)
        result = use(
            [&] { return table.QueueSubmit2(handle, static_cast<uint32_t>(submits.size()), submits.data(), m_fence); });
    m_isPending = result == VK_SUCCESS;
    return result;
}

uint32_t Queue::spinUs()
{
    if (m_spinUs == 0 && device.runtime)
        m_spinUs = device.runtime->traits().spinUs;
    if (m_spinUs == 0) {
        VkPhysicalDeviceProperties properties;
        device.instance.table.GetPhysicalDeviceProperties(device.physical, &properties);
        runtime::DeviceFacts facts;
        facts.type = properties.deviceType;
        m_spinUs = runtime::chooseTraits(facts, device.settings().runtime.traits).traits.spinUs;
    }
    return m_spinUs;
}

// The device stands still until the host has seen that it is done and goes on. To wake up takes the host longer than
// most graphs take, so it looks for a while before it sleeps (docs/experiments.md).
VkResult Queue::wait(const Continuation* behind)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::microseconds(spinUs());
    VkResult result = device.table.GetFenceStatus(device.handle, m_fence);
    while (result == VK_NOT_READY && Clock::now() < deadline) {
        if (behind && behind->isDecided())
            return VK_SUCCESS;
        std::this_thread::yield();
        result = device.table.GetFenceStatus(device.handle, m_fence);
    }
    // Never so long that the process could not end.
    constexpr std::chrono::nanoseconds kSlice = std::chrono::milliseconds(100);
    while (result == VK_NOT_READY || result == VK_TIMEOUT) {
        if (mustLeaveDriver())
            return VK_ERROR_DEVICE_LOST;
        result = device.table.WaitForFences(device.handle, 1, &m_fence, VK_TRUE, kSlice.count());
    }
    m_isSignaled = result == VK_SUCCESS;
    m_isPending = false;
    return result;
}

void signalOnHost(const Device& device, std::span<const StatusWatch::SemaphoreValue> values) noexcept
{
    const VkuDeviceDispatchTable& table = device.table;
    for (const StatusWatch::SemaphoreValue& promised : values) {
        uint64_t now = 0;
        const bool isKnown = promised.value > 0 && table.GetSemaphoreCounterValue && table.SignalSemaphore &&
                             table.GetSemaphoreCounterValue(device.handle, promised.semaphore, &now) == VK_SUCCESS;
        // Values only rise.
        if (!isKnown || now >= promised.value)
            continue;
        VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
        info.semaphore = promised.semaphore;
        info.value = promised.value;
        table.SignalSemaphore(device.handle, &info);
    }
}

}  // namespace millrace::layer
