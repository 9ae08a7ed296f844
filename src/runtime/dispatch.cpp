// SPDX-License-Identifier: Apache-2.0
// vkCmdDispatchGraph*AMDX: a sweep over the levels of a graph.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/barriers.h"
#include "runtime/recorder.h"

namespace millrace::runtime {

void Recorder::computeBarrier() const
{
    runtime::computeBarrier(m_device, m_target);
}

// Step by step, what follows goes elsewhere.
void Recorder::endStep(const Step& step)
{
    end(&StepObserver::endStep, step);
    if (!*m_next)
        return;
    end(&StepObserver::leaveCommandBuffer);
    m_target = (*m_next)(m_target);
    begin(&StepObserver::enterCommandBuffer);
}

template <typename Arguments>
void Recorder::recordMeta(Meta meta, const Arguments& arguments, Step step)
{
    step.number = m_nextStep++;
    begin(&StepObserver::beginStep, step);
    m_device.meta.dispatch(m_target, meta, arguments, step.groups);
    endStep(step);
}

void Recorder::recordFirst(VkCommandBuffer commandBuffer, const NextCommandBuffer& next)
{
    m_target = commandBuffer;
    m_next = &next;
    if (!m_meshLists.empty())
        m_meshLists.recordReset(m_device, m_target);
    if (runsLeaves()) {
        recordLeaves();
    } else {
        m_schedule = m_bounded ? m_bounded.get() : &m_main;
        if (m_beginInside == 0)
            recordBegin();
        if (m_decided)
            recordDecision();
        recordSweep();
    }
    m_next = nullptr;
}

void Recorder::recordSweep(VkCommandBuffer commandBuffer, const NextCommandBuffer& next)
{
    m_target = commandBuffer;
    m_next = &next;
    m_schedule = &m_main;
    if (m_bounded)
        recordBegin();  // again, if the inputs are above the bounds
    recordSweep();
    m_next = nullptr;
}

// What the application wrote before is its own to wait for, as with any dispatch. Scratch memory may be in use.
void Recorder::recordLeaves()
{
    if (m_fedLeaves || m_leaves->usesScratch)
        computeBarrier();  // as for recordBegin()
    begin(&StepObserver::beginSweep);
    if (m_fedLeaves)
        recordLeaves(std::span<const FedLeaves::Launch>(m_fedLeaves->launches));
    else
        recordLeaves(std::span<const LeafDispatch::Launch>(m_leaves->launches));
    end(&StepObserver::endSweep);
}

template <typename Launch>
void Recorder::recordLeaves(std::span<const Launch> launches)
{
    const VkuDeviceDispatchTable& table = *m_device.table;
    for (size_t i = 0; i < launches.size(); ++i) {
        const Launch& launch = launches[i];
        const Step step{.kind = Step::Kind::Leaf,
                        .number = static_cast<uint32_t>(i),
                        .level = m_pipeline.graph.slots[launch.slot].level,
                        .slots = {&launch.slot, 1},
                        .groups = launch.groups[0] * launch.groups[1] * launch.groups[2]};
        begin(&StepObserver::beginStep, step);
        if (i == 0 || !m_observers.empty())
            pushConstants();
        table.CmdBindPipeline(m_target, VK_PIPELINE_BIND_POINT_COMPUTE, m_leafPipelines[i]);
        table.CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                               m_pipeline.argumentsOffsetBytes, sizeof launch.arguments, &launch.arguments);
        table.CmdDispatch(m_target, launch.groups[0], launch.groups[1], launch.groups[2]);
        end(&StepObserver::endStep, step);
    }
}

// Of what begin.comp has one invocation for each.
uint64_t Recorder::elementsToBegin() const
{
    const graph::Graph& graph = m_pipeline.graph;
    return std::max<uint64_t>({graph.slots.size(), graph.streams.size(), graph.levels.size(), m_fedGranules});
}

