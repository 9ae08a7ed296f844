// SPDX-License-Identifier: Apache-2.0
// The dialect's declarations to GLSL that glslang takes, line for line, before the preprocessor runs.
#pragma once

#include <string>

#include "base/result.h"
#include "glsl/declarations.h"

namespace millrace::glsl {

// What the dialect's functions and words are for glslang; goes before the text.
std::string preamble();

// Every token of the result is on the line that it was on in the text. Appends to `declarations`. The message of an
// error begins with file and line.
Result<std::string> rewriteDeclarations(const std::string& text, const std::string& file, Declarations& declarations);

}  // namespace millrace::glsl
