// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// With Variant::checkBudgets, counts what a workgroup allocates of outputs that graph::keepsBudget() says nothing of,
// and notes it at the workgroup's end if that is more than NodeMaxPayloadsAMDX declares.
// Must come before lowerBuiltIns and lowerPayloads, for it adds a built-in and looks at allocations.
Status checkBudgets(NodeShader& shader, const Variant& variant);

}  // namespace millrace::nodes