// Whether one workgroup of ours is all of the first level and can do what begin.comp does, in about the same time.
bool Recorder::beginsInside(const PreparedFeed& feed) const
{
    constexpr uint64_t kMostEach = 4;  // elements for an invocation
    const graph::Graph& graph = m_pipeline.graph;
    if (!m_schedule->plan.fits || !m_isFed || m_schedule->plan.slots.empty())
        return false;
    // abi::BeginStore::place has 32 bits.
    for (const PreparedFeed::Part& part : feed.parts)
        if ((uint64_t{part.to} + part.granules) * (abi::kGranuleBytes / sizeof(abi::BeginStore::value)) > UINT32_MAX)
            return false;
    const graph::Slot& first = graph.slots[m_schedule->plan.slots.front()];
    const bool isAlone =
        m_schedule->plan.slots.size() == 1 || graph.slots[m_schedule->plan.slots[1]].level > first.level;
    return isAlone && m_schedule->plan.maxGroups.front() == 1 && graph.code[first.node].begins &&
           elementsToBegin() <= kMostEach * graph::invocationsPerGroup(graph.nodes[first.node]);
}

void Recorder::recordBegin()
{
    // The scratch memory may have been used by the commands before; whoever wrote it did so in compute shaders.
    computeBarrier();
    const uint64_t elements = elementsToBegin();
    const uint32_t width = m_device.meta.width();
    const auto groups =
        static_cast<uint32_t>(std::clamp<uint64_t>((elements + width - 1) / width, 1, m_device.fullGroups(width)));
    recordMeta(Meta::Begin, m_schedule->begin, {.kind = Step::Kind::Begin, .groups = groups});
    computeBarrier();
}

void Recorder::recordSweep()
{
    m_nextStep = 1;
    begin(&StepObserver::beginSweep);
    if (!m_isFed) {
        begin(&StepObserver::beginLevel, 0);
        recordMeta(Meta::Feed, m_schedule->feed, {.kind = Step::Kind::Feed, .groups = m_feedGroups});
        end(&StepObserver::endLevel, 0);
    }
    // The slots come in order of level.
    uint32_t level = 0;
    for (size_t first = 0; first < m_schedule->plan.slots.size();) {
        size_t last = first;
        level = m_pipeline.graph.slots[m_schedule->plan.slots[first]].level;
        while (last < m_schedule->plan.slots.size() &&
               m_pipeline.graph.slots[m_schedule->plan.slots[last]].level == level)
            ++last;
        recordLevel(std::span(m_schedule->plan.slots).subspan(first, last - first));
        first = last;
    }
    if (!m_schedule->plan.fits) {
        computeBarrier();
        abi::TurnArguments turn{};
        turn.graph = m_scratch;
        recordMeta(Meta::Turn, turn, {.kind = Step::Kind::Turn, .level = level, .groups = 1});
        computeBarrier();
    }
    end(&StepObserver::endSweep);
}

void Recorder::recordLevel(std::span<const uint32_t> slots)
{
    const uint32_t level = m_pipeline.graph.slots[slots.front()].level;
    computeBarrier();
    if (m_device.choice.traits.atomicBits < 64)
        recordNumber(level);
    if (m_schedule->uses->tries(level))
        recordFit(level);
    begin(&StepObserver::beginLevel, level);
    if (indirect())
        recordPlan(level);
    pushConstants();
    const std::vector<Batch> batches = batchesOf(slots);
    for (size_t i = 0; i < batches.size(); ++i) {
        if (i > 0 && m_separateSteps)
            computeBarrier();
        recordNodes(batches[i], indirect() ? 0 : directGroups(batches[i], slots.size()));
    }
    end(&StepObserver::endLevel, level);
}

