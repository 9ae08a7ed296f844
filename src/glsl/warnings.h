// SPDX-License-Identifier: Apache-2.0
// What a node shader may say and seldom means.
#pragma once

#include <string>
#include <vector>

#include "glsl/payload_declarations.h"

namespace millrace::glsl {

// Lines "FILE:LINE: warning: REASON". Of a module with the entry point's function alone, before completeCode(): outputs
// are storage buffers still, and what is done with them placeholders. Warns only of what is certain to be wrong
// wherever it is executed:
// - an output to the node's own name without recursion, which nothing receives;
// - an allocation of more payloads than the output holds, where both are constants;
// - an output that is read or written behind its enqueue, where no allocation is in between;
// - allocateWorkgroup() where only some invocations of the workgroup come by: in a branch or behind a return that
//   depends on the invocation's number.
std::string findWarnings(const spirv::Module& module, const std::vector<Declared>& declared,
                         const std::vector<Payload>& payloads);

}  // namespace millrace::glsl
