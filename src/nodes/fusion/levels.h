// SPDX-License-Identifier: Apache-2.0
// Several levels of a node's recursion in one (graph::LevelGroup).
#pragma once

#include "nodes/fusion/recursive_node.h"
#include "spirv/tools.h"

namespace millrace::nodes {

// Levels of a node's recursion in one code.
struct LevelsInOne {
    uint32_t levels = 0;
    bool isLast = false;  // the last level is among them, of two at least
    uint32_t below = 0;   // levels that follow at least
    // So many of the first ones, of which each invocation runs one payload (fusion/descent.h), and how many payloads
    // each of them sends; so many invocations have the first level's payload as there are ways.
    uint32_t descends = 0;
    uint32_t fanOut = 0;

    uint32_t parts() const;
};

// A module of the extension, all specialization applied. If the last level is not among them, it sends to the level
// behind, with budgets for all levels. Errors say why code cannot be so.
Result<spirv::Words> fuseLevels(const RecursiveNode& node, const LevelsInOne& shape);

}  // namespace millrace::nodes
