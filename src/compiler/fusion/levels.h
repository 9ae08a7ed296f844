// SPDX-License-Identifier: Apache-2.0
// Several levels of a node's recursion in one (graph::LevelGroup).
#pragma once

#include <vector>

#include "compiler/fusion/recursive_node.h"
#include "spirv/tools.h"

namespace millrace::compiler {

// The node with what `levels` - 1 levels below do in it: a module of the extension, all specialization applied.
// `isLast`: the last level is among them, of two at least; else it sends to the level behind, with budgets for all
// levels, and two levels at least follow. Errors say why code cannot be so.
Result<spirv::Words> fuseLevels(const RecursiveNode& node, uint32_t levels, bool isLast);

struct LevelChoice {
    bool isEven = false;           // each invocation always sends as many payloads to the next level
    std::vector<uint32_t> levels;  // numbers of levels that may be in one, the best first; all but one level at most
                                   // are in groups of so many then
    std::string why;               // there are none
};

// `all`: also where it takes longer. Errors say why no level can run inside the one above.
Result<LevelChoice> chooseLevels(const RecursiveNode& node, bool all);

}  // namespace millrace::compiler
