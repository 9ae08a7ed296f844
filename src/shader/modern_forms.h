// SPDX-License-Identifier: Apache-2.0
// What older versions of SPIR-V allow and newer ones do not.
#pragma once

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::shader {

// Leaves nothing that makes a module invalid once its version is raised to 1.6, interfaces of entry points excepted:
// storage buffers get their own storage class, branches with one target become unconditional. Debug information of
// extended instruction sets goes, since it describes types and variables that passes are about to change. Errors: a
// pointer to a storage buffer that is passed to a function.
Status useModernForms(spirv::Module& module);

}  // namespace millrace::shader
