// SPDX-License-Identifier: Apache-2.0
// Commands that take a queue. They pass straight through unless a graph that may be continued is involved.
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/base/own_thread.h"
#include "layer/chains/chain.h"
#include "layer/chains/chain_copy.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/driver_submits.h"
#include "layer/submission/expanded_submits.h"
#include "layer/submission/faults.h"
#include "layer/submission/queue.h"
#include "layer/submission/status_watch.h"
#include "layer/submission/submission.h"

namespace millrace::layer {

namespace {

void remember(Device& device, VkQueue queue, SideQueue* side)
{
    if (queue)
        device.queues.insertOnce(handleId(queue), std::make_shared<Queue>(device, queue, side));
}

SideQueue* sideQueueOf(const Device& device, uint32_t family)
{
    const auto found = device.sideQueues.find(family);
    return found == device.sideQueues.end() ? nullptr : found->second.get();
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue* pQueue)
{
    Device& device = Device::of(handle);
    device.table.GetDeviceQueue(handle, family, index, pQueue);
    remember(device, *pQueue, sideQueueOf(device, family));
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2* pInfo, VkQueue* pQueue)
{
    Device& device = Device::of(handle);
    device.table.GetDeviceQueue2(handle, pInfo, pQueue);
    // Protected ones have none.
    remember(device, *pQueue, pInfo->flags == 0 ? sideQueueOf(device, pInfo->queueFamilyIndex) : nullptr);
}

Queue& queueOf(VkQueue handle)
{
    Device& device = Device::of(handle);
    Queue* queue = device.queues.find(handleId(handle));
    if (!queue) {
        // There was no memory for it when it was fetched.
        remember(device, handle, nullptr);
        queue = device.queues.find(handleId(handle));
    }
    return *queue;
}

// True if what is submitted has to wait for what is not yet with the driver.
template <typename Info>
bool mustWait(const Queue& queue, uint32_t count, const Info* submits)
{
    HeldWork& held = *queue.device.held;
    if (queue.busy())
        return true;
    return held.any() && held.usesAny(Submission(count, submits, VK_NULL_HANDLE).binarySemaphores(queue.device));
}

void announce(VkCommandBuffer handle)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    for (const std::shared_ptr<Watched>& one : commandBuffer.forSubmission)
        one->beforeSubmission();
}

// What generated commands were recorded with wants to know.
void announce(uint32_t count, const VkSubmitInfo* submits)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferCount; ++k)
            announce(submits[i].pCommandBuffers[k]);
}

void announce(uint32_t count, const VkSubmitInfo2* submits)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; ++k)
            announce(submits[i].pCommandBufferInfos[k].commandBuffer);
}

VkResult renew(VkCommandBuffer handle)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    return commandBuffer.late ? commandBuffer.late->renew() : VK_SUCCESS;
}

// Streams that depend on what may have changed since they were recorded.
VkResult renew(uint32_t count, const VkSubmitInfo* submits)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferCount && result == VK_SUCCESS; ++k)
            result = renew(submits[i].pCommandBuffers[k]);
    return result;
}

VkResult renew(uint32_t count, const VkSubmitInfo2* submits)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < submits[i].commandBufferInfoCount && result == VK_SUCCESS; ++k)
            result = renew(submits[i].pCommandBufferInfos[k].commandBuffer);
    return result;
}

using SemaphoreValue = StatusWatch::SemaphoreValue;

using Runs = std::vector<std::shared_ptr<Watched>>;

void addRuns(Runs& runs, VkCommandBuffer handle)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    runs.insert(runs.end(), commandBuffer.runs.begin(), commandBuffer.runs.end());
    runs.insert(runs.end(), commandBuffer.watched.begin(), commandBuffer.watched.end());
    if (commandBuffer.late)
        commandBuffer.late->addWatched(runs);
}

Runs runsOf(const VkSubmitInfo& submit)
{
    Runs runs;
    for (uint32_t i = 0; i < submit.commandBufferCount; ++i)
        addRuns(runs, submit.pCommandBuffers[i]);
    return runs;
}

Runs runsOf(const VkSubmitInfo2& submit)
{
    Runs runs;
    for (uint32_t i = 0; i < submit.commandBufferInfoCount; ++i)
        addRuns(runs, submit.pCommandBufferInfos[i].commandBuffer);
    return runs;
}

