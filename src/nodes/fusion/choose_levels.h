// SPDX-License-Identifier: Apache-2.0
// Which levels of a recursion are in one (docs/fusion.md).
#pragma once

#include <string>
#include <vector>

#include "nodes/fusion/levels.h"

namespace millrace::nodes {

// All levels of a recursion, but for the first where one is left over.
struct LevelSplit {
    LevelsInOne last;
    LevelsInOne others;  // all groups above; no levels if there are none
};

struct LevelChoice {
    bool isEven = false;             // each invocation always sends as many payloads to the next level
    std::vector<LevelSplit> splits;  // the best first
    std::string why;                 // there are none
};

// `all`: also where it takes longer. Errors say why no level can run inside the one above.
Result<LevelChoice> chooseLevels(const RecursiveNode& node, bool all);

}  // namespace millrace::nodes
