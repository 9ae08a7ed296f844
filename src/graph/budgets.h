// SPDX-License-Identifier: Apache-2.0
// The most that one workgroup may emit.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "graph/graph.h"

namespace millrace::graph {

// StreamState::counter keeps entries above kUnitBits.
inline constexpr uint64_t kMaxStreamEntries = (uint64_t(1) << (64 - abi::kUnitBits)) - 1;

// Bounds for one output of one of the node's workgroups (of which a packed workgroup of ours runs several). The device
// functions allocate in runs of neighbouring payloads of one queue.
struct EmissionBound {
    uint64_t payloads = 0;
    uint64_t runs = 0;            // over all queues
    uint64_t runsToOneQueue = 0;  // to any one of them
};

// `targets`: how many queues are in the output's node map, at most.
EmissionBound emissionBound(const Node& node, const NodeOutput& output, uint32_t targets);

// Bytes that a node's input payload takes, the implicit payload included.
uint32_t inputBytes(const NodeDeclaration& node);

// Largest grid of one payload, in workgroups.
uint32_t maxGroupsPerPayload(const NodeDeclaration& node);

// Fills Queue::stride, finishOffset and finishCount, and Slot::finishOffset.
// Requires: slots, queues, streams and maps.
Status computeStrides(Graph& graph);

// Fills Slot::granulesPerGroup and entriesPerGroup. Requires: strides.
Status computeBudgets(Graph& graph);

}  // namespace millrace::graph
