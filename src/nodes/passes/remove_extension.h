// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/node_shader.h"

namespace millrace::nodes {

// The second half of lowerPayloads: types, decorations, execution modes, constants, capability and extension. Payload
// arrays become `handleType`, pointers to payloads PhysicalStorageBuffer pointers; the input variable goes.
void removeExtension(NodeShader& shader, spirv::Id handleType);

}  // namespace millrace::nodes