// No step: it belongs to the barrier in front of the level. What the host has fed is numbered.
void Recorder::recordNumber(uint32_t level)
{
    if (m_isFed && level == 1)
        return;
    abi::NumberArguments arguments{};
    arguments.graph = m_scratch;
    arguments.level = level;
    arguments.slotCount = static_cast<uint32_t>(m_pipeline.graph.levels[level].slots.size());
    constexpr uint32_t kWidth = 128;  // invocations of a workgroup of number.comp
    const auto groups = std::min<uint64_t>(arguments.slotCount, m_device.fullGroups(kWidth));
    m_device.meta.dispatch(m_target, Meta::Number, arguments, static_cast<uint32_t>(groups));
    computeBarrier();
}

// Likewise.
void Recorder::recordFit(uint32_t level)
{
    m_device.meta.dispatch(m_target, Meta::Fit, graph::fitArguments(m_pipeline.graph, m_scratch, level), 1);
    computeBarrier();
}

// The application's, where the nodes read them from push constants.
void Recorder::pushConstants() const
{
    if (!m_pushConstants.empty() && !m_pipeline.pushConstantsInMemory)
        m_device.table->CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                         static_cast<uint32_t>(m_pushConstants.size()), m_pushConstants.data());
}

void Recorder::recordPlan(uint32_t level)
{
    abi::PlanArguments plan{};
    plan.graph = m_scratch;
    plan.indirect = m_indirect.address();
    plan.level = level;
    plan.flags = m_schedule->feed.flags;
    plan.slotCount = static_cast<uint32_t>(m_pipeline.graph.slots.size());
    recordMeta(Meta::Plan, plan, {.kind = Step::Kind::Plan, .level = level, .groups = 1});
    indirectBarrier(m_device, m_target);
}

// Nodes of an array mostly share a pipeline. One dispatch costs less than one each: on an H200 0.2 to 0.4 us a node,
// and their workgroups balance each other.
bool Recorder::canJoin(const Batch& batch, uint32_t slot) const
{
    if (!m_schedule->plan.fits || indirect() || m_separateSlots || batch.count == abi::kMaxBatchSlots)
        return false;
    const graph::Graph& graph = m_pipeline.graph;
    const uint32_t node = graph.slots[slot].node;
    if (!m_pipeline.isBatched || !m_pipeline.isBatched(node) || graph.nodes[node].decided.depthFirst > 0)
        return false;
    const uint32_t distance = slot - (batch.first + (batch.count - 1) * batch.step);
    return slot > batch.first && (batch.count == 1 || distance == batch.step) &&
           m_schedule->fitting[graph.slots[slot].node] == m_schedule->fitting[graph.slots[batch.first].node] &&
           m_schedule->maxGroups[slot] < kMaxBatchGroups - batch.groups;
}

std::vector<Recorder::Batch> Recorder::batchesOf(std::span<const uint32_t> slots) const
{
    std::vector<Batch> batches;
    for (uint32_t slot : slots) {
        if (!batches.empty() && canJoin(batches.back(), slot)) {
            Batch& batch = batches.back();
            batch.step = (slot - batch.first) / batch.count;
            batch.groups += m_schedule->maxGroups[slot];
            ++batch.count;
        } else {
            batches.push_back({.first = slot, .groups = std::min(m_schedule->maxGroups[slot], kMaxBatchGroups)});
        }
    }
    return batches;
}

uint32_t Recorder::directGroups(const Batch& batch, size_t nodesOfLevel) const
{
    const graph::Node& node = m_pipeline.graph.nodes[m_pipeline.graph.slots[batch.first].node];
    uint64_t full = m_device.fullGroups(graph::invocationsPerGroup(node), batch.count, nodesOfLevel);
    // What recursion depth first leaves to others is mostly nothing.
    if (node.decided.depthFirst > 0 && m_pipeline.graph.slots[batch.first].remaining < node.declared.maxRecursion)
        full = std::max<uint64_t>(full / 4, 1);
    // Those that payloads do not need end at once.
    return static_cast<uint32_t>(std::clamp<uint64_t>(uint64_t{batch.groups} * node.decided.sharers, 1, full));
}

