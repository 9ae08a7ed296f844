// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// With Variant::checkBudgets, counts what a workgroup allocates of outputs that graph::keepsBudget() says nothing of,
// and notes it at the workgroup's end if that is more than NodeMaxPayloadsAMDX declares.
// Must come before lowerBuiltIns and lowerPayloads, for it adds a built-in and looks at allocations.
Status checkBudgets(NodeShader& shader, const Variant& variant);

}  // namespace millrace::compiler
