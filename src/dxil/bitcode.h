// SPDX-License-Identifier: Apache-2.0
// The bitcode of a DXIL program as our IR. Today LLVM reads it, in bitcode_llvm.cpp and nowhere else; where Millrace is
// built without LLVM, bitcode_absent.cpp says so at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "dxil/ir.h"

namespace millrace::dxil {

bool canReadBitcode();

// A program as it was read. Keeps what is needed to give a function again in another shape.
class Program {
public:
    virtual ~Program() = default;
    virtual Module& module() = 0;
    // Replaces the body of a function by one whose control flow is structured by additional blocks and flags
    // (LLVM's StructurizeCFG), for functions whose own control flow cannot be told in SPIR-V's terms.
    virtual Status structurize(Function& function) = 0;
};

// LLVM's reader trusts its input more than one should: malformed bitcode may end the process. Read untrusted input in a
// process of its own.
Result<std::unique_ptr<Program>> readBitcode(std::span<const uint8_t> bitcode);

}  // namespace millrace::dxil
