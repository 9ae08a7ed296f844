// SPDX-License-Identifier: Apache-2.0
// Payloads that a workgroup keeps in workgroup memory, and how much memory they would have elsewhere.
#pragma once

#include <optional>
#include <vector>

#include "spirv/module.h"

namespace millrace::nodes {

// Says of a Workgroup variable that it holds payloads which the workgroup keeps, by a decoration that goes with the
// module's words until unmarkKept().
void markKept(spirv::Module& module, spirv::Id variable);
void unmarkKept(spirv::Module& module);

// Numbers, and what is made of them, as std430 lays them out: every device can read memory so. None of other types.
struct PlainSize {
    uint64_t bytes = 0;  // a multiple of the alignment
    uint32_t alignment = 1;
};
std::optional<PlainSize> plainSizeOf(const spirv::Module& module, spirv::Id type);

// Of each of them in memory.
inline constexpr uint32_t kKeptAlignment = 16;

// A marked variable that is worth moving, and where it would begin in the workgroup's memory.
struct KeptVariable {
    spirv::Id variable;
    uint32_t offsetBytes = 0;
};
std::vector<KeptVariable> keptVariables(const spirv::Module& module);

// Of all of them, a multiple of 128.
uint32_t keptMemoryBytes(const spirv::Module& module);

}  // namespace millrace::nodes