// `groups`: 0 on the indirect path, where the plan shader has counted them.
void Recorder::recordNodes(const Batch& batch, uint32_t groups)
{
    std::vector<uint32_t> slots;
    if (!m_observers.empty())
        for (uint32_t i = 0; i < batch.count; ++i)
            slots.push_back(batch.first + i * batch.step);
    const Step step{.kind = Step::Kind::Nodes,
                    .number = m_nextStep++,
                    .level = m_pipeline.graph.slots[batch.first].level,
                    .slots = slots,
                    .groups = groups};
    begin(&StepObserver::beginStep, step);
    // In another command buffer, or behind another user of push constants.
    if (*m_next || !m_observers.empty())
        pushConstants();
    dispatchNodes(batch, groups);
    endStep(step);
}

// Either of two does something (SlotInfo::most), so no barrier is needed.
void Recorder::dispatchNodes(const Batch& batch, uint32_t groups) const
{
    const graph::Slot& slot = m_pipeline.graph.slots[batch.first];
    if (m_schedule->uses->mayFit(slot))
        dispatchSlot(batch, groups, m_schedule->fitting[slot.node]);
    if (m_schedule->uses->mayReserve(slot))
        dispatchSlot(batch, groups, m_schedule->reserving[slot.node]);
}

void Recorder::dispatchSlot(const Batch& batch, uint32_t groups, VkPipeline pipeline) const
{
    const VkuDeviceDispatchTable& table = *m_device.table;
    const VkDeviceSize planned = batch.first * sizeof(abi::IndirectArguments);
    abi::NodeArguments arguments{};
    arguments.graph = m_scratch;
    const uint32_t flags = m_schedule->feed.flags | (indirect() ? abi::kFlagIndirect : 0);
    arguments.slotAndFlags = m_places[batch.first].info | flags;
    arguments.streamState = m_places[batch.first].streamState;
    const VkDeviceAddress list = m_meshLists.listOf(m_pipeline.graph.slots[batch.first].node);
    arguments.pushConstants = list != 0 ? list : m_pushConstantAddress;
    const bool begins = m_beginInside != 0 && batch.first == m_schedule->plan.slots.front();
    if (begins)
        arguments.slotAndFlags |= abi::kFlagBegins;
    arguments.work = indirect() ? m_indirect.address() + planned
                     : begins   ? m_beginInside
                                : batch.count | uint64_t{batch.step} * abi::kSlotInfoBytes << 32;
    table.CmdBindPipeline(m_target, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    table.CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, m_pipeline.argumentsOffsetBytes,
                           sizeof arguments, &arguments);
    if (groups == 0)
        table.CmdDispatchIndirect(m_target, m_indirect.buffer(), m_indirect.offset() + planned);
    else
        table.CmdDispatch(m_target, groups, 1, 1);
}

abi::GraphStatus Recorder::status() const
{
    abi::GraphStatus status{};
    if (m_status.data())
        std::memcpy(&status, m_status.data(), sizeof status);
    return status;
}

std::optional<Progress> Recorder::progress() const
{
    return m_breadcrumbs ? std::optional(m_breadcrumbs->progress()) : std::nullopt;
}

VkResult recordDispatch(Device& device, VkCommandBuffer commandBuffer, RecordingMemory& memory,
                        const DispatchRequest& request, std::shared_ptr<RecordedDispatch>& out)
{
    auto recorder = std::make_shared<Recorder>(device, memory, request);
    const VkResult result = recorder->prepare(request);
    if (result != VK_SUCCESS)
        return result;
    recorder->recordFirst(commandBuffer, request.next);
    out = std::move(recorder);
    return VK_SUCCESS;
}

void recordHostBarrier(Device& device, VkCommandBuffer commandBuffer)
{
    hostBarrier(device.impl(), commandBuffer);
}

}  // namespace millrace::runtime
