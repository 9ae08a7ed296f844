// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline_uses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace millrace::runtime {

bool triesToFit(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path, uint32_t level)
{
    constexpr uint32_t kFewGroups = 32;  // a level with room for no more hardly ever fits
    if (plan.fits || path == Path::Indirect)
        return false;
    const abi::LevelPlan& room = plan.levels[level];
    return std::ranges::all_of(graph.levels[level].slots, [&](uint32_t s) {
        const graph::Slot& slot = graph.slots[s];
        return graph.nodes[slot.node].depthFirst == 0 && room.size / kFewGroups >= slot.fitGranulesPerGroup &&
               room.entryQuota / kFewGroups >= slot.fitEntriesPerGroup;
    });
}

std::vector<PipelineUse> pipelineUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path)
{
    const graph::MemoryUse memory = plan.fits ? graph::MemoryUse::Fits : graph::MemoryUse::Reserves;
    std::vector<bool> isTrying(graph.nodes.size(), false);
    std::vector<bool> isListed(graph.nodes.size(), false);
    std::vector<PipelineUse> uses;
    for (const uint32_t s : plan.slots) {
        const graph::Slot& slot = graph.slots[s];
        if (!isListed[slot.node])
            uses.push_back({slot.node, memory});
        isListed[slot.node] = true;
        if (isTrying[slot.node] || !triesToFit(graph, plan, path, slot.level))
            continue;
        isTrying[slot.node] = true;
        uses.push_back({slot.node, graph::MemoryUse::Tries});
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
