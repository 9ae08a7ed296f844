// SPDX-License-Identifier: Apache-2.0
// Levels of slots: the longest path from the API.
#pragma once

#include "base/result.h"
#include "graph/graph.h"

namespace millrace::graph {

// Fills Slot::level, Stream::level and Graph::levels. Fails on a cycle through several nodes and above kMaxDepth.
// Requires: slots, queues, streams, maps and apiQueues.
Status assignLevels(Graph& graph);

}  // namespace millrace::graph
