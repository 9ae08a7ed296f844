// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// Adds the functions of src/shaders/device/node.glsl that the node calls, from the build for `code`, and removes what
// is unused.
// Ensures: a valid compute shader for Vulkan 1.3 with entry point "main".
Status linkDeviceLibrary(NodeShader& shader, const Code& code, const Options& options);

}  // namespace millrace::compiler
