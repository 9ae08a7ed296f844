// SPDX-License-Identifier: Apache-2.0
// What the shaders of these tests compute of their input, on the host.
#pragma once

#include <cstdint>

namespace millrace::commandtest {

inline constexpr uint32_t kPushWords = 12;

inline uint32_t mixed(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash ^ (hash >> 15);
}

}  // namespace millrace::commandtest
