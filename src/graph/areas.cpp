// SPDX-License-Identifier: Apache-2.0
#include "graph/areas.h"

#include <algorithm>

#include "graph/saturating.h"

namespace millrace::graph {
namespace {

// Areas for nodes that share a limit each hold all of it. More memory than this many times what it takes without would
// leave too few dispatches that fit.
constexpr uint64_t kMaxMemoryRatio = 4;

uint64_t granulesFor(uint64_t payloads, uint64_t stride)
{
    return divideUp(payloads * stride, abi::kGranuleBytes);
}

uint32_t budgetOf(const NodeDeclaration& node, size_t output)
{
    return node.outputs[output].allocationSites > 0 ? node.outputs[node.outputs[output].budgetPool].budget : 0;
}

}  // namespace

bool areAreasFew(const Graph& graph, const Slot& slot)
{
    const Node& node = graph.nodes[slot.node];
    std::vector<uint64_t> pools(node.declared.outputs.size(), 0);
    uint64_t count = 0;
    uint64_t together = 0;
    for (size_t o = 0; o < slot.outputMaps.size(); ++o) {
        count += graph.queuesOf(slot, o).size();
        if (count > abi::kMaxAreas)
            return false;
        for (const uint32_t queue : graph.receiversOf(slot, o)) {
            const uint32_t budget = budgetOf(node.declared, o);
            if (budget > kMaxPayloadsInShare)
                return false;
            const uint64_t granules = granulesFor(budget, graph.queues[queue].stride);
            uint64_t& pool = pools[node.declared.outputs[o].budgetPool];
            pool = std::max(pool, granules);
            together += granules;
        }
    }
    uint64_t least = 0;
    for (const uint64_t pool : pools)
        least += pool;
    return together <= kMaxMemoryRatio * least && together <= UINT32_MAX / std::max(node.decided.packWidth, 1u);
}

uint32_t makeAreas(const Graph& graph, Slot& slot)
{
    const Node& node = graph.nodes[slot.node];
    uint32_t end = 0;
    for (size_t o = 0; o < slot.outputMaps.size(); ++o) {
        for (const uint32_t index : graph.queuesOf(slot, o)) {
            abi::AreaInfo area{.stream = abi::kNoStream};
            if (index != abi::kNoQueue) {
                const Queue& queue = graph.queues[index];
                const uint32_t first = queue.streams.front();
                if (graph.streams[first].kind == abi::kStreamIndexed)
                    area.stream = first;
                area.stride = queue.stride;
                area.offset = end;
                area.limit = budgetOf(node.declared, o);
                end += static_cast<uint32_t>(granulesFor(area.limit, queue.stride));
            }
            slot.areas.push_back(area);
        }
    }
    return end;
}

}  // namespace millrace::graph
