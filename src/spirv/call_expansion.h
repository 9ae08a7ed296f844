// SPDX-License-Identifier: Apache-2.0
// Functions with the code that they call in place of the calls.
#pragma once

#include <cstdint>
#include <vector>

#include "spirv/module.h"

namespace millrace::spirv {

// Gives `entry` the code of all that it calls, whatever that calls included. Not SPIRV-Tools' inliner: it moves all
// that follows a call, for each call, so that its time grows with the square of what it makes. This copies each
// instruction once: time and memory grow with the length of the result (inlined_size.h). Calls of functions that return
// from loops or switches stay calls. Code that returns early is in a switch of one case, which such returns leave.
// Requires: checkStructure(); no decoration groups. Ensures: structured control flow stays so. A variable of the
// function Storage Class begins each call as it began each call. Functions that nobody calls any more stay where they
// are.
void expandCalls(Module& module, Id entry);

// False if the function returns from a loop or a switch. `blockOf`: room for as many words as the module has ids.
bool canExpand(const Function& function, std::vector<uint32_t>& blockOf);

}  // namespace millrace::spirv
