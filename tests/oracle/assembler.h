// SPDX-License-Identifier: Apache-2.0
// SPIR-V text to words and back to a verdict, by SPIRV-Tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::oracle {

// Throws std::runtime_error with the assembler's message.
std::vector<uint32_t> assemble(const std::string& text);
std::vector<uint32_t> assembleFile(const std::string& path);

// Empty if spirv-val accepts the module for Vulkan 1.3 (scalar block layout), else its message.
std::string validate(const std::vector<uint32_t>& words);

}  // namespace millrace::oracle
