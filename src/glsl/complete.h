// SPDX-License-Identifier: Apache-2.0
// From a module with placeholders to one of SPV_AMDX_shader_enqueue.
#pragma once

#include "base/result.h"
#include "glsl/declarations.h"
#include "spirv/tools.h"

namespace millrace::glsl {

struct Completed {
    spirv::Words words;
    std::string entryPoint;
    std::string payloadAtomic;  // as CodeNotes has it
    std::string warnings;       // as findWarnings() has them
};

// Errors: a rule of the dialect that only the compiled code shows broken; the message begins with file and line.
Result<Completed> completeModule(const spirv::Words& words, const Declarations& declarations, bool keepLines);

}  // namespace millrace::glsl
