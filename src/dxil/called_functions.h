// SPDX-License-Identifier: Apache-2.0
// Which functions an entry point needs.
#pragma once

#include <vector>

#include "base/result.h"
#include "dxil/ir.h"

namespace millrace::dxil {

// Adds to `out` the function and all that it calls, directly or through others, that have a body and are not in it yet,
// each in front of what it calls first. Errors: recursion, which DXIL does not allow, and calls deeper than 64.
Status addCalledFunctions(Function& function, std::vector<Function*>& out);

}  // namespace millrace::dxil
