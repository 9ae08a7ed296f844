// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::spirv {

// What SPIRV-Tools' inliner and linker rely on without looking. Unlike the validator this knows nothing of storage
// classes, capabilities or environments, so it accepts what real compilers emit before legalization.
// Errors: types that are no types or contain themselves, composite constants that do not fit their type, functions and
// calls that do not fit the function's type, recursion, branches to elsewhere, phis that do not fit the predecessors.
Status checkStructure(const Module& module);

}  // namespace millrace::spirv
