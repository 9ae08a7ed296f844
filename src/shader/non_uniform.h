// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::shader {

// Whether an array of descriptors is indexed by a value that the module does not declare NonUniform. What is uniform in
// the node's workgroup is not in one of ours that runs several of them.
bool indexesDescriptors(const spirv::Module& module);

// Declares all such accesses NonUniform, with the capabilities that they need.
void markNonUniform(spirv::Module& module);

}  // namespace millrace::shader
