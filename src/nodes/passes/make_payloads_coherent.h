// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Lets writes to payloads reach the invocations that may read them while the node runs: all workgroups of the dispatch
// for an input that is written or tracks its writers, the workgroup for outputs. In the Vulkan memory model by memory
// operands on each access, else by Coherent members.
// Must come before lowerPayloads, which forgets what is input and what output.
Status makePayloadsCoherent(NodeShader& shader);

}  // namespace millrace::nodes
