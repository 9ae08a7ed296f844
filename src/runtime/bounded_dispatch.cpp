// SPDX-License-Identifier: Apache-2.0
// Dispatches whose inputs only the device knows, with a plan that fits inputs up to a bound. The begin shader counts
// the payloads, and the feed shader their workgroups. If they are within the bound, one sweep without reservations is
// the whole dispatch. Otherwise nothing happens in it, and the main plan begins, whose sweeps are continued.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/barriers.h"
#include "runtime/host_memory.h"
#include "runtime/recorder.h"

namespace millrace::runtime {

namespace {

// A payload of the API may bring a grid with it.
bool hasDynamicInputs(const graph::Graph& graph)
{
    return std::ranges::any_of(graph.apiQueues, [&](uint32_t queue) {
        return queue != abi::kNoQueue && std::ranges::any_of(graph.queues[queue].streams, [&](uint32_t stream) {
                   return graph.streams[stream].kind == abi::kStreamDynamic;
               });
    });
}

}  // namespace

// What is counted without 64-bit atomics is known behind number.comp only.
bool Recorder::mayBeBounded(const DispatchRequest& request) const
{
    return request.form != DispatchRequest::Form::Host && request.isContinued && mayHideSteps(request) &&
           !m_main.plan.fits && m_device.choice.traits.atomicBits >= 64;
}

VkResult Recorder::prepareBounded(const DispatchRequest& request)
{
    std::optional<graph::BoundedPlan> bounded = m_pipeline.boundedPlans->find(m_pipeline.graph, request.scratchBytes);
    if (!bounded)
        return VK_SUCCESS;
    m_bounded = std::make_unique<Schedule>();
    m_bounded->plan = std::move(bounded->plan);
    VkResult result = getPipelines(*m_bounded);
    describeSlots(*m_bounded);
    m_bounded->begin = m_main.begin;
    m_bounded->feed = m_main.feed;
    if (result == VK_SUCCESS)
        result = uploadBounded();
    if (result == VK_SUCCESS)
        result = createDecision(request);
    abi::BeginArguments& begin = m_bounded->begin;
    begin.when = abi::kBeginsCounting;
    begin.payloadBound = bounded->bound.payloads;
    begin.feedGroups = m_feedGroups;
    begin.groupBound = hasDynamicInputs(m_pipeline.graph) ? bounded->bound.groups : 0;
    const bool isCountKnown = request.form == DispatchRequest::Form::Indirect;
    begin.inputs = isCountKnown ? m_main.feed.infos : m_main.feed.countInfo;
    begin.inputCount = isCountKnown ? m_main.feed.count : abi::kCountOnDevice;
    begin.inputStride = m_main.feed.stride;
    m_bounded->feed.flags = abi::kFlagFits | abi::kFlagBounded;
    m_bounded->feed.groupBound = bounded->bound.groups;
    m_main.begin.when = abi::kBeginsAgain;
    return result;
}

Recorder::~Recorder()
{
    if (m_decided)
        m_device.table->DestroyEvent(m_device.device, m_decided, hostMemory());
}

// The host resets it before each execution, so it has to be told of those. Without it the host knows of the decision
// when the sweep is complete.
VkResult Recorder::createDecision(const DispatchRequest& request)
{
    if (!request.announced || !m_device.settings.events)
        return VK_SUCCESS;
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    return m_device.table->CreateEvent(m_device.device, &info, hostMemory(), &m_decided);
}

// Feed and levels need not be waited for.
void Recorder::recordDecision() const
{
    hostBarrier(m_device, m_target);
    m_device.table->CmdSetEvent(m_target, m_decided, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
}

VkResult Recorder::uploadBounded()
{
    const Schedule& schedule = *m_bounded;
    const std::array<std::span<const std::byte>, 3> parts = {std::as_bytes(std::span(schedule.plan.levels)),
                                                             std::as_bytes(std::span(schedule.plan.streams)),
                                                             std::as_bytes(std::span(schedule.slotPlans))};
    std::array<size_t, 3> places{};
    size_t bytes = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        places[i] = bytes;
        bytes += (parts[i].size() + 15) & ~size_t{15};
    }
    const VkResult result = take(BufferUse::Upload, std::max<size_t>(bytes, 16), m_boundedUpload);
    if (result != VK_SUCCESS)
        return result;
    for (size_t i = 0; i < parts.size(); ++i)
        std::ranges::copy(parts[i], m_boundedUpload.data() + places[i]);
    const VkDeviceAddress address = m_boundedUpload.address();
    m_bounded->begin.levelPlans = address + places[0];
    m_bounded->begin.streamPlans = address + places[1];
    m_bounded->begin.slotPlans = address + places[2];
    return VK_SUCCESS;
}

}  // namespace millrace::runtime
