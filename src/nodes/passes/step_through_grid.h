// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Whether the pass does anything. Not for leaves, which the host numbers, nor where a workgroup takes long in
// comparison: with loops of its own, which took an H200 2 to 6 % longer so, or if it sends and its grid comes with the
// payload.
bool stepsInside(const NodeShader& shader, const Code& code);

// Inside the loop around the node, which finds a payload, puts one over the payload's workgroups:
//     while (mr_next()) { do { node } while (mr_step()); }
// A driver keeps what it knows of the payload in registers then, where it moves it about if mr_next() does both (H200:
// a million workgroups that do nothing but store, 147 to 110 us). Requires: wrapEntryPoint.
Status stepThroughGrid(NodeShader& shader, const Code& code);

}  // namespace millrace::nodes
