// SPDX-License-Identifier: Apache-2.0
// Several levels of a node's recursion in one (graph::LevelGroup).
#pragma once

#include <span>
#include <vector>

#include "compiler/compile.h"
#include "spirv/tools.h"

namespace millrace::compiler {

struct RecursiveNode {
    std::span<const uint32_t> words;
    const Options& options;
    const graph::NodeId& id;
    uint32_t maxRecursion;
};

// The node with what `levels` - 1 levels below do in it: a module of the extension, all specialization applied. `isLast`:
// the last level is among them, of two at least; else it sends to the level behind, with budgets for all levels, and two
// levels at least follow. Errors say why code cannot be so.
Result<spirv::Words> fuseLevels(const RecursiveNode& node, uint32_t levels, bool isLast);

// Numbers of levels that may be in one, the best first; all but one level at most are in groups of so many then. `all`:
// even where that takes longer. Errors say why no level but the last should run inside the one above.
Result<std::vector<uint32_t>> chooseLevels(const RecursiveNode& node, bool all);

}  // namespace millrace::compiler
