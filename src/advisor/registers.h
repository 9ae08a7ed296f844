// SPDX-License-Identifier: Apache-2.0
// How many vector registers a shader keeps values in, as an estimate.
#pragma once

#include <cstdint>

#include "advisor/facts.h"

namespace millrace::advisor {

// Local arrays of more bytes that are indexed by a value that is no constant are in private memory.
inline constexpr uint32_t kMostArrayBytes = 256;

// Words that differ among invocations and are alive at the same time, where most are: of values, and of local arrays
// in registers. Drivers move code and keep some values elsewhere, so they may need more or less.
uint32_t liveWords(const PreparedShader& shader);

}  // namespace millrace::advisor
