// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "graph/graph.h"
#include "nodes/compile.h"

namespace millrace::nodes {

// A node that sends to itself.
struct RecursiveNode {
    std::span<const uint32_t> words;
    const Options& options;
    const graph::NodeId& id;
    uint32_t maxRecursion;
    bool byWorkgroup = false;  // what a workgroup sends stays in it, and all its invocations run a level together
    std::shared_ptr<const NodeShader> prepared = nullptr;  // of the words with the options, if there is that already
};

}  // namespace millrace::nodes
