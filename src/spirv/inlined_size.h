// SPDX-License-Identifier: Apache-2.0
// How long code becomes if all calls are inlined, without doing it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::spirv {

// Of what the function becomes; kManyInstructions or more means at least that many. Calls double with each function
// that makes two, so a short module may ask for any number.
inline constexpr uint64_t kManyInstructions = uint64_t{1} << 40;
uint64_t inlinedSize(const Module& module, Id function);

// Fails if an entry point would have more instructions than any shader that was written for a purpose.
inline constexpr uint64_t kMaxInlinedInstructions = 1 << 16;
Status checkInlinedSize(const Module& module);

}  // namespace millrace::spirv
