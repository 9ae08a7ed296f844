// SPDX-License-Identifier: Apache-2.0
#include "runtime/mesh_lists.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/barriers.h"

namespace millrace::runtime {

namespace {

constexpr uint64_t kAlignment = abi::kMeshPayloadAlignment;
constexpr uint64_t kCounterBytes = 128;  // from one to the next, so that workgroups do not wait for each other

uint64_t alignedUp(uint64_t bytes)
{
    return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}

uint64_t strideOf(const graph::NodeDeclaration& node)
{
    return alignedUp(node.payloadBytes);
}

// Of all lists, so that together they have no more than kMeshListBytes. What the host knows comes first.
std::vector<uint64_t> capacities(const graph::Graph& graph, std::span<const MeshListNeed> needs, uint32_t maxDraws)
{
    const auto bytesOf = [&](size_t i) {
        return sizeof(abi::MeshNodeCommand) + strideOf(graph.nodes[needs[i].node].declared);
    };
    std::vector<size_t> order(needs.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(needs[i].payloads, i); });
    std::vector<uint64_t> out(needs.size(), 0);
    uint64_t left = kMeshListBytes;
    for (size_t n = 0; n < order.size(); ++n) {
        const size_t i = order[n];
        const uint64_t share = left / (order.size() - n) / bytesOf(i);
        out[i] = std::min<uint64_t>({needs[i].payloads, std::max<uint64_t>(share, 1), maxDraws});
        left -= std::min(left, out[i] * bytesOf(i));
    }
    return out;
}

}  // namespace

VkResult MeshLists::create(Device::Impl& device, RecordingMemory& memory, const graph::Graph& graph,
                           std::span<const MeshListNeed> needs, uint32_t maxDraws)
{
    if (needs.empty())
        return VK_SUCCESS;
    const std::vector<uint64_t> counts = capacities(graph, needs, maxDraws);
    uint64_t bytes = needs.size() * kCounterBytes;
    std::vector<abi::MeshNodeList> lists(needs.size());
    std::vector<MeshDraw> draws(needs.size());
    for (size_t i = 0; i < needs.size(); ++i) {
        draws[i].node = needs[i].node;
        draws[i].most = static_cast<uint32_t>(counts[i]);
        draws[i].counterOffset = i * kCounterBytes;
        draws[i].commandsOffset = bytes;
        bytes += alignedUp(counts[i] * sizeof(abi::MeshNodeCommand));
        draws[i].payloads = bytes;
        bytes += counts[i] * strideOf(graph.nodes[needs[i].node].declared);
    }
    VkResult result = takeMemory(device, memory, bytes);
    if (result == VK_SUCCESS)
        result = memory.take(device.memory, device.names, BufferUse::Upload, lists.size() * sizeof lists[0], m_lists);
    if (result != VK_SUCCESS)
        return result;
    for (size_t i = 0; i < needs.size(); ++i) {
        draws[i].buffer = m_memory.handle();
        draws[i].memory = m_memory.address();
        draws[i].payloads += m_memory.address();
        lists[i].commands = draws[i].memory + draws[i].commandsOffset;
        lists[i].payloads = draws[i].payloads;
        lists[i].counter = draws[i].memory + draws[i].counterOffset;
        lists[i].report = m_report.address();
        lists[i].capacity = draws[i].most;
    }
    std::memcpy(m_lists.data(), lists.data(), lists.size() * sizeof lists[0]);
    m_draws = std::move(draws);
    m_listNumber.assign(graph.nodes.size(), 0);
    for (uint32_t i = 0; i < m_draws.size(); ++i)
        m_listNumber[m_draws[i].node] = i + 1;
    return VK_SUCCESS;
}

// The lists have a buffer of their own: they are large, and not of what dispatches share.
VkResult MeshLists::takeMemory(Device::Impl& device, RecordingMemory& memory, uint64_t bytes)
{
    VkResult result = device.memory.createBuffer(BufferUse::Draws, bytes, m_memory);
    if (result == VK_SUCCESS)
        result = memory.take(device.memory, device.names, BufferUse::Readback, sizeof(abi::MeshNodeReport), m_report);
    if (result != VK_SUCCESS)
        return result;
    device.names.set(VK_OBJECT_TYPE_BUFFER, m_memory.handle(), {"payloads of mesh nodes"});
    std::memset(m_report.data(), 0, sizeof(abi::MeshNodeReport));
    return VK_SUCCESS;
}

VkDeviceAddress MeshLists::listOf(uint32_t node) const
{
    const uint32_t number = node < m_listNumber.size() ? m_listNumber[node] : 0;
    return number == 0 ? 0 : m_lists.address() + (number - 1) * sizeof(abi::MeshNodeList);
}

abi::MeshNodeReport MeshLists::report() const
{
    abi::MeshNodeReport report{};
    if (!empty())
        std::memcpy(&report, m_report.data(), sizeof report);
    return report;
}

void MeshLists::recordReset(const Device::Impl& device, VkCommandBuffer commandBuffer) const
{
    const VkuDeviceDispatchTable& table = *device.table;
    table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr, 0,
                             nullptr, 0, nullptr);
    table.CmdFillBuffer(commandBuffer, m_memory.handle(), 0, m_draws.size() * kCounterBytes, 0);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                             &barrier, 0, nullptr, 0, nullptr);
}

void MeshLists::recordDrawBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer) const
{
    if (empty())
        return;
    memoryBarrier(device, commandBuffer, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT,
                  VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

}  // namespace millrace::runtime
