// SPDX-License-Identifier: Apache-2.0
// Waiting for the device, where some of its work may still be held back on the host.
#include <algorithm>

#include "layer/base/own_thread.h"
#include "layer/chains/chain.h"
#include "layer/loader/entry_points.h"
#include "layer/objects/query_pools.h"
#include "layer/submission/faults.h"
#include "layer/submission/queue.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

namespace {

using Clock = HeldWork::Clock;

Clock::time_point deadlineAfter(uint64_t nanoseconds)
{
    const Clock::time_point now = Clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::time_point::max() - now).count();
    return nanoseconds >= static_cast<uint64_t>(left) ? Clock::time_point::max()
                                                      : now + std::chrono::nanoseconds(nanoseconds);
}

uint64_t nanosecondsUntil(Clock::time_point deadline)
{
    if (deadline == Clock::time_point::max())
        return UINT64_MAX;
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    return left > 0 ? static_cast<uint64_t>(left) : 0;
}

// On a thread of the layer's, in a callback that must not wait, what it waits for may be what the thread does next.
uint64_t timeoutHere(uint64_t timeout)
{
    return isOwnThread() ? 0 : timeout;
}

// What a driver waits for may be held by the layer, now or later, and never reach it if that fails: looks up from time
// to time. Returns what `wait` does, which takes nanoseconds.
template <typename Wait>
VkResult waitUnlessLost(Device& device, uint64_t timeout, const Wait& wait)
{
    constexpr std::chrono::nanoseconds kBetweenLooks = std::chrono::milliseconds(100);
    constexpr uint64_t kSlice = kBetweenLooks.count();
    const Clock::time_point deadline = deadlineAfter(timeout);
    while (!device.held->lost()) {
        const uint64_t left = nanosecondsUntil(deadline);
        const VkResult result = device.faults->check(wait(std::min(left, kSlice)));
        if (result != VK_TIMEOUT || left <= kSlice)
            return result;
    }
    return VK_ERROR_DEVICE_LOST;
}

void drainAll(Device& device)
{
    device.queues.forEach([](Queue& queue) { queue.drain(); });
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice handle)
{
    Device& device = Device::of(handle);
    drainAll(device);
    const VkResult result =
        device.held->lost() ? VK_ERROR_DEVICE_LOST : device.faults->check(device.table.DeviceWaitIdle(handle));
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST)
        device.statusWatch->deviceIsIdle();
    device.drainRecorders();
    return result;
}

// Of several fences, one of which is signaled, the driver does not say which.
void lookBehind(Device& device, std::span<const VkFence> fences, bool all)
{
    StatusWatch& watch = *device.statusWatch;
    for (const VkFence fence : fences)
        if (all || (watch.knows(fence) && device.table.GetFenceStatus(device.handle, fence) == VK_SUCCESS))
            watch.isSignaled(fence);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice handle, uint32_t fenceCount, const VkFence* pFences,
                                             VkBool32 waitAll, uint64_t timeout)
{
    Device& device = Device::of(handle);
    timeout = timeoutHere(timeout);
    if (device.held->any() && timeout > 0) {
        // A fence that no submission of the driver signals yet is not waited for down there.
        const Clock::time_point deadline = deadlineAfter(timeout);
        if (!device.held->waitFences({pFences, fenceCount}, waitAll, deadline))
            return VK_TIMEOUT;
        timeout = nanosecondsUntil(deadline);
    }
    const VkResult result = waitUnlessLost(device, timeout, [&](uint64_t nanoseconds) {
        return device.table.WaitForFences(handle, fenceCount, pFences, waitAll, nanoseconds);
    });
    if (device.held->lost())
        return VK_ERROR_DEVICE_LOST;
    if (result == VK_SUCCESS)
        lookBehind(device, {pFences, fenceCount}, waitAll || fenceCount == 1);
    else if (result == VK_ERROR_DEVICE_LOST)
        device.statusWatch->deviceIsIdle();
    device.drainRecorders();
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice handle, VkFence fence)
{
    Device& device = Device::of(handle);
    if (device.held->lost())
        return VK_ERROR_DEVICE_LOST;
    const VkResult result = device.faults->check(device.table.GetFenceStatus(handle, fence));
    if (result != VK_SUCCESS)
        return result;
    device.statusWatch->isSignaled(fence);
    device.drainRecorders();
    return result;
}

template <auto Member>
VKAPI_ATTR VkResult VKAPI_CALL getSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t* pValue)
{
    Device& device = Device::of(handle);
    if (device.held->lost())
        return VK_ERROR_DEVICE_LOST;
    const VkResult result = device.faults->check((device.table.*Member)(handle, semaphore, pValue));
    if (result != VK_SUCCESS)
        return result;
    device.statusWatch->hasReached(semaphore, *pValue);
    device.drainRecorders();
    return result;
}

// Of several values, one of which is reached, the driver does not say which.
template <auto GetValue>
void lookBehind(Device& device, const VkSemaphoreWaitInfo& info)
{
    const bool all = !(info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) || info.semaphoreCount == 1;
    for (uint32_t i = 0; device.statusWatch->isWatching() && i < info.semaphoreCount; ++i) {
        uint64_t value = info.pValues[i];
        if (all || (device.table.*GetValue)(device.handle, info.pSemaphores[i], &value) == VK_SUCCESS)
            device.statusWatch->hasReached(info.pSemaphores[i], value);
    }
}

