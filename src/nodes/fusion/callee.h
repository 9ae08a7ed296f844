// SPDX-License-Identifier: Apache-2.0
// A node as a function that another one calls for each payload.
#pragma once

#include <string_view>
#include <vector>

#include "nodes/fusion/held_input.h"
#include "nodes/fusion/leaves.h"
#include "nodes/fusion/settle.h"
#include "nodes/node_shader.h"
#include "spirv/library.h"

namespace millrace::nodes {

inline constexpr std::string_view kCalleeName = "mr_fused_node";

// An array of payloads that the module exports which gets the function, if this finds its payload in place.
inline constexpr std::string_view kKeptPayloadsName = "mr_fused_payloads";

// The function has an unsigned integer for the node's index; then one for each leaf of the payload or, if it finds that
// in place, one for its number in the array; if it is called by workgroups, one for the workgroup's number in the
// node's grid; then one for each leaf of the push constants. All have 32 or 64 bits.
struct Callee {
    spirv::Library library;  // exports kCalleeName
    std::vector<Leaf> payload;
    std::vector<Leaf> pushConstants;
    CodeModes codeModes;
    bool hasBlock = false;  // of push constants, which the function reads itself
    bool inPlace = false;   // it reads the payload where the caller keeps it: a variable of the same type
    // If it is called by workgroups: workgroups of its grid, for each of which it is called, and whether a workgroup
    // may begin only when the one before has ended, for the sake of its shared memory.
    uint32_t groups = 0;
    bool sharesMemory = false;
};

struct Caller {
    // It has push constants of its own, and a shader may have one block only; else the function reads its block itself.
    bool givesPushConstants = false;
    uint32_t levelsAbove = 0;  // of the node's own recursion; 0 if the caller is another node
    bool isOneOfMany = false;  // others call copies of the node
    uint32_t calls = 0;        // by one invocation, or for one payload of a workgroup's, at most
    // By workgroup: all its invocations call together, for one of these.
    CallersPayloads payloads;
};

// `node`: behind the passes that leave it a module of the extension (see compile.cpp). What it sends is sent by the
// caller then, with budgets for all calls. Errors say why the node cannot be called.
Result<Callee> makeCallee(NodeShader node, const Caller& caller);

// The push constant block that functions use, or none.
spirv::Id findPushConstants(const spirv::Module& module);

}  // namespace millrace::nodes
