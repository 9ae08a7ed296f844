// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Drops OpEnqueueNodePayloadsAMDX of outputs whose receivers read no grids from payloads (graph::CodeTraits), since
// those learn of payloads when they are allocated, and says of the others how their payloads were allocated. Drivers
// copy mr_enqueue(), with a third of all device functions in it, to each call. An enqueue of a handle that comes
// neither straight from an allocation nor from a variable of enqueueForgottenPayloads stays as it is.
Status narrowEnqueues(NodeShader& shader, const Code& code);

}  // namespace millrace::nodes
