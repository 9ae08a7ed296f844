// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// With graph::MemoryUse::None, where a workgroup of ours has no work behind its first unless
// graph::NodeDecisions::leafRows says so, the loop around the node becomes a branch. Drivers that see mr_next() do not
// all find out. Requires: wrapEntryPoint.
Status runOnce(NodeShader& shader, const Code& code);

}  // namespace millrace::nodes
