// SPDX-License-Identifier: Apache-2.0
// How a graph divides scratch memory: the static tables, and for each dispatch the entry tables and payload regions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/dispatch.h"
#include "abi/graph_memory.h"
#include "graph/graph.h"

namespace millrace::graph {

struct ScratchSizes {
    uint64_t minBytes = 0;
    uint64_t maxBytes = 0;
    uint64_t granularityBytes = 0;
};

// Any size from minBytes completes any dispatch: each level's region holds what one workgroup may emit, for every
// stream one workgroup's entries. `wantedMaxBytes` is a setting; maxBytes is at least minBytes.
ScratchSizes scratchSizes(const Graph& graph, uint64_t wantedMaxBytes);

// Bytes of the header and all static tables and states that stand in front of entry tables and regions.
uint64_t fixedBytes(const Graph& graph);

// The words that init.comp copies to the start of the scratch memory at `scratchAddress`: abi::GraphHeader and the
// tables it points to. `graphId` is abi::GraphHeader::graph.
std::vector<uint32_t> staticTables(const Graph& graph, uint64_t scratchAddress, uint32_t graphId);

// What of a slot the graph decides; its outputs and areas, which depend on those of other slots, are left out.
abi::SlotInfo slotInfo(const Graph& graph, const Slot& slot);

// What a dynamic stream takes from its payloads: where their grids are, and the limits.
abi::StreamInfo streamInfo(const Graph& graph, const Stream& stream);

// Where a slot's workgroups find what they need first (abi::NodeArguments), in bytes from the start of the scratch
// memory.
struct SlotPlace {
    uint32_t info = 0;
    uint32_t streamState = 0;
};

// Per slot. Requires: fixedBytes(graph) <= UINT32_MAX, which link() checks.
std::vector<SlotPlace> slotPlaces(const Graph& graph, uint64_t scratchAddress);

// What the API sends to a node: one VkDispatchGraphInfoAMDX whose values the host knows, or a bound of several.
struct KnownInput {
    uint32_t node = 0;  // API node index
    uint64_t payloadCount = 0;
    // Workgroups of the node itself (not of those that share its input) over all its payloads, if it is dynamic and
    // the host can read the grids.
    std::optional<uint64_t> groupCount;
    uint64_t infoCount = 1;  // that have these payloads, at most
};

// Records (payloads) that a slot receives in all sweeps together.
struct SlotInput {
    uint64_t records = 0;  // at most; UINT64_MAX if unknown
    bool exact = false;    // only the API feeds it, and the host knows what
};

struct DispatchPlan {
    // Unless it fits: each region and quota holds the worst workgroup of ours of any slot of the level that can run
    // (level 0: a chunk of API payloads), and a stream's capacity is the sum of the quotas of the levels that feed it.
    // If it fits: no more than what the dispatch can need; quotas mean nothing.
    std::vector<abi::LevelPlan> levels;    // per level
    std::vector<abi::StreamPlan> streams;  // per stream
    std::vector<uint32_t> slots;           // that can run, in order of level
    std::vector<uint64_t> maxGroups;       // per entry of `slots`: most workgroups of ours, UINT64_MAX if unknown
    std::vector<SlotInput> inputs;         // per slot of the graph
    // Per entry of `slots`, if it fits: the granule where its first workgroup of ours puts what it emits. The others
    // follow, each with Slot::granulesPerGroup.
    std::vector<uint32_t> bases;
    bool fits = false;  // proven to complete in one sweep without reservations
};

// Of inputs that only the device knows.
struct InputBound {
    uint32_t payloads = 0;  // of all infos together
    uint32_t groups = 0;    // and workgroups of those of any one node whose grid comes with the payload
};

struct BoundedPlan {
    DispatchPlan plan;  // fits any inputs within the bound
    InputBound bound;
};

// The plan with the largest bound that this memory has room for. None if there is no such plan, or only for so few
// inputs that it is of no use.
std::optional<BoundedPlan> planBounded(const Graph& graph, uint64_t scratchBytes);

// Plans a dispatch. `inputs` empty optional: unknown (indirect dispatch), any API node in any number.
// Requires: scratchBytes >= scratchSizes().minBytes.
DispatchPlan plan(const Graph& graph, uint64_t scratchBytes, std::optional<std::span<const KnownInput>> inputs);

// The slot's workgroups send nothing, so any number of them may run whatever memory there is, on the direct path.
inline bool asksForNothing(const Graph& graph, const Slot& slot)
{
    return graph.nodes[slot.node].decided.depthFirst == 0 && slot.fitGranulesPerGroup == 0 &&
           slot.fitEntriesPerGroup == 0;
}
// Payloads that it takes in a sweep then, of which so many workgroups are to run at most: abi::SlotInfo::most.
uint32_t mostPayloadsInSweep(const Graph& graph, const Slot& slot, uint32_t groups);

// What fit.comp needs to know of a level. Its slots are all of the graph's.
abi::FitArguments fitArguments(const Graph& graph, uint64_t scratchAddress, uint32_t level);

// Of `plan.slots[place]`, what the begin shader tells its workgroups.
abi::SlotPlan slotPlan(const Graph& graph, const DispatchPlan& plan, size_t place);

// What begin.comp leaves in scratch memory at this address, but for inputs, where everything fits and the host has fed
// it. `status` is the address of GraphStatus in host memory.
std::vector<abi::BeginStore> beginStores(const Graph& graph, const DispatchPlan& plan, uint64_t scratchAddress,
                                         uint64_t status);

}  // namespace millrace::graph
