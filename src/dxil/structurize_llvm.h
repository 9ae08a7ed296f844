// SPDX-License-Identifier: Apache-2.0
// Control flow of any shape to structured one, by LLVM's passes.
#pragma once

namespace llvm {
class Function;
}

namespace millrace::dxil {

// Makes each loop have one latch and one exit and each branch a merge. Adds blocks and flags, copies and moves nothing
// else, so that wave operations keep their lanes as far as the original graph says which.
void structurizeControlFlow(llvm::Function& function);

}  // namespace millrace::dxil
