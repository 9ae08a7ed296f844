// SPDX-License-Identifier: Apache-2.0
// In place of bitcode_llvm.cpp where there is no LLVM.
#include "dxil/bitcode.h"

namespace millrace::dxil {

bool canReadBitcode()
{
    return false;
}

Result<std::unique_ptr<Program>> readBitcode(std::span<const uint8_t>)
{
    return Diagnostic{"dxil", "", "this build of Millrace cannot read DXIL: it was built without LLVM 22"};
}

}  // namespace millrace::dxil
