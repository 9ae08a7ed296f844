// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "nodes/compile.h"
#include "nodes/fuse.h"
#include "spirv/tools.h"

namespace millrace::nodes {

// A node of a graph with what it was compiled from.
struct FusableNode {
    // A fused producer's become others, with Request::specialization applied. Many nodes may have the same.
    spirv::SharedWords words;
    Options options;
    PreparedNode prepared;
    size_t code = 0;      // nodes of the same number have the same words and options but for name and index
    bool isPlain = true;  // it may run with the options of another pipeline, and others with its own
    bool changed = false;
};

// A producer with consumers in it, all specialization applied.
struct FusedCode {
    spirv::SharedWords words;
    PreparedNode prepared;
};

// What consumers make of a producer. Called by several threads at once.
using FuseFunction = std::function<Result<FusedCode>(const FusableNode& producer, const FusedOutput& output)>;
Result<FusedCode> fuseCode(const FusableNode& producer, const FusedOutput& output);

// What became of an output that allocates payloads.
struct FusionOutcome {
    std::string node;    // "'name'[index]"
    std::string output;  // name of the nodes that receive payloads
    bool fused = false;
    // Where the output leads to the node itself: its last level alone runs inside the level above, or so many in one.
    bool lastLevel = false;
    uint32_t levelsInOne = 0;
    uint32_t parts = 1;  // likewise: invocations that have one payload of theirs, at most (graph::NodeDecisions::parts)
    bool depthFirst = false;   // likewise: an invocation goes on with what it has sent
    bool byWorkgroup = false;  // all invocations of the producer's workgroup run a receiver's workgroup together
    // It is not fused, or the last level alone is; with a place in the code if that is the reason.
    std::string why;
};

// Fuses what can be fused and prepares the producers again. `graph` was linked from the nodes, in their order; nodes
// behind those given belong to others and stay as they are. Where there are none, code for several levels of
// recursive nodes is appended to `nodes` (graph::NodeDecisions::levelGroup). With `all`, also levels of workgroups are
// in one that take longer so. `fuseOne` may remember what fuseCode() gave. Returns the graph linked again, or `graph`
// if nothing was fused. Errors: none that linking did not report before.
Result<graph::Graph> fuseGraph(std::vector<FusableNode>& nodes, graph::Graph graph, bool all,
                               std::vector<FusionOutcome>& outcomes, const FuseFunction& fuseOne = fuseCode);

}  // namespace millrace::nodes
