// SPDX-License-Identifier: Apache-2.0
// The rules of DXIL for native vectors (shader model 6.9): where a vector may stand, which operations take one, what
// loads and stores of raw buffers may look like. They are those of proposal 0030 and of the reference validator, with
// the reference's names and words. docs/dxil.md says what is checked, and where both differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::dxil {

struct Violation {
    std::string rule;     // "TYPES.NOVECTOR"
    std::string message;  // "Vector type '<1 x float>' is not allowed."
    std::string place;    // "main, block 0, instruction 2: %v = alloca <1 x float>"
    std::string text() const;
};

// Errors: what cannot be read at all.
Result<std::vector<Violation>> findViolations(std::span<const uint8_t> container);

}  // namespace millrace::dxil
