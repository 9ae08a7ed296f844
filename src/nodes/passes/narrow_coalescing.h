// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// A coalescing node of which each invocation does no more than work on the payload of its own number becomes one of a
// single invocation and a single payload:
//     if (gl_LocalInvocationIndex < payloads.length()) { ... payloads[gl_LocalInvocationIndex] ... }
// The extension leaves it to the implementation how many payloads a workgroup gets, so nobody can tell; and such nodes
// can be packed and fused. Others are left alone. Requires: Target::packWidth, else workgroups of one invocation.
Status narrowCoalescing(NodeShader& shader, const Target& target);

}  // namespace millrace::nodes
