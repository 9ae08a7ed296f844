// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "graph/graph.h"
#include "spirv/tools.h"

namespace millrace::compiler {

// A node of a graph with what it was compiled from.
struct FusableNode {
    spirv::Words words;  // a fused producer's become others, with Options::specialization applied
    Options options;
    LoweredNode lowered;
    size_t code = 0;      // nodes of the same number have the same words and options but for name and index
    bool isPlain = true;  // it may run with the options of another pipeline, and others with its own
    bool changed = false;
};

// What became of an output that allocates payloads.
struct FusionOutcome {
    std::string node;    // "'name'[index]"
    std::string output;  // name of the nodes that receive payloads
    bool fused = false;
    bool lastLevel = false;  // of a recursion alone: the node runs its own last level
    std::string why;         // it is not fused, with a place in the code if that is the reason
};

// Fuses what can be fused and lowers the producers again. `graph` was linked from the nodes, in their order; nodes
// behind those given belong to others and stay as they are. Where there are none, code for the last level of recursive
// nodes is appended to `nodes` (graph::Node::lastLevelOf). Returns the graph linked again, or `graph` if nothing was
// fused. Errors: none that linking did not report before.
Result<graph::Graph> fuseGraph(std::vector<FusableNode>& nodes, graph::Graph graph,
                               std::vector<FusionOutcome>& outcomes);

}  // namespace millrace::compiler
