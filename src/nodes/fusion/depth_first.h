// SPDX-License-Identifier: Apache-2.0
// A recursion in which an invocation goes on with what its payload has sent (device/depth_first.glsl).
#pragma once

#include "nodes/fusion/recursive_node.h"
#include "spirv/tools.h"

namespace millrace::nodes {

struct DepthFirstNode {
    spirv::Words words;
    DepthFirst sizes;
};

// The node as a loop over the payloads that an invocation keeps, all specialization applied: a module of the extension
// but for calls of device functions. To be lowered with Variant::depthFirst. `output` is an index into
// graph::NodeDeclaration::outputs.
// Requires: what graph::planLastLevels() looked at. Errors say why code cannot be so.
Result<DepthFirstNode> makeDepthFirst(const RecursiveNode& node, uint32_t output);

}  // namespace millrace::nodes
