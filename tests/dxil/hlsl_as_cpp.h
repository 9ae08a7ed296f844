// SPDX-License-Identifier: Apache-2.0
// Words of HLSL that C++ lacks, so that the functions of the corpus' scalar files compile as C++ too: what g++ makes of
// them is what the GPU must give.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace millrace::dxil::cpu {

using uint = uint32_t;
using min16uint = uint32_t;
using min16float = float;

inline uint32_t sourceWords[128];

#define LOOP
#define BRANCH
#define precise

inline uint source_at(uint index)
{
    return sourceWords[index];
}

inline uint countbits(uint64_t value)
{
    return static_cast<uint>(std::popcount(value));
}
inline uint firstbitlow(uint64_t value)
{
    return value == 0 ? ~0u : static_cast<uint>(std::countr_zero(value));
}
inline uint firstbithigh(uint64_t value)
{
    return value == 0 ? ~0u : 63u - static_cast<uint>(std::countl_zero(value));
}
inline uint firstbithigh(uint value)
{
    return firstbithigh(uint64_t{value});
}
inline uint firstbithigh(int value)
{
    return firstbithigh(static_cast<uint>(value < 0 ? ~value : value));
}
template <typename T>
T reversebits(T value)
{
    T out = 0;
    for (unsigned b = 0; b < 8 * sizeof(T); b++) {
        out = static_cast<T>(out << 1 | (value >> b & 1));
    }
    return out;
}
inline uint asuint(float value)
{
    return std::bit_cast<uint>(value);
}
inline float asfloat(uint value)
{
    return std::bit_cast<float>(value);
}
inline float saturate(float value)
{
    return value > 0.0f ? std::min(value, 1.0f) : 0.0f;
}
using std::abs;
using std::ceil;
using std::floor;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::max;
using std::min;
using std::trunc;

}  // namespace millrace::dxil::cpu
