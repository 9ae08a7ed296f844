// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compiler/compile.h"

namespace millrace::compiler {

// Fails for modules that the other passes need not understand: not SPIR-V, invalid, revision 1 of the extension, no
// compute entry point of the wanted name, a memory or addressing model that is not for shaders.
// Must come first, because SPIRV-Tools' passes rely on valid modules. What real compilers emit and spirv-val rejects is
// let through: queries of a type, NonWritable on the input, atomics on payloads, payload pointers as parameters,
// OutputMemory in barriers.
Status rejectUnsupported(std::span<const uint32_t> words, const Options& options);

}  // namespace millrace::compiler
