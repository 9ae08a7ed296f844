// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// Links the build of src/shaders/device/node.glsl that fits the node, specialized for it, and removes what is unused.
// Ensures: a valid compute shader for Vulkan 1.3 with entry point "main".
Result<spirv::Words> linkDeviceLibrary(const NodeShader& shader, const Options& options);

}  // namespace millrace::compiler
