// SPDX-License-Identifier: Apache-2.0
// A node as a function that another one calls for each payload.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/fusion/leaves.h"
#include "compiler/fusion/settle.h"
#include "compiler/node_shader.h"
#include "spirv/library.h"

namespace millrace::compiler {

inline constexpr std::string_view kCalleeName = "mr_fused_node";

// The function has an unsigned integer for the node's index and one for each leaf of the payload, then of the push
// constants, all of 32 or 64 bits.
struct Callee {
    spirv::Library library;  // exports kCalleeName
    std::vector<Leaf> payload;
    std::vector<Leaf> pushConstants;
    FloatModes floatModes;
    bool hasBlock = false;  // of push constants, which the function reads itself
};

struct Caller {
    // It has push constants of its own, and a shader may have one block only; else the function reads its block itself.
    bool givesPushConstants = false;
    bool isLevelAbove = false;  // of the node's own recursion
    uint32_t calls = 0;         // by one invocation, at most
};

// `node`: behind the passes that leave it a module of the extension (see compile.cpp). What it sends is sent by the
// caller then, with budgets for all calls. Errors say why the node cannot be called.
Result<Callee> makeCallee(NodeShader node, const Caller& caller);

// The push constant block that functions use, or none.
spirv::Id findPushConstants(const spirv::Module& module);

}  // namespace millrace::compiler
