// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Makes room for abi::NodeArguments, since a shader has only one push constant block: four uvec2 members at
// Request::argumentsOffsetBytes in a copy of the application's block, or in a block of their own. With
// Request::pushConstantsInMemory the application's block becomes memory at NodeArguments::pushConstants.
// Must come after inlining: pointers to push constants change their type.
Status lowerPushConstants(NodeShader& shader, const Request& request);

}  // namespace millrace::nodes
