// SPDX-License-Identifier: Apache-2.0
// Arithmetic of worst cases: what would overflow is "unlimited" and stays so.
#pragma once

#include <cstdint>

namespace millrace::graph {

inline constexpr uint64_t kUnlimited = UINT64_MAX;

constexpr uint64_t saturatingAdd(uint64_t a, uint64_t b)
{
    return a > kUnlimited - b ? kUnlimited : a + b;
}

constexpr uint64_t saturatingMultiply(uint64_t a, uint64_t b)
{
    return b != 0 && a > kUnlimited / b ? kUnlimited : a * b;
}

constexpr uint64_t divideUp(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

constexpr uint64_t roundUp(uint64_t a, uint64_t multiple)
{
    return divideUp(a, multiple) * multiple;
}

}  // namespace millrace::graph
