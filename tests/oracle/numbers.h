// SPDX-License-Identifier: Apache-2.0
// Numbers in slots: decoding, encoding and the loops that arithmetic functions are made of.
#pragma once

#include <bit>
#include <type_traits>

#include "oracle/arithmetic.h"
#include "oracle/half.h"

namespace millrace::oracle {

// Stands for 16-bit floats, which are computed as float and rounded.
struct Half {};

template <typename T>
struct Number {
    using Value = T;
    static T get(uint64_t bits)
    {
        if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<double>(bits);
        else if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<float>(static_cast<uint32_t>(bits));
        else
            return static_cast<T>(bits);
    }
    static uint64_t put(T value)
    {
        if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<uint64_t>(value);
        else if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<uint32_t>(value);
        else
            return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
    }
};

template <>
struct Number<Half> {
    using Value = float;
    static float get(uint64_t bits) { return halfToFloat(static_cast<uint16_t>(bits)); }
    static uint64_t put(float value) { return floatToHalf(value); }
};

template <typename T, typename F>
void unary(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = Number<T>::put(F::apply(Number<T>::get(slots[where.a + i])));
}

template <typename T, typename F>
void binary(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] =
            Number<T>::put(F::apply(Number<T>::get(slots[where.a + i]), Number<T>::get(slots[where.b + i])));
}

template <typename T, typename F>
void ternary(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] =
            Number<T>::put(F::apply(Number<T>::get(slots[where.a + i]), Number<T>::get(slots[where.b + i]),
                                    Number<T>::get(slots[where.c + i])));
}

// A truth value from two numbers.
template <typename T, typename F>
void compare(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = F::apply(Number<T>::get(slots[where.a + i]), Number<T>::get(slots[where.b + i]));
}

// Picks the instance of a loop for the width of a type. FLOAT_LOOP(binary, Add) is an ArithmeticFunction.
#define MR_FLOAT_LOOP(loop, F, width) \
    ((width) == 16 ? &loop<Half, F> : (width) == 32 ? &loop<float, F> : (width) == 64 ? &loop<double, F> : nullptr)
#define MR_UINT_LOOP(loop, F, width)      \
    ((width) == 8    ? &loop<uint8_t, F>  \
     : (width) == 16 ? &loop<uint16_t, F> \
     : (width) == 32 ? &loop<uint32_t, F> \
     : (width) == 64 ? &loop<uint64_t, F> \
                     : nullptr)
#define MR_INT_LOOP(loop, F, width)      \
    ((width) == 8    ? &loop<int8_t, F>  \
     : (width) == 16 ? &loop<int16_t, F> \
     : (width) == 32 ? &loop<int32_t, F> \
     : (width) == 64 ? &loop<int64_t, F> \
                     : nullptr)

}  // namespace millrace::oracle
