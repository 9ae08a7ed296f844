// SPDX-License-Identifier: Apache-2.0
// glslang's log in the words of somebody who wrote the dialect.
#pragma once

#include <string>

#include "glsl/declarations.h"

namespace millrace::glsl {

// Lines "FILE:LINE:COLUMN: error: REASON" and "...: warning: REASON", each with its newline. The column, which may be
// absent, is that of the text that glslang has seen.
struct Messages {
    std::string errors;
    std::string warnings;
};

// Of the errors of a line the first, since the others are mostly its consequences, and 20 at most. `file` is for what
// glslang says of no line.
Messages readLog(const std::string& log, const std::string& file, const Declarations& declarations);

}  // namespace millrace::glsl
