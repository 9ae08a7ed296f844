// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Lets barriers and atomics order payloads, which are buffer memory now: acquire or release semantics get
// UniformMemory, in place of the OutputMemory that compilers set for outputs and of nothing, which they set for inputs.
// In packed nodes a workgroup is one invocation, so barriers of control become barriers of memory.
Status orderPayloadMemory(NodeShader& shader);

}  // namespace millrace::nodes
