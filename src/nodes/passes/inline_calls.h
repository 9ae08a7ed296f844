// SPDX-License-Identifier: Apache-2.0
// One function for the driver.
#pragma once

#include "nodes/node_shader.h"
#include "nodes/pass.h"

namespace millrace::nodes {

// Where Target::inlinesCalls: the entry point gets the code of what it calls, device functions for the most part.
// Drivers do so themselves, and NVIDIA's takes a tenth of its time for it (docs/experiments.md). Calls of functions
// that return from loops or switches stay, and all do where code is called so often that it would become twice as long.
Status inlineCalls(NodeShader& shader, const Target& target);

}  // namespace millrace::nodes
