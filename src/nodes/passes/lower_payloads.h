// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Replaces the extension's types and instructions. A payload array, whether by pointer or by value, becomes a handle
// (uvec4, docs/design.md "Device functions"); an access chain through it a call that gives an address and a chain from
// there in PhysicalStorageBuffer, whatever storage class the chain was in; the instructions become calls.
// Ensures: nothing of the extension is left.
// Must come after reflectOutputs, whose numbers the calls pass, after makePayloadsCoherent, and after lowerBuiltIns,
// because the extension's built-ins are invalid without its capability.
Status lowerPayloads(NodeShader& shader);

}  // namespace millrace::nodes
