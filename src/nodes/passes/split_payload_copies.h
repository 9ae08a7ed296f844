// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Turns each OpCopyMemory from or to payloads or payload arrays into a load and a store, so that later passes see only
// these two.
Status splitPayloadCopies(NodeShader& shader);

}  // namespace millrace::nodes
