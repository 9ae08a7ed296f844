// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/queue.h"

#include "layer/base/own_thread.h"
#include "layer/submission/faults.h"
#include "runtime/device_traits.h"

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
    // Work that was left undone, since the process ends, has left it closed.
    if (m_gate.isClosed()) {
        const StatusWatch::SemaphoreValue opening = m_gate.opening();
        signalOnHost(device, {&opening, 1});
    }
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

VkResult Queue::submit(std::span<const VkSubmitInfo2> submits, VkFence fence)
{
    if (mustLeaveDriver())
        return VK_ERROR_DEVICE_LOST;
    return use([&] {
        return device.table.QueueSubmit2(handle, static_cast<uint32_t>(submits.size()), submits.data(), fence);
    });
}

VkResult Queue::wait(uint64_t end, const Continuation* behind)
{
    return m_ends.wait(end, spinUs(), behind);
}

VkResult Queue::submitMore(const VkSubmitInfo2& submit)
{
    const bool isBeside = m_gate.isClosed();
    Ends& ends = isBeside ? m_endsBeside : m_ends;
    VkResult result = ends.prepare();
    if (result == VK_SUCCESS && isBeside)
        result = m_gate.letMore();
    if (result != VK_SUCCESS)
        return result;
    const VkSemaphoreSubmitInfo end = ends.signal();
    const VkSemaphoreSubmitInfo isLet = m_gate.more();
    VkSubmitInfo2 more = submit;
    more.waitSemaphoreInfoCount = isBeside ? 1 : 0;
    more.pWaitSemaphoreInfos = &isLet;
    more.signalSemaphoreInfoCount = 1;
    more.pSignalSemaphoreInfos = &end;
    result = isBeside ? side->submit(more) : this->submit({&more, 1}, VK_NULL_HANDLE);
    return result == VK_SUCCESS ? ends.wait(end.value, spinUs()) : result;
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
