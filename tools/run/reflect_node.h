// SPDX-License-Identifier: Apache-2.0
// What the shaders of a node say of payloads, descriptors, push constants and specialization constants.
#pragma once

#include "tools/run/program.h"

namespace millrace::tools::run {

// The values of the description in the types of the shader's constants. Throws InputError.
std::vector<spirv::SpecializationValue> encodeSpecialization(const ShaderDescription& description,
                                                             const spirv::Words& words);

// Fills in payload, constants and bindings, those of a fragment shader as well; the rest of the node is there. Throws
// InputError.
void reflectNode(const NodeDescription& description, ProgramNode& node);

}  // namespace millrace::tools::run
