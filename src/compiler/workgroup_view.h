// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/node_shader.h"

namespace millrace::compiler {

bool isSubgroupBuiltIn(spv::BuiltIn builtIn);

// Whether anything in the shader could tell how many invocations its workgroup has: workgroup memory, subgroup
// operations and built-ins. Barriers are not among it.
bool seesWorkgroup(const spirv::Module& module);

// Whether all invocations of the node's workgroup have to be there, and no others: it sees them, waits for them, or
// calls device functions that do. A node behind lowerPayloads.
bool isCollective(const NodeShader& shader);

// Of its workgroup variables, roughly.
uint64_t sharedBytesOf(const spirv::Module& module);

}  // namespace millrace::compiler
