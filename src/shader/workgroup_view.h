// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "spirv/module.h"

namespace millrace::shader {

bool isSubgroupBuiltIn(spv::BuiltIn builtIn);

// Whether anything in the shader could tell how many invocations its workgroup has: workgroup memory, subgroup
// operations and built-ins. Barriers are not among it.
bool seesWorkgroup(const spirv::Module& module);

// Of its workgroup variables, roughly.
uint64_t sharedBytesOf(const spirv::Module& module);

}  // namespace millrace::shader
