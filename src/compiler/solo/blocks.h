// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::compiler {

// Makes one of the push constant blocks that functions use, which must have the same members at the same places, and
// gives it; none if there is none.
Result<spirv::Id> mergePushConstants(spirv::Module& module);

}  // namespace millrace::compiler
