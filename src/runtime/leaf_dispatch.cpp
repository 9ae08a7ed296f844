// SPDX-License-Identifier: Apache-2.0
#include "runtime/leaf_dispatch.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "graph/plan.h"
#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

constexpr uint64_t kMostUnits = uint64_t{1} << 30;  // of twice as many numbers fit in 32 bits
constexpr uint32_t kMostGroups = 65535;             // of a dimension, that every device has

class Leaves {
public:
    Leaves(const graph::Graph& graph, const HostInputs& inputs, uint64_t scratchBytes, const FullGroups& fullGroups)
        : m_graph(graph),
          m_inputs(inputs),
          m_scratchBytes(scratchBytes),
          m_fullGroups(fullGroups),
          m_scratchEnd(graph::fixedBytes(graph))
    {
    }

    // All infos of one node. False if the scheduler has to do it.
    bool add(std::span<const size_t> infos);
    LeafDispatch take() { return std::move(m_out); }

private:
    // `count` payloads from `payloads` on.
    bool addSlot(uint32_t index, std::span<const size_t> infos, uint64_t payloads, uint64_t count);
    bool addGrids(uint32_t index, const HostInfo& info, uint64_t& payloads);
    // `count` payloads with the same grid.
    bool launchGrids(uint32_t slot, uint64_t payloads, const Grid& grid, uint64_t count);
    bool launchNumbered(uint32_t slot, uint64_t payloads, uint64_t units, uint32_t grid = 0);
    bool takeMemory(const graph::Node& node, uint64_t groups, LeafDispatch::Launch& out);
    uint32_t rowsAtOnce(uint32_t slot, const Grid& grid, uint64_t groupsOfRow) const;
    uint64_t turns(const graph::Node& node, uint64_t groups) const;
    LeafDispatch::Launch& launch(uint32_t slot, uint64_t payloads);
    const graph::Node& nodeOf(uint32_t slot) const { return m_graph.nodes[m_graph.slots[slot].node]; }

    const graph::Graph& m_graph;
    const HostInputs& m_inputs;
    const uint64_t m_scratchBytes;
    const FullGroups& m_fullGroups;
    uint64_t m_scratchEnd;  // of what is taken
    LeafDispatch m_out;
};

bool Leaves::add(std::span<const size_t> infos)
{
    uint64_t payloads = 0;
    for (const size_t info : infos)
        payloads += m_inputs.infos[info].payloadCount;
    const uint32_t node = m_inputs.infos[infos.front()].node;
    if (!m_graph.areLeaves(node) || payloads > abi::kMaxApiPayloads)
        return false;
    if (payloads == 0)
        return true;
    const graph::Queue& queue = m_graph.queues[m_graph.apiQueues[node]];
    const uint64_t at = m_out.payloads.add(m_inputs, infos.front(), queue.stride);
    for (const size_t info : infos.subspan(1))
        m_out.payloads.append(m_inputs, info, queue.stride);
    return std::ranges::all_of(queue.slots, [&](uint32_t slot) { return addSlot(slot, infos, at, payloads); });
}

bool Leaves::addSlot(uint32_t index, std::span<const size_t> infos, uint64_t payloads, uint64_t count)
{
    const graph::Node& node = nodeOf(index);
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            return launchGrids(index, payloads,
                               {node.declared.staticGrid[0], node.declared.staticGrid[1], node.declared.staticGrid[2]},
                               count);
        case graph::LaunchMode::Coalescing:
            return launchNumbered(index, payloads, count * node.decided.parts);
        case graph::LaunchMode::Dynamic:
            break;
    }
    return std::ranges::all_of(infos, [&](size_t info) { return addGrids(index, m_inputs.infos[info], payloads); });
}

// `payloads`: where the next one is.
bool Leaves::addGrids(uint32_t index, const HostInfo& info, uint64_t& payloads)
{
    const graph::Slot& slot = m_graph.slots[index];
    const abi::StreamInfo stream = graph::streamInfo(m_graph, m_graph.streams[slot.stream]);
    const std::byte* payload = info.payloads;
    for (uint32_t i = 0; i < info.payloadCount; ++i) {
        const std::optional<Grid> grid = readGrid(stream, payload);
        if (!grid || !launchGrids(index, payloads, *grid, 1))
            return false;
        payload += info.stride;
        payloads += m_graph.queues[slot.queue].stride;
    }
    return true;
}

