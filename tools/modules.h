// SPDX-License-Identifier: Apache-2.0
// Shader modules from files, and what command lines say of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/result.h"
#include "nodes/source_module.h"
#include "spirv/tools.h"

namespace millrace::tools {

// "NAME" or "NAME:INDEX".
struct NodeName {
    std::string name;
    std::optional<uint32_t> index;
};
NodeName parseNodeName(std::string_view text);

// Binary SPIR-V, or text, which the assembler takes. The diagnostic names the file.
Result<spirv::Words> readModule(const std::string& path);

// The names of the module's entry points of this kind, in its order; none if it is not readable.
std::vector<std::string> entryPointsOf(const spirv::Words& words, spv::ExecutionModel model);
inline std::vector<std::string> computeEntryPoints(const spirv::Words& words)
{
    return entryPointsOf(words, spv::ExecutionModel::GLCompute);
}

// What the code of an entry point says and seldom means, in lines "FILE:LINE: warning: REASON", or
// "`file`: warning: entry point ..." where the module has no lines.
std::string codeWarnings(const nodes::SourceModule& module, const std::string& entryPoint, const std::string& file);
inline std::string codeWarnings(const spirv::Words& words, const std::string& entryPoint, const std::string& file)
{
    return codeWarnings(nodes::SourceModule(words), entryPoint, file);
}

}  // namespace millrace::tools
