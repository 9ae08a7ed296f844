// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Fills in what the entry point says of the node, all but its outputs: identity, launch mode, grid, input payload,
// sharing, recursion, and whether single-invocation workgroups can be packed. Changes nothing in the module.
// Must come after specialize, because every operand may be a specialization constant.
Status reflectNode(NodeShader& shader, const Request& request);

}  // namespace millrace::nodes
