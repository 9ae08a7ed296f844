// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline_uses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace millrace::runtime {

namespace {

bool triesToFit(const graph::Graph& graph, const graph::Level& level, const abi::LevelPlan& room)
{
    constexpr uint32_t kFewGroups = 32;  // a level with room for no more hardly ever fits
    bool asks = false;
    for (const uint32_t s : level.slots) {
        const graph::Slot& slot = graph.slots[s];
        if (graph.nodes[slot.node].decided.depthFirst > 0 || room.size / kFewGroups < slot.fitGranulesPerGroup ||
            room.entryQuota / kFewGroups < slot.fitEntriesPerGroup)
            return false;
        asks |= !graph::asksForNothing(graph, slot);
    }
    return asks;
}

}  // namespace

SlotUses::SlotUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path)
    : m_graph(graph), m_fits(plan.fits), m_path(path), m_tries(graph.levels.size(), false)
{
    for (size_t l = 0; l < m_tries.size() && !m_fits && path == Path::Direct; ++l)
        m_tries[l] = triesToFit(graph, graph.levels[l], plan.levels[l]);
}

bool SlotUses::mayFit(const graph::Slot& slot) const
{
    return m_fits || m_tries[slot.level] || (m_path == Path::Direct && graph::asksForNothing(m_graph, slot));
}

bool SlotUses::mayReserve(const graph::Slot& slot) const
{
    return !m_fits && (m_path == Path::Indirect || !graph::asksForNothing(m_graph, slot));
}

std::vector<PipelineUse> pipelineUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path)
{
    const SlotUses slotUses(graph, plan, path);
    std::vector<std::array<bool, graph::kMemoryUses>> isListed(graph.nodes.size());  // by graph::MemoryUse
    std::vector<PipelineUse> uses;
    const auto add = [&](uint32_t node, graph::MemoryUse memory) {
        if (!std::exchange(isListed[node][static_cast<size_t>(memory)], true))
            uses.push_back({node, memory});
    };
    for (const uint32_t s : plan.slots) {
        const graph::Slot& slot = graph.slots[s];
        if (slotUses.mayReserve(slot))
            add(slot.node, graph::MemoryUse::Reserves);
        if (slotUses.mayFit(slot))
            add(slot.node, graph::MemoryUse::Fits);
    }
    return uses;
}

std::vector<PipelineUse> laterUses(const GraphPipeline& pipeline, Path path)
{
    std::vector<PipelineUse> all;
    std::vector<std::array<bool, graph::kMemoryUses>> isListed(pipeline.graph.nodes.size());  // by graph::MemoryUse
    for (const uint64_t bytes : {pipeline.sizes.maxBytes, pipeline.sizes.minBytes}) {
        const graph::DispatchPlan plan = graph::plan(pipeline.graph, bytes, std::nullopt);
        for (const PipelineUse& use : pipelineUses(pipeline.graph, plan, path))
            if (!std::exchange(isListed[use.node][static_cast<size_t>(use.memory)], true))
                all.push_back(use);
    }
    return all;
}

}  // namespace millrace::runtime