bool Leaves::launchGrids(uint32_t slot, uint64_t payloads, const Grid& grid, uint64_t count)
{
    if (m_out.launches.size() == kMostLeafLaunches)
        return false;
    if (grid.groups() == 0)
        return true;
    const uint32_t width = graph::unitsPerGroup(nodeOf(slot));
    const auto groupsX = static_cast<uint32_t>(graph::divideUp(grid.x, width));
    // Numbers cost divisions, but nobody is behind the end of a row.
    const bool areRowsFull = groupsX * width - grid.x <= grid.x / 8;
    const uint64_t depth = grid.z * count;
    if (!areRowsFull || depth > kMostGroups || nodeOf(slot).decided.groupMemoryBytes > 0)
        return launchNumbered(slot, payloads, grid.groups() * count, grid.x | grid.y << 16);
    LeafDispatch::Launch& out = launch(slot, payloads);
    out.groups[0] = groupsX;
    out.groups[1] = rowsAtOnce(slot, grid, groupsX * depth);
    out.groups[2] = static_cast<uint32_t>(depth);
    out.arguments.grid = grid.x | grid.y << 16;
    return true;
}

// So many that the device is full several times, and workgroups of ours do the rest one row after the other.
uint32_t Leaves::rowsAtOnce(uint32_t slot, const Grid& grid, uint64_t groupsOfRow) const
{
    return static_cast<uint32_t>(graph::divideUp(grid.y, turns(nodeOf(slot), groupsOfRow * grid.y)));
}

// That a workgroup of ours takes.
uint64_t Leaves::turns(const graph::Node& node, uint64_t groups) const
{
    constexpr uint64_t kTimes = 8;
    const uint64_t wanted = kTimes * m_fullGroups(graph::invocationsPerGroup(node));
    return std::clamp<uint64_t>(groups / wanted, 1, node.decided.leafRows);
}

bool Leaves::launchNumbered(uint32_t slot, uint64_t payloads, uint64_t units, uint32_t grid)
{
    if (units > kMostUnits || m_out.launches.size() == kMostLeafLaunches)
        return false;
    const graph::Node& node = nodeOf(slot);
    const uint64_t all = graph::divideUp(units, graph::unitsPerGroup(node));
    const uint64_t groups = node.decided.parts > 1 ? graph::divideUp(all, turns(node, all)) : all;
    const uint64_t rows = graph::divideUp(groups, kMostGroups);
    LeafDispatch::Launch& out = launch(slot, payloads);
    out.groups[0] = static_cast<uint32_t>(graph::divideUp(groups, rows));
    out.groups[1] = static_cast<uint32_t>(rows);
    out.arguments.units = static_cast<uint32_t>(units);
    out.arguments.grid = grid;
    return node.decided.groupMemoryBytes == 0 || takeMemory(node, groups, out);
}

// For no more workgroups than run at once, each of which goes on with the next units.
bool Leaves::takeMemory(const graph::Node& node, uint64_t groups, LeafDispatch::Launch& out)
{
    const uint64_t full = std::min(m_fullGroups(graph::invocationsPerGroup(node)), kMostGroups);
    out.groups[0] = static_cast<uint32_t>(std::min(groups, full));
    out.groups[1] = 1;
    out.arguments.memory = m_scratchEnd;
    m_scratchEnd += uint64_t{out.groups[0]} * node.decided.groupMemoryBytes;
    m_out.usesScratch = true;
    return m_scratchEnd <= m_scratchBytes;
}

LeafDispatch::Launch& Leaves::launch(uint32_t index, uint64_t payloads)
{
    const graph::Slot& slot = m_graph.slots[index];
    LeafDispatch::Launch& out = m_out.launches.emplace_back();
    out.slot = index;
    out.arguments.payloads = payloads;
    out.arguments.stride = m_graph.queues[slot.queue].stride;
    out.arguments.remainingAndIndex = slot.remaining | nodeOf(index).declared.id.index << 16;
    return out;
}

}  // namespace

std::optional<LeafDispatch> prepareLeaves(const graph::Graph& graph, const HostInputs& inputs, uint64_t scratchBytes,
                                          const FullGroups& fullGroups)
{
    Leaves leaves(graph, inputs, scratchBytes, fullGroups);
    const auto nodeOf = [&](size_t info) { return inputs.infos[info].node; };
    std::vector<size_t> infos(inputs.infos.size());
    std::iota(infos.begin(), infos.end(), size_t{0});
    std::ranges::stable_sort(infos, {}, nodeOf);
    for (auto first = infos.begin(); first != infos.end();) {
        const auto end = std::find_if(first, infos.end(), [&](size_t info) { return nodeOf(info) != nodeOf(*first); });
        if (!leaves.add({first, end}))
            return std::nullopt;
        first = end;
    }
    return leaves.take();
}

}  // namespace millrace::runtime