template <auto Member, auto GetValue>
VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* pWaitInfo, uint64_t timeout)
{
    Device& device = Device::of(handle);
    const VkResult result = waitUnlessLost(device, timeoutHere(timeout), [&](uint64_t nanoseconds) {
        return (device.table.*Member)(handle, pWaitInfo, nanoseconds);
    });
    if (device.held->lost())
        return VK_ERROR_DEVICE_LOST;
    if (result == VK_SUCCESS)
        lookBehind<GetValue>(device, *pWaitInfo);
    else if (result == VK_ERROR_DEVICE_LOST)
        device.statusWatch->deviceIsIdle();
    device.drainRecorders();
    return result;
}

// A driver has nothing to wait for where a query is in work that is still held: it answers VK_NOT_READY at once, or
// never. What is held, and which of it has gone to the driver since, changes all the time, so the query itself is
// looked at.
VKAPI_ATTR VkResult VKAPI_CALL GetQueryPoolResults(VkDevice handle, VkQueryPool queryPool, uint32_t first,
                                                   uint32_t count, size_t dataSize, void* pData, VkDeviceSize stride,
                                                   VkQueryResultFlags flags)
{
    constexpr VkQueryResultFlags kWithoutLook = VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_PARTIAL_BIT;
    constexpr std::chrono::milliseconds kBetweenLooks{1};
    Device& device = Device::of(handle);
    if (isOwnThread())
        flags &= ~VkQueryResultFlags(VK_QUERY_RESULT_WAIT_BIT);
    const QueryPool* const pool = device.queryPools.find(handleId(queryPool));
    const auto ask = [&](VkQueryResultFlags how) {
        return device.faults->check(
            pool && pool->own
                ? pool->own->results(first, count, pData, stride, how)
                : device.table.GetQueryPoolResults(handle, queryPool, first, count, dataSize, pData, stride, how));
    };
    VkResult result = VK_NOT_READY;
    while ((flags & VK_QUERY_RESULT_WAIT_BIT) && result == VK_NOT_READY && device.held->any()) {
        result = ask(flags & ~kWithoutLook);
        if (result == VK_NOT_READY)
            device.held->waitForChange(kBetweenLooks);
    }
    if (device.held->lost())
        return VK_ERROR_DEVICE_LOST;
    if (result == VK_NOT_READY)
        result = ask(flags);
    if (result == VK_SUCCESS)
        device.drainRecorders();
    return result;
}

// Exporting needs the signal operation to be with the driver.
VKAPI_ATTR VkResult VKAPI_CALL GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR* pInfo, int* pFd)
{
    Device& device = Device::of(handle);
    if (!isOwnThread())
        device.held->waitFences({&pInfo->fence, 1}, true, Clock::time_point::max());
    return device.table.GetFenceFdKHR(handle, pInfo, pFd);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreFdKHR(VkDevice handle, const VkSemaphoreGetFdInfoKHR* pInfo, int* pFd)
{
    Device& device = Device::of(handle);
    if (!isOwnThread())
        device.held->waitSemaphores({&pInfo->semaphore, 1});
    return device.table.GetSemaphoreFdKHR(handle, pInfo, pFd);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks* pAllocator, VkSemaphore* pSemaphore)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.CreateSemaphore(handle, pCreateInfo, pAllocator, pSemaphore);
    const auto* type =
        findInChain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    if (result == VK_SUCCESS && type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
        rememberOrUndo([&] { device.table.DestroySemaphore(handle, *pSemaphore, pAllocator); },
                       [&] { device.timelines.insert(handleId(*pSemaphore), std::make_shared<TimelineSemaphore>()); });
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                            const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.timelines.remove(handleId(semaphore));
    device.table.DestroySemaphore(handle, semaphore, pAllocator);
}

}  // namespace

EntryPoints waitEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(DeviceWaitIdle, kUseWatch),
        MILLRACE_ENTRY(WaitForFences, kUseWatch),
        MILLRACE_ENTRY(GetFenceStatus, kUseWatch),
        {"vkWaitSemaphores",
         guarded<&waitSemaphores<&VkuDeviceDispatchTable::WaitSemaphores,
                                 &VkuDeviceDispatchTable::GetSemaphoreCounterValue>>(),
         kUseWatch},
        {"vkWaitSemaphoresKHR",
         guarded<&waitSemaphores<&VkuDeviceDispatchTable::WaitSemaphoresKHR,
                                 &VkuDeviceDispatchTable::GetSemaphoreCounterValueKHR>>(),
         kUseWatch},
        {"vkGetSemaphoreCounterValue",
         guarded<&getSemaphoreCounterValue<&VkuDeviceDispatchTable::GetSemaphoreCounterValue>>(), kUseWatch},
        {"vkGetSemaphoreCounterValueKHR",
         guarded<&getSemaphoreCounterValue<&VkuDeviceDispatchTable::GetSemaphoreCounterValueKHR>>(), kUseWatch},
        MILLRACE_ENTRY(GetQueryPoolResults, kUseWatch),
        MILLRACE_ENTRY(GetFenceFdKHR, kUseWatch),
        MILLRACE_ENTRY(GetSemaphoreFdKHR, kUseWatch),
        MILLRACE_ENTRY(CreateSemaphore, kUseWatch),
        MILLRACE_ENTRY(DestroySemaphore, kUseWatch),
    };
    return entries;
}

}  // namespace millrace::layer
