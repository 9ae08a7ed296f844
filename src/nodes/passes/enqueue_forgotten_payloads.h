// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Payloads that are allocated and never enqueued are sent at the end of the workgroup, as real compilers rely on. Their
// receivers know of them from the allocation on, unless a receiver reads its grid from the payload: then it is
// OpEnqueueNodePayloadsAMDX that tells. So for each allocation that is not provably followed by an enqueue, a Private
// variable keeps the handle until it is enqueued; wrapEntryPoint enqueues what is left.
// Must come after lowerPayloads: it looks at the calls.
Status enqueueForgottenPayloads(NodeShader& shader);

}  // namespace millrace::nodes
