// SPDX-License-Identifier: Apache-2.0
// Shaders as text, and what their variants say.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "commands/shader_variants.h"

namespace millrace::commands {

// A shader of any stage. All have the types void, bool, uint, int, float, v2uint to v4uint, v3int, constants %u0 to
// %u8, a push constant block %push {uint a; uint b; uvec4 c; uint d[4]; uint e; uint64 or float f}, pointer types
// %pc_X, and a storage buffer %out of one uint (%sb_uint).
struct ShaderText {
    uint32_t version = 0x00010600;
    std::string model = "GLCompute";
    std::string capabilities;
    std::string interface = "%push %out";
    std::string modes = "OpExecutionMode %main LocalSize 4 2 1";
    std::string annotations;
    std::string globals;
    std::string body;       // of main, between its label and OpReturn
    std::string functions;  // behind main

    spirv::Words words() const;
};

// The function with this name, as the disassembler writes it; the words must be valid for Vulkan.
std::string functionText(const spirv::Words& words, const std::string& name);
bool hasLine(const spirv::Words& words, const std::string& line);

}  // namespace millrace::commands
