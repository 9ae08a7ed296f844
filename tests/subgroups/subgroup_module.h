// SPDX-License-Identifier: Apache-2.0
// Compute shaders as a driver with subgroups of another size runs them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace millrace::subgroups {

inline constexpr uint32_t kMostInvocations = 128;  // of a subgroup

// The same shader, whose subgroups have `size` invocations, a power of two; the last of a workgroup may have fewer. The
// driver's own operations of subgroups are not used any more. Shaders that know nothing of subgroups, and modules that
// are no shader with one compute entry point, come back as they are.
std::vector<uint32_t> withSubgroups(std::span<const uint32_t> words, uint32_t size);

}  // namespace millrace::subgroups
