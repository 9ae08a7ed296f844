// SPDX-License-Identifier: Apache-2.0
// Which consumers may run inside their only producer, as far as the graph tells. What the code says
// is nodes::fuse()'s matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace millrace::graph {

struct FusionTarget {
    uint32_t index = 0;     // of the node in its array
    uint32_t node = 0;      // into Graph::nodes
    bool isShared = false;  // others send to it as well, which would have a copy each
};

// An output all of whose payloads can stay with the invocation that allocates them, or with its workgroup.
struct OutputFusion {
    uint32_t node = 0;
    uint32_t output = 0;
    std::vector<FusionTarget> targets;  // in ascending order of index
    bool byWorkgroup = false;  // their workgroups have the producer's shape, whose invocations run them together
};

// A node that sends to itself alone through this output, so that its last level could run inside the level before, and
// others too.
struct LastLevelFusion {
    uint32_t node = 0;
    uint32_t output = 0;
    std::string why;           // it cannot; empty if it can as far as the graph tells
    bool byWorkgroup = false;  // as OutputFusion
};

struct UnfusedOutput {
    uint32_t node = 0;
    uint32_t output = 0;
    std::string why;
};

struct FusionPlan {
    std::vector<OutputFusion> fusions;
    std::vector<UnfusedOutput> others;  // that allocate payloads
};

// Consumers that emit nothing come first; when they are fused and the graph is linked again, others may follow.
FusionPlan planFusion(const Graph& graph);

// All recursive nodes that do not have code for several of their levels yet (NodeDecisions::levelGroup).
std::vector<LastLevelFusion> planLastLevels(const Graph& graph);

}  // namespace millrace::graph
