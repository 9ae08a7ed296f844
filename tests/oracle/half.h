// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point numbers: bits to float and back, rounding to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace millrace::oracle {

inline float halfToFloat(uint16_t bits)
{
    const uint32_t exponent = bits >> 10 & 31;
    const uint32_t fraction = bits & 1023;
    float value = 0;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), -24);
    else
        value = std::ldexp(static_cast<float>(fraction | 1024), static_cast<int>(exponent) - 25);
    return bits & 0x8000 ? -value : value;
}

inline uint16_t floatToHalf(float value)
{
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float magnitude = std::fabs(value);
    if (std::isnan(value))
        return sign | 0x7e00;
    if (magnitude >= 65520.0f)
        return sign | 0x7c00;
    if (magnitude == 0.0f)
        return sign;
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent - 1), 2^exponent)
    const int scale = exponent < -13 ? 24 : 11 - exponent;
    const auto fraction = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, scale)));
    if (exponent < -13)
        return static_cast<uint16_t>(sign | fraction);  // a subnormal; rounding up to the least normal carries over
    const uint32_t biased = static_cast<uint32_t>(exponent + 14);
    return static_cast<uint16_t>(sign | ((biased << 10) + (fraction - 1024)));
}

}  // namespace millrace::oracle
