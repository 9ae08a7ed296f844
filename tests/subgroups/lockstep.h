// SPDX-License-Identifier: Apache-2.0
// A shader whose invocations meet in subgroups of any size, whatever those of the driver are.
#pragma once

#include "spirv/module.h"

namespace millrace::subgroups {

// Rewrites the entry point. Each invocation runs by itself until it comes to a meeting (flow.h). Then all of the
// workgroup wait for each other, and the meeting that is the first in the order of the code takes place, for those of
// each subgroup that have come to it. So invocations that part meet again as soon as Vulkan would let them. Requires:
// the module has no function but the entry point. `count` is a constant, how many invocations a workgroup has.
void meetInSubgroups(spirv::Module& module, spirv::Id entry, uint32_t size, spirv::Id count);

// The built-in as the driver gives it; a new one where the shader has not asked for it.
spirv::Id findBuiltIn(const spirv::Module& module, spv::BuiltIn builtIn);
spirv::Id getBuiltIn(spirv::Module& module, spv::BuiltIn builtIn, spirv::Id type);
// A variable of the module, which is in the interface of newer versions.
spirv::Id addVariable(spirv::Module& module, spirv::Id type, spv::StorageClass storage);

}  // namespace millrace::subgroups
