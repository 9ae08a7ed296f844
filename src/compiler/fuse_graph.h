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
    // Where the output leads to the node itself: its last level alone runs inside the level above, or so many in one.
    bool lastLevel = false;
    uint32_t levelsInOne = 0;
    bool depthFirst = false;   // likewise: an invocation goes on with what it has sent
    bool byWorkgroup = false;  // all invocations of the producer's workgroup run a receiver's workgroup together
    // It is not fused, or the last level alone is; with a place in the code if that is the reason.
    std::string why;
};

// Fuses what can be fused and lowers the producers again. `graph` was linked from the nodes, in their order; nodes
// behind those given belong to others and stay as they are. Where there are none, code for several levels of
// recursive nodes is appended to `nodes` (graph::Node::levelGroup). With `all`, also levels are in one that take
// longer so. Returns the graph linked again, or `graph` if nothing was
// fused. Errors: none that linking did not report before.
Result<graph::Graph> fuseGraph(std::vector<FusableNode>& nodes, graph::Graph graph, bool all,
                               std::vector<FusionOutcome>& outcomes);

}  // namespace millrace::compiler
