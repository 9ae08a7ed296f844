// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Where a node enqueues payloads in several places, each place keeps its handle in a Private variable, and a loop
// behind the node's code enqueues them. A payload must not be touched once it is enqueued, so nobody can tell. Drivers
// copy the device function to each call, and take more than twice as long for twice the code. Places that may run
// several times in a workgroup stay as they are. Must come after wrapEntryPoint and narrowEnqueues: only what is left
// is gathered.
Status gatherEnqueues(NodeShader& shader);

}  // namespace millrace::nodes
