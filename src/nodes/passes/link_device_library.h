// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Adds the functions of src/shaders/device/node.glsl that the node calls, from the build for `code`, with the values of
// all their specialization constants. Ensures: a compute shader for Vulkan 1.3 with entry point "main", valid but for
// capabilities that code needs which decideBranches drops.
Status linkDeviceLibrary(NodeShader& shader, const Code& code, const Options& options);

}  // namespace millrace::nodes
