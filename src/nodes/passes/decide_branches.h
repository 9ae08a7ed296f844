// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Drops of the device functions what their constants leave dead, and all that nothing needs then. The node's own code
// stays as it is.
// Ensures: a valid compute shader for Vulkan 1.3.
Status decideBranches(NodeShader& shader);

}  // namespace millrace::nodes
