// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Fills in the node's outputs: one for each payload array type with a node name that the shader allocates or queries,
// in the order of the types in the module. Also fills NodeShader::outputOfArray. Changes nothing in the module.
// Must come after specialize, because every operand may be a specialization constant, and after inlining, which moves
// and doubles allocations.
Status reflectOutputs(NodeShader& shader);

}  // namespace millrace::nodes