struct Semaphores {
    std::vector<SemaphoreValue> waits;
    std::vector<SemaphoreValue> signals;
};

SemaphoreValue valueOf(const Device& device, VkSemaphore semaphore, uint64_t value)
{
    return {semaphore, device.timelines.find(handleId(semaphore)) ? value : 0};
}

Semaphores semaphoresOf(const Device& device, const VkSubmitInfo& submit)
{
    Semaphores out;
    const auto* timeline =
        findInChain<VkTimelineSemaphoreSubmitInfo>(submit.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    for (uint32_t i = 0; i < submit.waitSemaphoreCount; ++i)
        out.waits.push_back(
            valueOf(device, submit.pWaitSemaphores[i],
                    timeline && i < timeline->waitSemaphoreValueCount ? timeline->pWaitSemaphoreValues[i] : 0));
    for (uint32_t i = 0; i < submit.signalSemaphoreCount; ++i)
        out.signals.push_back(
            valueOf(device, submit.pSignalSemaphores[i],
                    timeline && i < timeline->signalSemaphoreValueCount ? timeline->pSignalSemaphoreValues[i] : 0));
    return out;
}

Semaphores semaphoresOf(const Device& device, const VkSubmitInfo2& submit)
{
    Semaphores out;
    for (uint32_t i = 0; i < submit.waitSemaphoreInfoCount; ++i)
        out.waits.push_back(
            valueOf(device, submit.pWaitSemaphoreInfos[i].semaphore, submit.pWaitSemaphoreInfos[i].value));
    for (uint32_t i = 0; i < submit.signalSemaphoreInfoCount; ++i)
        out.signals.push_back(
            valueOf(device, submit.pSignalSemaphoreInfos[i].semaphore, submit.pSignalSemaphoreInfos[i].value));
    return out;
}

Semaphores semaphoresOf(const Device& device, const VkBindSparseInfo& bind)
{
    Semaphores out;
    const auto* timeline =
        findInChain<VkTimelineSemaphoreSubmitInfo>(bind.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    for (uint32_t i = 0; i < bind.signalSemaphoreCount; ++i)
        out.signals.push_back(
            valueOf(device, bind.pSignalSemaphores[i],
                    timeline && i < timeline->signalSemaphoreValueCount ? timeline->pSignalSemaphoreValues[i] : 0));
    return out;
}

// Before the driver gets it, and without graphs for nothing.
template <typename Info>
void watch(const Queue& queue, uint32_t count, const Info* submits, VkFence fence)
{
    StatusWatch& watch = *queue.device.statusWatch;
    if (!watch.isWatching())
        return;
    for (uint32_t i = 0; i < count; ++i) {
        const Runs runs = runsOf(submits[i]);
        if (runs.empty() && !watch.anyPending())
            continue;
        for (const std::shared_ptr<Watched>& run : runs)
            run->beforeSubmission();
        const Semaphores semaphores = semaphoresOf(queue.device, submits[i]);
        watch.submitBatch(handleId(queue.handle), runs, semaphores.waits, semaphores.signals);
    }
    watch.submitFence(handleId(queue.handle), fence);
}

// Structures that nobody can copy are there until the command returns.
void runNow(Queue& queue, const char* command, const StructureTypes& unknown)
{
    queue.device.tellUnknown(command, unknown,
                             "behind an execution graph that is split, the command waits until all of it is with the "
                             "driver");
    queue.drain();
}

template <typename Info>
std::vector<SemaphoreValue> signalsOf(const Device& device, uint32_t count, const Info* submits)
{
    std::vector<SemaphoreValue> values;
    for (uint32_t i = 0; i < count; ++i)
        for (const SemaphoreValue& signal : semaphoresOf(device, submits[i]).signals)
            values.push_back(signal);
    return values;
}

template <auto Member, typename Info>
VkResult submit(VkQueue handle, uint32_t count, const Info* submits, VkFence fence)
{
    Queue& queue = queueOf(handle);
    if (queue.device.held->lost()) {
        signalOnHost(queue.device, signalsOf(queue.device, count, submits));
        return VK_ERROR_DEVICE_LOST;
    }
    if (queue.device.usesCommands())
        announce(count, submits);
    if (queue.device.hasLateStreams)
        if (const VkResult result = renew(count, submits); result != VK_SUCCESS)
            return result;
    watch(queue, count, submits, fence);
    const bool waits = mustWait(queue, count, submits);
    const bool isSplit = queue.device.held->anySplit() && Submission::hasSplit(count, submits);
    if (!waits && !isSplit) {
        const ExpandedSubmits<Info> expanded(queue.device, count, submits);
        return queue.device.faults->check((queue.device.table.*Member)(handle, count, expanded.get(), fence));
    }
    auto submission = std::make_shared<Submission>(count, submits, fence);
    queue.device.tellLost("vkQueueSubmit", submission->lost());
    const std::vector<VkSemaphore> semaphores = submission->binarySemaphores(queue.device);
    // To wake the thread takes as long as many a graph.
    if (!waits)
        if (const VkResult result = queue.device.faults->check(submission->begin(queue)); result != VK_SUCCESS)
            return result;
    try {
        std::vector<SemaphoreValue> promised = signalsOf(queue.device, count, submits);
        if (submission->opening())
            promised.push_back(*submission->opening());
        queue.enqueue([&queue, submission] { return submission->run(queue); }, semaphores, fence, std::move(promised));
    } catch (...) {
        // What has begun must end.
        if (waits)
            throw;
        return queue.device.faults->check(submission->run(queue));
    }
    if (!submission->unknown().empty())
        runNow(queue, "vkQueueSubmit", submission->unknown());
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue handle, uint32_t submitCount, const VkSubmitInfo* pSubmits,
                                           VkFence fence)
{
    const Device& device = Device::of(handle);
    const DriverSubmits1 submits(device, submitCount, pSubmits);
    if (!device.usesStreams())
        return device.table.QueueSubmit(handle, submitCount, submits.get(), fence);
    return submit<&VkuDeviceDispatchTable::QueueSubmit>(handle, submitCount, submits.get(), fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue handle, uint32_t submitCount, const VkSubmitInfo2* pSubmits,
                                            VkFence fence)
{
    const Device& device = Device::of(handle);
    const DriverSubmits2 submits(device, submitCount, pSubmits);
    if (!device.usesStreams())
        return device.table.QueueSubmit2(handle, submitCount, submits.get(), fence);
    return submit<&VkuDeviceDispatchTable::QueueSubmit2>(handle, submitCount, submits.get(), fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue handle, uint32_t bindInfoCount,
                                               const VkBindSparseInfo* pBindInfo, VkFence fence)
{
    Queue& queue = queueOf(handle);
    if (queue.device.held->lost()) {
        signalOnHost(queue.device, signalsOf(queue.device, bindInfoCount, pBindInfo));
        return VK_ERROR_DEVICE_LOST;
    }
    std::vector<VkSemaphore> semaphores;
    for (uint32_t i = 0; i < bindInfoCount; ++i) {
        const VkBindSparseInfo& info = pBindInfo[i];
        semaphores.insert(semaphores.end(), info.pWaitSemaphores, info.pWaitSemaphores + info.waitSemaphoreCount);
        semaphores.insert(semaphores.end(), info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount);
    }
    std::erase_if(semaphores, [&](VkSemaphore s) { return queue.device.timelines.find(handleId(s)) != nullptr; });
    if (!queue.busy() && !(queue.device.held->any() && queue.device.held->usesAny(semaphores)))
        return queue.device.faults->check(queue.device.table.QueueBindSparse(handle, bindInfoCount, pBindInfo, fence));
    StructureTypes unknown;
    for (uint32_t i = 0; i < bindInfoCount; ++i)
        for (VkStructureType type : unknownStructures(pBindInfo[i].pNext))
            unknown.push_back(type);
    if (!unknown.empty()) {
        queue.enqueue(
            [=, &queue] {
                return queue.use(
                    [&] { return queue.device.table.QueueBindSparse(queue.handle, bindInfoCount, pBindInfo, fence); });
            },
            semaphores, fence, signalsOf(queue.device, bindInfoCount, pBindInfo));
        runNow(queue, "vkQueueBindSparse", unknown);
        return VK_SUCCESS;
    }
    struct Copies {
        std::vector<vku::safe_VkBindSparseInfo> infos;
        std::vector<UntypedData> data;
    };
    auto copies = std::make_shared<Copies>();
    for (uint32_t i = 0; i < bindInfoCount; ++i)
        copies->data.push_back(copyUntypedData(copies->infos.emplace_back(&pBindInfo[i]).pNext));
    queue.enqueue(
        [&queue, copies, fence] {
            std::vector<VkBindSparseInfo> infos;
            for (vku::safe_VkBindSparseInfo& copy : copies->infos)
                infos.push_back(*copy.ptr());
            return queue.use([&] {
                return queue.device.table.QueueBindSparse(queue.handle, static_cast<uint32_t>(infos.size()),
                                                          infos.data(), fence);
            });
        },
        semaphores, fence, signalsOf(queue.device, bindInfoCount, pBindInfo));
    return VK_SUCCESS;
}

// The result must be told now, and the swapchain is the application's again when this returns. All that signals the
// semaphores has been submitted by the application, and what that depends on (VUID-vkQueuePresentKHR-pWaitSemaphores-
// 03268), so it is with the driver soon; other held work may wait for what the application does next.
VKAPI_ATTR VkResult VKAPI_CALL QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR* pPresentInfo)
{
    Queue& queue = queueOf(handle);
    if (queue.device.held->any() && !isOwnThread())
        queue.device.held->waitSemaphores({pPresentInfo->pWaitSemaphores, pPresentInfo->waitSemaphoreCount});
    queue.device.drainRecorders();
    return queue.device.faults->check(
        queue.use([&] { return queue.device.table.QueuePresentKHR(handle, pPresentInfo); }));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue handle)
{
    Queue& queue = queueOf(handle);
    queue.drain();
    const VkResult result = queue.device.held->lost()
                                ? VK_ERROR_DEVICE_LOST
                                : queue.device.faults->check(queue.device.table.QueueWaitIdle(handle));
    if (result == VK_SUCCESS)
        queue.device.statusWatch->queueIsIdle(handleId(handle));
    else if (result == VK_ERROR_DEVICE_LOST)
        queue.device.statusWatch->deviceIsIdle();
    queue.device.drainRecorders();
    return result;
}

// Rare commands that use the queue itself. What is submitted before them must be with the driver by then.
template <auto Member>
struct Drained;
template <typename Return, typename... Args, Return (VKAPI_PTR* VkuDeviceDispatchTable::*Member)(VkQueue, Args...)>
struct Drained<Member> {
    static VKAPI_ATTR Return VKAPI_CALL call(VkQueue handle, Args... args)
    {
        Queue& queue = queueOf(handle);
        queue.drain();
        return (queue.device.table.*Member)(handle, args...);
    }
};

// Others may be in front of it as well, and held work may wait for what the application does next.
template <auto Member>
struct Shared;
template <typename Return, typename... Args, Return (VKAPI_PTR* VkuDeviceDispatchTable::*Member)(VkQueue, Args...)>
struct Shared<Member> {
    static VKAPI_ATTR Return VKAPI_CALL call(VkQueue handle, Args... args)
    {
        Queue& queue = queueOf(handle);
        return queue.use([&] { return (queue.device.table.*Member)(handle, args...); });
    }
};

#define DRAINED(name)                                                                                \
    {                                                                                                \
        "vkQueue" #name, guarded<&Drained<&VkuDeviceDispatchTable::Queue##name>::call>(), kUseSplits \
    }

}  // namespace

EntryPoints queueEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetDeviceQueue, kUseStreams),
        MILLRACE_ENTRY(GetDeviceQueue2, kUseStreams),
        MILLRACE_ENTRY(QueueSubmit, kUseState),
        MILLRACE_ENTRY(QueueSubmit2, kUseState),
        {"vkQueueSubmit2KHR", guarded<&QueueSubmit2>(), kUseState},
        MILLRACE_ENTRY(QueueBindSparse, kUseSplits),
        MILLRACE_ENTRY(QueuePresentKHR, kUseSplits),
        MILLRACE_ENTRY(QueueWaitIdle, kUseWatch),
        DRAINED(SetPerformanceConfigurationINTEL),
        {"vkQueueNotifyOutOfBandNV", guarded<&Shared<&VkuDeviceDispatchTable::QueueNotifyOutOfBandNV>::call>(),
         kUseSplits},
        {"vkGetQueueCheckpointDataNV", guarded<&Shared<&VkuDeviceDispatchTable::GetQueueCheckpointDataNV>::call>(),
         kUseSplits},
        {"vkGetQueueCheckpointData2NV", guarded<&Shared<&VkuDeviceDispatchTable::GetQueueCheckpointData2NV>::call>(),
         kUseSplits},
    };
    return entries;
}

}  // namespace millrace::layer
