// SPDX-License-Identifier: Apache-2.0
#include "runtime/breadcrumbs.h"

#include <algorithm>
#include <cstring>

#include "graph/saturating.h"
#include "runtime/step_text.h"

namespace millrace::runtime {

namespace {

constexpr uint32_t kBegun = 0;
constexpr uint32_t kEnded = 1;
constexpr uint32_t kBases = 2;
constexpr size_t kMaxListed = 8;  // nodes of one step whose counts a message gives

static_assert(sizeof(abi::GraphStatus) == abi::kGraphStatusBytes);

// The device may be writing it.
uint32_t readWord(const uint32_t* word)
{
    return *static_cast<const volatile uint32_t*>(word);
}

// Everything before is done before a mark is set, and the mark is set before anything behind begins.
void markBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer)
{
    constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                            VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    device.table->CmdPipelineBarrier(commandBuffer, kStages, kStages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                                     nullptr, 0, nullptr);
}

std::string countText(uint64_t finished, uint64_t most)
{
    const std::string limit = most == UINT64_MAX ? "" : " of at most " + std::to_string(most);
    return std::to_string(finished) + limit + (finished == 1 && limit.empty() ? " workgroup" : " workgroups") +
           " had finished";
}

}  // namespace

VkResult Breadcrumbs::create(Device::Impl& device, const ObservedDispatch& dispatch, const BufferPart& status,
                             std::shared_ptr<Breadcrumbs>& out)
{
    std::shared_ptr<Breadcrumbs> created(new Breadcrumbs(device, dispatch, status));
    const size_t bytes = (kBases + created->slotCount()) * sizeof(uint32_t);
    const VkResult result = device.memory.createBuffer(BufferUse::Breadcrumbs, bytes, created->m_trail);
    if (result != VK_SUCCESS)
        return result;
    std::memset(created->m_trail.data(), 0, bytes);
    device.names.set(VK_OBJECT_TYPE_BUFFER, created->m_trail.handle(), {dispatch.name, ", breadcrumbs"});
    out = std::move(created);
    return VK_SUCCESS;
}

Breadcrumbs::Breadcrumbs(const Device::Impl& device, const ObservedDispatch& dispatch, const BufferPart& status)
    : m_device(device), m_dispatch(dispatch), m_status(status), m_maxGroups(slotCount())
{
    const graph::Graph& graph = dispatch.pipeline.graph;
    for (size_t i = 0; i < dispatch.plan.slots.size(); ++i) {
        const uint32_t slot = dispatch.plan.slots[i];
        // A workgroup of ours runs several of a packed node, one for each record.
        const graph::Node& node = graph.nodes[graph.slots[slot].node];
        m_maxGroups[slot] = node.decided.packWidth > 0
                                ? graph::saturatingMultiply(dispatch.plan.inputs[slot].records, node.decided.parts)
                                : dispatch.plan.maxGroups[i];
    }
}

const uint32_t* Breadcrumbs::counts() const
{
    return reinterpret_cast<const uint32_t*>(m_status.data() + abi::kGraphStatusBytes);
}

uint32_t Breadcrumbs::finished(uint32_t slot) const
{
    return readWord(counts() + slot) - readWord(trail() + kBases + slot);
}

void Breadcrumbs::mark(VkCommandBuffer commandBuffer, uint32_t word, const Step& step) const
{
    m_device.table->CmdFillBuffer(commandBuffer, m_trail.handle(), word * sizeof(uint32_t), sizeof(uint32_t),
                                  step.number + 1);
}

void Breadcrumbs::beginStep(VkCommandBuffer commandBuffer, const Step& step)
{
    if (step.number == m_steps.size())
        m_steps.push_back({stepText(m_dispatch, step), {step.slots.begin(), step.slots.end()}});
    markBarrier(m_device, commandBuffer);
    mark(commandBuffer, kBegun, step);
    if (step.kind == Step::Kind::Begin && slotCount() > 0) {
        // The counts only grow, so that every change can be seen; what they were before is subtracted.
        const VkDeviceSize bytes = slotCount() * sizeof(uint32_t);
        const VkBufferCopy copy{m_status.offset() + abi::kGraphStatusBytes, kBases * sizeof(uint32_t), bytes};
        m_device.table->CmdCopyBuffer(commandBuffer, m_status.buffer(), m_trail.handle(), 1, &copy);
    }
    markBarrier(m_device, commandBuffer);
}

void Breadcrumbs::endStep(VkCommandBuffer commandBuffer, const Step& step)
{
    markBarrier(m_device, commandBuffer);
    mark(commandBuffer, kEnded, step);
}

std::string Breadcrumbs::finishedText(const KnownStep& step) const
{
    if (step.slots.empty())
        return ", was not finished";
    const graph::Graph& graph = m_dispatch.pipeline.graph;
    uint64_t total = 0;
    uint64_t most = 0;
    std::string list;
    for (size_t i = 0; i < step.slots.size(); ++i) {
        const uint32_t slot = step.slots[i];
        const uint32_t count = finished(slot);
        total += count;
        most = m_maxGroups[slot] > UINT64_MAX - most ? UINT64_MAX : most + m_maxGroups[slot];
        const graph::NodeId& id = graph.nodes[graph.slots[slot].node].declared.id;
        if (i < kMaxListed)
            list += (i > 0 ? ", " : "") + id.name + "[" + std::to_string(id.index) + "] " + std::to_string(count);
        else if (i == kMaxListed)
            list += ", ...";
    }
    return "; " + countText(total, most) + (step.slots.size() > 1 ? " (" + list + ")" : "");
}

Progress Breadcrumbs::progress() const
{
    Progress progress;
    const uint32_t begun = readWord(trail() + kBegun);
    const uint32_t ended = readWord(trail() + kEnded);
    // The bases tell executions of the same commands apart, the sweeps those of the same step in one of them.
    progress.mark = (uint64_t{begun} << 32 | ended) * 0x9e3779b97f4a7c15u;
    progress.mark += readWord(reinterpret_cast<const uint32_t*>(m_status.data() + offsetof(abi::GraphStatus, sweeps)));
    for (size_t slot = 0; slot < slotCount(); ++slot)
        progress.mark += readWord(trail() + kBases + slot);
    if (begun == 0)
        return progress;
    const KnownStep& step = m_steps[std::min<size_t>(begun, m_steps.size()) - 1];
    progress.where = begun == ended ? Progress::Where::Behind : Progress::Where::Inside;
    progress.text = step.text + finishedText(step);
    return progress;
}

}  // namespace millrace::runtime
