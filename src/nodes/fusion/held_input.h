// SPDX-License-Identifier: Apache-2.0
// The input payload of a node in a variable.
#pragma once

#include <optional>
#include <vector>

#include "nodes/fusion/leaves.h"
#include "nodes/fusion/plain_memory.h"
#include "nodes/node_shader.h"
#include "shader/diagnose.h"

namespace millrace::nodes {

struct HeldInput {
    spirv::Id variable;  // none if the node looks at no payload
    std::vector<Leaf> leaves;
    bool isArray = false;  // the input itself is an array of payloads, as coalescing nodes have it
    // The variable is the caller's array, and a Private variable, this one, says which of its payloads is meant.
    spirv::Id number;
};

// Payloads that the caller keeps in an array, of which the node's input is one.
struct CallersPayloads {
    uint32_t count = 0;        // 0: there is none
    bool byWorkgroup = false;  // in workgroup memory, else in Private variables
};

// All functions find the input payload in a variable, which somebody has to fill. The input variable itself stays.
// None, and a failure, where code does more than to read members.
// The variable is `callers` where those are in workgroup memory, or have more numbers than may be passed one by one.
std::optional<HeldInput> holdInput(NodeShader& shader, PlainMemory& memory, shader::Failure& failure,
                                   const CallersPayloads& callers = {});

// All functions find RemainingRecursionLevelsAMDX in `variable`, a Private unsigned integer, which somebody has to
// fill. False, and a failure, where code does more than to load it.
bool holdRemaining(NodeShader& shader, spirv::Id variable, shader::Failure& failure);

}  // namespace millrace::nodes
