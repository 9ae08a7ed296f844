// SPDX-License-Identifier: Apache-2.0
// GLSL of the dialect to SPIR-V with placeholders, by glslang.
#pragma once

#include "glsl/compile.h"
#include "glsl/declarations.h"

namespace millrace::glsl {

struct Parsed {
    spirv::Words words;  // of nodes with OpLine and with every function; entry point "main"
    Declarations declarations;
    std::string warnings;
    std::vector<std::string> includedFiles;  // each path once
};

enum class Stage { Node, Fragment };

Result<Parsed> parse(const std::string& source, const std::string& file, const Options& options, Stage stage);

}  // namespace millrace::glsl
