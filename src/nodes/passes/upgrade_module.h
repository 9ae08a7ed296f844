// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Makes the module a SPIR-V 1.6 one, the version of the device library: BufferBlock in Uniform becomes Block in
// StorageBuffer, conditional branches to one label become branches. Removes source-level debug information (not names),
// which could not be kept true by the passes that follow. Must come after inlining.
Status upgradeModule(NodeShader& shader);

}  // namespace millrace::nodes
