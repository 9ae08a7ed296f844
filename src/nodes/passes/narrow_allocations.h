// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Calls mr_allocate_to_one() for allocations by invocations of an output whose node index is a constant, which needs
// neither a histogram over node indices nor a loop over queues. Requires: narrowEnqueues, which looks for allocations
// by their names, came before.
Status narrowAllocations(NodeShader& shader);

}  // namespace millrace::nodes
