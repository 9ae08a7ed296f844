// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// Turns each OpCopyMemory from or to payloads or payload arrays into a load and a store, so that later passes see only
// these two.
Status splitPayloadCopies(NodeShader& shader);

}  // namespace millrace::compiler
