// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Our workgroups run several of the node's one after the other, or side by side when packed: built-ins that would tell
// become Private variables that wrapEntryPoint sets at the start of each workgroup. So do built-ins declared signed,
// because the device library declares the same ones unsigned and there must be only one variable of each.
// Must come after reflectNode, which decides on packing.
Status lowerBuiltIns(NodeShader& shader);

}  // namespace millrace::nodes
