// SPDX-License-Identifier: Apache-2.0
// Node shaders in GLSL (docs/glsl.md) to modules of SPV_AMDX_shader_enqueue revision 2.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spirv/tools.h"

namespace millrace::glsl {

struct Options {
    std::vector<std::string> includeFolders;                       // for #include, after the folder of the includer
    std::vector<std::pair<std::string, std::string>> definitions;  // macros; the value may be empty
    bool debugInformation = false;                                 // keep the source text and line numbers
};

struct Compiled {
    spirv::Words words;
    std::string entryPoint;
    std::string warnings;  // as errors
    // Atomic operations on payloads, which spirv-val refuses although HLSL has them; there is a warning of it.
    bool hasPayloadAtomics = false;
    std::vector<std::string> includedFiles;  // each path once, in the order of the text
};

// Errors: the message has a line "FILE:LINE:COLUMN: error: REASON" for each of them, and behind it the line of the
// source and a caret below the column, both with four spaces in front. Of a line the first error is said, and nothing
// behind an error of syntax. FILE is `file`, which is not opened, or the path
// of an included file. Thread-safe.
Result<Compiled> compile(const std::string& source, const std::string& file, const Options& options);

// Likewise a fragment shader, which is no node: with the includes and macros of nodes, without their declarations and
// functions.
Result<Compiled> compileFragment(const std::string& source, const std::string& file, const Options& options);

}  // namespace millrace::glsl
