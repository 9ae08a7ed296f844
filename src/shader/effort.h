// SPDX-License-Identifier: Apache-2.0
// How much work a function is, about.
#pragma once

#include <cstdint>
#include <optional>

#include "spirv/module.h"

namespace millrace::shader {

// Instructions that one run of a function takes if it goes all ways: those of loops as often as a comparison of what
// they count with a constant lets them run, those of functions at each call. None if there is a loop that counts
// nothing, or is as long as others say. For choices between two ways to do the same, not for proofs.
std::optional<uint64_t> estimateInstructions(const spirv::Module& module, spirv::Id function);

}  // namespace millrace::shader
