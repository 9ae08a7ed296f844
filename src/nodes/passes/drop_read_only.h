// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Where Target::dropsReadOnly: nothing says of buffers that the shader does not write them (SPIR-V 3.20, NonWritable),
// neither in the device functions nor in the node. Images stay as they are.
Status dropReadOnly(NodeShader& shader, const Target& target);

}  // namespace millrace::nodes
