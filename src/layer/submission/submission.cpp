// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/submission.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "layer/recording/command_buffer.h"
#include "layer/submission/queue.h"
#include "runtime/runtime.h"

namespace millrace::layer {

namespace {

// Sweeps in a row that change nothing before a graph is given up. docs/design.md proves that each makes progress, so
// this is about defects of ours: an application would hang instead of getting a message.
constexpr uint32_t kMaxIdleSweeps = 8;

// Waiting for the device and starting it again costs about as much as a small sweep, so the number of sweeps between
// two looks at what is left doubles while waits are shorter (traits first_sweeps, sweeps_per_wait); sweeps that turn
// out to be too many find nothing to do.
constexpr std::chrono::milliseconds kShortWait{2};

VkSemaphoreSubmitInfo semaphoreInfo(VkSemaphore semaphore, uint64_t value, uint32_t deviceIndex,
                                    VkPipelineStageFlags2 stages)
{
    VkSemaphoreSubmitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    info.semaphore = semaphore;
    info.value = value;
    info.stageMask = stages;
    info.deviceIndex = deviceIndex;
    return info;
}

template <typename Value>
Value valueAt(const Value* values, uint32_t count, uint32_t index)
{
    return values && index < count ? values[index] : Value{};
}

bool isSplit(VkCommandBuffer handle)
{
    return CommandBuffer::of(handle).isSplit();
}

VkResult openGate(Queue& queue)
{
    return queue.gate().isClosed() ? queue.gate().open() : VK_SUCCESS;
}

void addUnknown(const void* chain, StructureTypes& types)
{
    const StructureTypes more = unknownStructures(chain);
    types.insert(types.end(), more.begin(), more.end());
}

template <typename Info>
void addUnknown(std::span<const Info> infos, StructureTypes& types)
{
    for (const Info& info : infos)
        addUnknown(info.pNext, types);
}

// Of VkSubmitInfo, what VkSubmitInfo2 has as members.
template <typename Chain>
const void* withoutMembers(Chain& chain)
{
    for (VkStructureType type : {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                 VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO})
        chain.remove(type);
    return chain.get();
}

}  // namespace

Submission::Submission(uint32_t count, const VkSubmitInfo* submits, VkFence fence) : m_fence(fence)
{
    for (uint32_t i = 0; i < count; ++i)
        addUnknown(submits[i].pNext, m_unknown);
    for (uint32_t i = 0; i < count; ++i)
        m_batches.push_back(copy(submits[i]));
}

Submission::Submission(uint32_t count, const VkSubmitInfo2* submits, VkFence fence) : m_fence(fence)
{
    for (uint32_t i = 0; i < count; ++i) {
        addUnknown(submits[i].pNext, m_unknown);
        addUnknown(std::span(submits[i].pWaitSemaphoreInfos, submits[i].waitSemaphoreInfoCount), m_unknown);
        addUnknown(std::span(submits[i].pCommandBufferInfos, submits[i].commandBufferInfoCount), m_unknown);
        addUnknown(std::span(submits[i].pSignalSemaphoreInfos, submits[i].signalSemaphoreInfoCount), m_unknown);
    }
    for (uint32_t i = 0; i < count; ++i)
        m_batches.push_back(copy(submits[i]));
}

bool Submission::hasSplit(uint32_t count, const VkSubmitInfo* submits)
{
    return std::any_of(submits, submits + count, [](const VkSubmitInfo& submit) {
        return std::any_of(submit.pCommandBuffers, submit.pCommandBuffers + submit.commandBufferCount, isSplit);
    });
}

bool Submission::hasSplit(uint32_t count, const VkSubmitInfo2* submits)
{
    return std::any_of(submits, submits + count, [](const VkSubmitInfo2& submit) {
        return std::any_of(submit.pCommandBufferInfos, submit.pCommandBufferInfos + submit.commandBufferInfoCount,
                           [](const VkCommandBufferSubmitInfo& info) { return isSplit(info.commandBuffer); });
    });
}

std::vector<VkSemaphore> Submission::binarySemaphores(const Device& device) const
{
    std::vector<VkSemaphore> semaphores;
    for (const Batch& batch : m_batches)
        for (const auto* list : {&batch.waits, &batch.signals})
            for (const VkSemaphoreSubmitInfo& info : *list)
                if (!device.timelines.find(handleId(info.semaphore)))
                    semaphores.push_back(info.semaphore);
    return semaphores;
}

Submission::Batch Submission::copy(const VkSubmitInfo& submit)
{
    const auto* timeline =
        findInChain<VkTimelineSemaphoreSubmitInfo>(submit.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const auto* group = findInChain<VkDeviceGroupSubmitInfo>(submit.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    const auto* protectedInfo =
        findInChain<VkProtectedSubmitInfo>(submit.pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    const VkTimelineSemaphoreSubmitInfo values = timeline ? *timeline : VkTimelineSemaphoreSubmitInfo{};
    const VkDeviceGroupSubmitInfo devices = group ? *group : VkDeviceGroupSubmitInfo{};
    Batch batch;
    for (uint32_t i = 0; i < submit.waitSemaphoreCount; ++i)
        batch.waits.push_back(semaphoreInfo(
            submit.pWaitSemaphores[i], valueAt(values.pWaitSemaphoreValues, values.waitSemaphoreValueCount, i),
            valueAt(devices.pWaitSemaphoreDeviceIndices, devices.waitSemaphoreCount, i), submit.pWaitDstStageMask[i]));
    for (uint32_t i = 0; i < submit.commandBufferCount; ++i) {
        VkCommandBufferSubmitInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
        info.commandBuffer = submit.pCommandBuffers[i];
        info.deviceMask = valueAt(devices.pCommandBufferDeviceMasks, devices.commandBufferCount, i);
        batch.commandBuffers.push_back(info);
    }
    for (uint32_t i = 0; i < submit.signalSemaphoreCount; ++i)
        batch.signals.push_back(semaphoreInfo(
            submit.pSignalSemaphores[i], valueAt(values.pSignalSemaphoreValues, values.signalSemaphoreValueCount, i),
            valueAt(devices.pSignalSemaphoreDeviceIndices, devices.signalSemaphoreCount, i),
            VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
    batch.flags = protectedInfo && protectedInfo->protectedSubmit ? VK_SUBMIT_PROTECTED_BIT : 0;
    if (m_unknown.empty()) {
        batch.chain = withoutMembers(m_copies.emplace_back(submit.pNext));
    } else {
        batch.chain = withoutMembers(m_chains.emplace_back(submit.pNext));
        m_lost.insert(m_lost.end(), m_chains.back().lost().begin(), m_chains.back().lost().end());
    }
    return batch;
}

Submission::Batch Submission::copy(const VkSubmitInfo2& submit)
{
    Batch batch;
    batch.waits.assign(submit.pWaitSemaphoreInfos, submit.pWaitSemaphoreInfos + submit.waitSemaphoreInfoCount);
    batch.commandBuffers.assign(submit.pCommandBufferInfos, submit.pCommandBufferInfos + submit.commandBufferInfoCount);
    batch.signals.assign(submit.pSignalSemaphoreInfos, submit.pSignalSemaphoreInfos + submit.signalSemaphoreInfoCount);
    batch.flags = submit.flags;
    batch.chain = submit.pNext;
    if (!m_unknown.empty())
        return batch;
    batch.chain = m_copies.emplace_back(submit.pNext).get();
    copyChains(batch.waits);
    copyChains(batch.commandBuffers);
    copyChains(batch.signals);
    return batch;
}

template <typename Info>
void Submission::copyChains(std::vector<Info>& infos)
{
    for (Info& info : infos)
        if (info.pNext)
            info.pNext = m_copies.emplace_back(info.pNext).get();
}

VkSubmitInfo2 Submission::Batch::info() const
{
    VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, chain};
    info.flags = flags;
    info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
    info.pWaitSemaphoreInfos = waits.data();
    info.commandBufferInfoCount = static_cast<uint32_t>(commandBuffers.size());
    info.pCommandBufferInfos = commandBuffers.data();
    info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
    info.pSignalSemaphoreInfos = signals.data();
    return info;
}

// What the device finds out of it is not what it has found out of the same before.
void Submission::Part::forgetDecision() const
{
    if (boundary && boundary->continuation)
        boundary->continuation->forgetDecision();
}

std::vector<Submission::Part> Submission::takeParts()
{
    std::vector<Part> parts(1);
    for (Batch& batch : m_batches) {
        Batch piece;
        piece.flags = batch.flags;
        piece.waits = std::move(batch.waits);
        for (const VkCommandBufferSubmitInfo& info : batch.commandBuffers) {
            const CommandBuffer& commandBuffer = CommandBuffer::of(info.commandBuffer);
            const std::vector<VkCommandBuffer> streams = commandBuffer.submittedStreams();
            for (size_t i = 0; i < streams.size(); ++i) {
                piece.commandBuffers.push_back(info);
                piece.commandBuffers.back().commandBuffer = streams[i];
                if (i == commandBuffer.boundaries.size())
                    break;
                if (commandBuffer.boundaries[i].kind() == Boundary::Kind::Follows)
                    continue;
                parts.back().batches.push_back(std::move(piece));
                parts.back().boundary = &commandBuffer.boundaries[i];
                parts.back().deviceMask = info.deviceMask;
                parts.emplace_back();
                piece = Batch{};
                piece.flags = batch.flags;
            }
        }
        piece.signals = std::move(batch.signals);
        piece.chain = batch.chain;
        parts.back().batches.push_back(std::move(piece));
    }
    return parts;
}

// Its end is signaled, if the host waits for it.
VkResult Submission::Part::prepareEnd(Queue& queue)
{
    if (!boundary)
        return VK_SUCCESS;
    const VkResult result = queue.ends().prepare();
    if (result != VK_SUCCESS)
        return result;
    batches.back().signals.push_back(queue.ends().signal());
    end = queue.ends().signal().value;
    return VK_SUCCESS;
}

// It waits until the boundary in front of it has been passed.
VkResult Submission::Part::putBehindGate(Queue& queue)
{
    const VkResult result = queue.gate().close();
    if (result != VK_SUCCESS)
        return result;
    for (Batch& batch : batches)
        batch.waits.push_back(queue.gate().behind());
    return VK_SUCCESS;
}

// Up to a boundary, and what follows it as well, if that can be: in one call, which takes as long as many a graph.
// Nothing, where that is with the driver.
VkResult Submission::submitUpTo(Queue& queue, size_t boundary)
{
    std::vector<VkSubmitInfo2> infos;
    const Continuation* const continuation =
        boundary + 1 < m_parts.size() ? m_parts[boundary].boundary->continuation.get() : nullptr;
    const bool goesAhead = queue.canGoAhead() && continuation && continuation->isSoonComplete();
    const size_t end = std::min(m_parts.size(), boundary + (goesAhead ? 2 : 1));
    for (size_t i = m_submitted; i < end; ++i) {
        Part& part = m_parts[i];
        VkResult result = part.prepareEnd(queue);
        if (result == VK_SUCCESS && i > boundary)
            result = part.putBehindGate(queue);
        if (result != VK_SUCCESS)
            return result;
        if (i <= boundary)
            part.forgetDecision();
        for (const Batch& batch : part.batches)
            infos.push_back(batch.info());
    }
    if (std::exchange(m_submitted, end) == end)
        return VK_SUCCESS;
    return queue.submit(infos, end == m_parts.size() ? m_fence : VK_NULL_HANDLE);
}

VkResult Submission::begin(Queue& queue)
{
    m_parts = takeParts();
    const VkResult result = submitUpTo(queue, 0);
    if (queue.gate().isClosed())
        m_opening = queue.gate().opening();
    if (result != VK_SUCCESS)
        openGate(queue);
    return result;
}

VkResult Submission::run(Queue& queue)
{
    VkResult result = m_parts.empty() ? begin(queue) : VK_SUCCESS;
    for (size_t i = 0; i + 1 < m_parts.size() && result == VK_SUCCESS; ++i) {
        result = passBoundary(queue, i);
        if (result == VK_SUCCESS)
            result = submitUpTo(queue, i + 1);
    }
    // Nothing waits for ever where something failed.
    openGate(queue);
    return result;
}

// The one behind a part that is with the driver.
VkResult Submission::passBoundary(Queue& queue, size_t index)
{
    const Part& part = m_parts[index];
    VkResult result = queue.wait(part.end, part.boundary->continuation.get());
    if (result == VK_SUCCESS)
        result = complete(queue, part);
    if (result == VK_SUCCESS && queue.gate().isClosed())
        m_parts[index + 1].forgetDecision();
    return result == VK_SUCCESS ? openGate(queue) : result;
}

// Sweeps one after the other, step by step each step alone.
VkResult Submission::submitSweeps(Queue& queue, const std::vector<VkCommandBufferSubmitInfo>& steps, size_t sweeps)
{
    std::vector<VkCommandBufferSubmitInfo> list(sweeps, steps.front());
    VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    info.commandBufferInfoCount = static_cast<uint32_t>(list.size());
    info.pCommandBufferInfos = list.data();
    if (steps.size() == 1)
        return queue.submitMore(info);
    info.commandBufferInfoCount = 1;
    for (size_t i = 0; i < sweeps * steps.size(); ++i) {
        info.pCommandBufferInfos = &steps[i % steps.size()];
        if (const VkResult result = queue.submitMore(info); result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VkResult Submission::complete(Queue& queue, const Part& part)
{
    const Boundary& boundary = *part.boundary;
    if (boundary.kind() == Boundary::Kind::Waits)
        return VK_SUCCESS;
    Continuation& continuation = *boundary.continuation;
    std::vector<VkCommandBufferSubmitInfo> steps;
    for (VkCommandBuffer commandBuffer : boundary.more) {
        steps.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO});
        steps.back().commandBuffer = commandBuffer;
        steps.back().deviceMask = part.deviceMask;
    }
    const runtime::Device* const runtime = queue.device.runtime.get();
    const size_t mostSweeps = runtime ? runtime->traits().sweepsPerWait : 1;
    size_t sweeps = runtime ? std::min<size_t>(runtime->traits().firstSweeps, mostSweeps) : 1;
    Continuation::Progress last = continuation.progress();
    uint32_t idleSweeps = 0;
    while (!continuation.isComplete()) {
        const auto start = std::chrono::steady_clock::now();
        sweeps = continuation.prepare(sweeps);
        if (sweeps == 0)
            break;
        // What is decided may still run.
        VkResult result = queue.wait(part.end);
        if (result == VK_SUCCESS)
            result = submitSweeps(queue, steps, sweeps);
        if (result != VK_SUCCESS)
            return result;
        queue.device.drainRecorders();
        const Continuation::Progress now = continuation.progress();
        idleSweeps = last == now ? idleSweeps + static_cast<uint32_t>(sweeps) : 0;
        last = now;
        if (std::chrono::steady_clock::now() - start < kShortWait)
            sweeps = std::min<size_t>(2 * sweeps, mostSweeps);
        if (idleSweeps > kMaxIdleSweeps) {
            continuation.tellStalled();
            break;
        }
    }
    continuation.report();
    return VK_SUCCESS;
}

}  // namespace millrace::layer
