// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Makes the entry point a plain function "node_main" and adds the entry point that runs it once for each workgroup:
//     mr_begin(arguments); while (mr_next()) { start values; node_main(); enqueue what is pending }
// Variables with initializers start each workgroup anew. LocalSize becomes that of our workgroups.
// Must come last before linking, because the passes before say what a workgroup starts and ends with.
Status wrapEntryPoint(NodeShader& shader);

}  // namespace millrace::nodes
