// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// With Variant::remainingRecursion: RemainingRecursionLevelsAMDX becomes that number if it is one, branches are taken
// that go one way for all of the numbers and depend on nothing else but constants, likewise selections, and what
// branches leave unreachable goes, allocations included. Without it nothing changes.
Status specializeRecursion(NodeShader& shader, const Variant& variant);

}  // namespace millrace::nodes
