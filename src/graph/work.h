// SPDX-License-Identifier: Apache-2.0
// The most work that a dispatch can make, level by level.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/plan.h"

namespace millrace::graph {

using LevelSet = std::bitset<kMaxDepth + 1>;

// Counts of one sweep that completes the graph; kUnlimited where nothing bounds them.
struct Work {
    struct OfQueue {
        uint64_t payloads = 0;
        uint64_t runs = 0;        // entries of the indexed stream
        uint64_t longestRun = 0;  // payloads
        bool isLeft = false;      // and any number of payloads that recursion depth first leaves to others
        LevelSet sources;         // levels that feed it
    };
    struct OfLevel {
        // Of all workgroups of ours.
        uint64_t granules = 0;
        uint64_t reservedGranules = 0;  // in steps of granulesPerGroup
        uint64_t reservedEntries = 0;   // in steps of entriesPerGroup
        // The worst workgroup of ours, of all slots that can run; level 0: of feed.comp.
        uint32_t granulesPerGroup = 0;
        uint32_t entriesPerGroup = 0;
        bool leaves = false;  // payloads to others, if there is memory (NodeDecisions::depthFirst)
    };
    std::vector<OfQueue> queues;
    std::vector<OfLevel> levels;
    std::vector<uint64_t> groups;    // per slot: workgroups of ours, 0 if it cannot run
    std::vector<uint64_t> granules;  // per slot: that all of them emit
};

Work worstCase(const Graph& graph, std::optional<std::span<const KnownInput>> inputs);

// Granules that one chunk of API payloads takes at most.
uint32_t feedChunkGranules(const Graph& graph);

}  // namespace millrace::graph
