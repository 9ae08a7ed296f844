// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Of a mesh node: what lowerPayloads made calls of device functions becomes the payload of the draw, which lies at
// abi::MeshNodeArguments::payloads plus DrawIndex times `strideBytes`. No call and no import is left.
// Must come behind lowerPushConstants, which adds the arguments.
Status lowerMeshPayload(NodeShader& shader, uint32_t strideBytes);

// ShaderIndexAMDX and RemainingRecursionLevelsAMDX of a mesh node become constants. Fails for DrawIndex.
// Must come before lowerPayloads, which removes the extension.
Status lowerMeshBuiltIns(NodeShader& shader);

}  // namespace millrace::nodes
