// SPDX-License-Identifier: Apache-2.0
// Where the header, the static tables and the states are in scratch memory (abi/graph_memory.h).
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace millrace::graph {

// In bytes from the start of the scratch memory.
struct ScratchOffsets {
    uint64_t slots, outputs, queues, streams, apiNodes, nodeMap, areas, levelSlots;
    uint64_t tablesEnd;
    uint64_t slotStates, streamStates, levelStates, trash;
    uint64_t end;
};

// Requires: an address that VUID 09144 allows.
ScratchOffsets scratchOffsets(const Graph& graph, uint64_t scratchAddress);

}  // namespace millrace::graph
