// SPDX-License-Identifier: Apache-2.0
// Functions with the code that they call in place of the calls.
#pragma once

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::spirv {

// Gives `entry` the code of all that it calls, whatever that calls included. Not SPIRV-Tools' inliner: it moves all
// that follows a call, for each call, so that its time grows with the square of what it makes. This copies each
// instruction once: time and memory grow with the length of the result (inlined_size.h). Requires: checkStructure(); no
// decoration groups; each function that is called returns once, at its end, and from no construct of its control flow,
// or never. Ensures: structured control flow stays so. A variable of the function Storage Class begins each call as it
// began each call. Functions that nobody calls any more stay where they are. Errors: a callee that returns elsewhere.
Status expandCalls(Module& module, Id entry);

// True if expandCalls() can take the function as a callee.
bool returnsAtItsEnd(const Function& function);

}  // namespace millrace::spirv
