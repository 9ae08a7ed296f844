// SPDX-License-Identifier: Apache-2.0
// What a function can do without when parts of it have gone.
#pragma once

#include <functional>

#include "spirv/module.h"

namespace millrace::spirv {

// Blocks that follow their only predecessor without a choice become part of it. Requires: a block's predecessors are in
// front of it, but for those that continue a loop; no debug information.
void joinBlocks(Function& function);

// Drops results that nobody uses, cycles of phis included, of instructions that may go then. Returns whether there were
// any.
bool dropUnused(Function& function, const std::function<bool(const Instruction&)>& mayGo);

}  // namespace millrace::spirv
