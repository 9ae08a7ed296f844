// SPDX-License-Identifier: Apache-2.0
// Several levels of a node's recursion in one (graph::LevelGroup).
#pragma once

#include <vector>

#include "compiler/fusion/recursive_node.h"
#include "spirv/tools.h"

namespace millrace::compiler {

// The node with what `levels` - 1 levels below do in it: a module of the extension, all specialization applied.
// `isLast`: the last level is among them, of two at least; else it sends to the level behind, with budgets for all
// levels, and two levels at least follow. `parts` > 1: of what the first level sends, an invocation runs the payload
// whose number its WorkgroupId is, and so many invocations have the first level's payload. Errors say why code cannot be
// so.
Result<spirv::Words> fuseLevels(const RecursiveNode& node, uint32_t levels, bool isLast, uint32_t parts);

struct LevelChoice {
    bool isEven = false;           // each invocation always sends as many payloads to the next level
    std::vector<uint32_t> levels;  // numbers of levels that may be in one, the best first; all but one level at most
                                   // are in groups of so many then
    // In groups that are not the last, invocations to a payload of the first level: as many as that sends if an
    // invocation would run too much one after the other, and what the first level does can be done by each of them.
    uint32_t parts = 1;
    std::string why;               // there are none
};

// `all`: also where it takes longer. Errors say why no level can run inside the one above.
Result<LevelChoice> chooseLevels(const RecursiveNode& node, bool all);

}  // namespace millrace::compiler
