// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::compiler {

// Whether anything in the shader could tell how many invocations its workgroup has: workgroup memory, subgroup
// operations and built-ins. Barriers are not among it.
bool seesWorkgroup(const spirv::Module& module);

}  // namespace millrace::compiler
