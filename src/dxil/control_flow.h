// SPDX-License-Identifier: Apache-2.0
// Control flow in SPIR-V's terms: for each loop and each selection the block where its paths meet again.
#pragma once

#include <unordered_map>
#include <vector>

#include "dxil/ir.h"

namespace millrace::dxil {

struct Construct {
    Block* merge = nullptr;
    Block* next = nullptr;  // of loops: the continue target, which is also the block of the back edge
    // Of switches whose cases fall through: the order in which cases must be told, as indices of Value::blocks.
    std::vector<size_t> caseOrder;
};

struct Structure {
    std::vector<Block*> order;                               // all blocks, each behind its dominators
    std::unordered_map<const Block*, Construct> constructs;  // by header
};

// Adds blocks (headers, continue targets, merges) and finds the constructs; values stay what and where they are.
// False if the control flow is not a nest of loops and selections; the function is spoilt then.
bool deriveStructure(Module& module, Function& function, Structure& out);

}  // namespace millrace::dxil
