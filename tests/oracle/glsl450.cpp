// SPDX-License-Identifier: Apache-2.0
// The instructions of GLSL.std.450 that compute shaders use. Transcendental functions are as exact as the host's.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <cmath>

#include "oracle/arithmetic.h"
#include "oracle/layout.h"
#include "oracle/numbers.h"

namespace millrace::oracle {

namespace {

#define MR_ONE(name, expression)               \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a)                    \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_ONE(FAbs, std::fabs(a))
MR_ONE(Sign, (a > 0) - (a < 0))
MR_ONE(Floor, std::floor(a))
MR_ONE(Ceil, std::ceil(a))
MR_ONE(Trunc, std::trunc(a))
MR_ONE(RoundEven, std::nearbyint(a))
MR_ONE(Fract, a - std::floor(a))
MR_ONE(Sqrt, std::sqrt(a))
MR_ONE(InverseSqrt, 1 / std::sqrt(a))
MR_ONE(Sin, std::sin(a))
MR_ONE(Cos, std::cos(a))
MR_ONE(Tan, std::tan(a))
MR_ONE(Asin, std::asin(a))
MR_ONE(Acos, std::acos(a))
MR_ONE(Atan, std::atan(a))
MR_ONE(Exp, std::exp(a))
MR_ONE(Log, std::log(a))
MR_ONE(Exp2, std::exp2(a))
MR_ONE(Log2, std::log2(a))
MR_ONE(Radians, a* static_cast<T>(0.017453292519943295))
MR_ONE(Degrees, a* static_cast<T>(57.29577951308232))
MR_ONE(SAbs, a < 0 ? -a : a)
MR_ONE(FindLsb, a == 0 ? ~uint64_t{0} : uint64_t(std::countr_zero(static_cast<std::make_unsigned_t<T>>(a))))
MR_ONE(FindUMsb, a == 0 ? ~uint64_t{0} : uint64_t(sizeof(T) * 8 - 1) - uint64_t(std::countl_zero(a)))

struct FindSMsb {
    template <typename T>
    static T apply(T a)
    {
        using Bits = std::make_unsigned_t<T>;
        return static_cast<T>(FindUMsb::apply<Bits>(static_cast<Bits>(a < 0 ? ~a : a)));
    }
};

#define MR_TWO(name, expression)               \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a, T b)               \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_TWO(Min, b < a ? b : a)
MR_TWO(Max, a < b ? b : a)
MR_TWO(NMin, std::fmin(a, b))
MR_TWO(NMax, std::fmax(a, b))
MR_TWO(Pow, std::pow(a, b))
MR_TWO(Atan2, std::atan2(a, b))
MR_TWO(Step, b < a ? 0 : 1)

#define MR_THREE(name, expression)             \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a, T b, T c)          \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_THREE(Clamp, std::min(std::max(a, b), c))
MR_THREE(Mix, a*(1 - c) + b * c)
MR_THREE(Fma, std::fma(a, b, c))

struct SmoothStep {
    template <typename T>
    static T apply(T low, T high, T x)
    {
        const T t = std::min(std::max((x - low) / (high - low), T{0}), T{1});
        return t * t * (3 - 2 * t);
    }
};

ArithmeticFunction unaryFloat(uint32_t instruction, uint32_t width)
{
    switch (instruction) {
        case GLSLstd450Round:
        case GLSLstd450RoundEven:
            return MR_FLOAT_LOOP(unary, RoundEven, width);
        case GLSLstd450Trunc:
            return MR_FLOAT_LOOP(unary, Trunc, width);
        case GLSLstd450FAbs:
            return MR_FLOAT_LOOP(unary, FAbs, width);
        case GLSLstd450FSign:
            return MR_FLOAT_LOOP(unary, Sign, width);
        case GLSLstd450Floor:
            return MR_FLOAT_LOOP(unary, Floor, width);
        case GLSLstd450Ceil:
            return MR_FLOAT_LOOP(unary, Ceil, width);
        case GLSLstd450Fract:
            return MR_FLOAT_LOOP(unary, Fract, width);
        case GLSLstd450Radians:
            return MR_FLOAT_LOOP(unary, Radians, width);
        case GLSLstd450Degrees:
            return MR_FLOAT_LOOP(unary, Degrees, width);
        case GLSLstd450Sin:
            return MR_FLOAT_LOOP(unary, Sin, width);
        case GLSLstd450Cos:
            return MR_FLOAT_LOOP(unary, Cos, width);
        case GLSLstd450Tan:
            return MR_FLOAT_LOOP(unary, Tan, width);
        case GLSLstd450Asin:
            return MR_FLOAT_LOOP(unary, Asin, width);
        case GLSLstd450Acos:
            return MR_FLOAT_LOOP(unary, Acos, width);
        case GLSLstd450Atan:
            return MR_FLOAT_LOOP(unary, Atan, width);
        case GLSLstd450Exp:
            return MR_FLOAT_LOOP(unary, Exp, width);
        case GLSLstd450Log:
            return MR_FLOAT_LOOP(unary, Log, width);
        case GLSLstd450Exp2:
            return MR_FLOAT_LOOP(unary, Exp2, width);
        case GLSLstd450Log2:
            return MR_FLOAT_LOOP(unary, Log2, width);
        case GLSLstd450Sqrt:
            return MR_FLOAT_LOOP(unary, Sqrt, width);
        case GLSLstd450InverseSqrt:
            return MR_FLOAT_LOOP(unary, InverseSqrt, width);
        default:
            return nullptr;
    }
}

ArithmeticFunction otherFloat(uint32_t instruction, uint32_t width)
{
    switch (instruction) {
        case GLSLstd450Pow:
            return MR_FLOAT_LOOP(binary, Pow, width);
        case GLSLstd450Atan2:
            return MR_FLOAT_LOOP(binary, Atan2, width);
        case GLSLstd450FMin:
            return MR_FLOAT_LOOP(binary, Min, width);
        case GLSLstd450FMax:
            return MR_FLOAT_LOOP(binary, Max, width);
        case GLSLstd450NMin:
            return MR_FLOAT_LOOP(binary, NMin, width);
        case GLSLstd450NMax:
            return MR_FLOAT_LOOP(binary, NMax, width);
        case GLSLstd450Step:
            return MR_FLOAT_LOOP(binary, Step, width);
        case GLSLstd450FClamp:
        case GLSLstd450NClamp:
            return MR_FLOAT_LOOP(ternary, Clamp, width);
        case GLSLstd450FMix:
            return MR_FLOAT_LOOP(ternary, Mix, width);
        case GLSLstd450SmoothStep:
            return MR_FLOAT_LOOP(ternary, SmoothStep, width);
        case GLSLstd450Fma:
            return MR_FLOAT_LOOP(ternary, Fma, width);
        default:
            return nullptr;
    }
}

ArithmeticFunction integer(uint32_t instruction, uint32_t width)
{
    switch (instruction) {
        case GLSLstd450SAbs:
            return MR_INT_LOOP(unary, SAbs, width);
        case GLSLstd450SSign:
            return MR_INT_LOOP(unary, Sign, width);
        case GLSLstd450UMin:
            return MR_UINT_LOOP(binary, Min, width);
        case GLSLstd450SMin:
            return MR_INT_LOOP(binary, Min, width);
        case GLSLstd450UMax:
            return MR_UINT_LOOP(binary, Max, width);
        case GLSLstd450SMax:
            return MR_INT_LOOP(binary, Max, width);
        case GLSLstd450UClamp:
            return MR_UINT_LOOP(ternary, Clamp, width);
        case GLSLstd450SClamp:
            return MR_INT_LOOP(ternary, Clamp, width);
        case GLSLstd450FindILsb:
            return MR_UINT_LOOP(unary, FindLsb, width);
        case GLSLstd450FindUMsb:
            return MR_UINT_LOOP(unary, FindUMsb, width);
        case GLSLstd450FindSMsb:
            return MR_INT_LOOP(unary, FindSMsb, width);
        default:
            return nullptr;
    }
}

template <typename T>
typename Number<T>::Value lengthOf(const uint64_t* slots, uint32_t count)
{
    typename Number<T>::Value sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += Number<T>::get(slots[i]) * Number<T>::get(slots[i]);
    return std::sqrt(sum);
}

template <typename T>
void length(uint64_t* slots, const ArithmeticOperands& where)
{
    slots[where.destination] = Number<T>::put(lengthOf<T>(slots + where.a, where.count));
}

template <typename T>
void normalize(uint64_t* slots, const ArithmeticOperands& where)
{
    const auto size = lengthOf<T>(slots + where.a, where.count);
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = Number<T>::put(Number<T>::get(slots[where.a + i]) / size);
}

template <typename T>
void distance(uint64_t* slots, const ArithmeticOperands& where)
{
    typename Number<T>::Value sum = 0;
    for (uint32_t i = 0; i < where.count; ++i) {
        const auto difference = Number<T>::get(slots[where.a + i]) - Number<T>::get(slots[where.b + i]);
        sum += difference * difference;
    }
    slots[where.destination] = Number<T>::put(std::sqrt(sum));
}

template <typename T>
void cross(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t j = (i + 1) % 3;
        const uint32_t k = (i + 2) % 3;
        slots[where.destination + i] =
            Number<T>::put(Number<T>::get(slots[where.a + j]) * Number<T>::get(slots[where.b + k]) -
                           Number<T>::get(slots[where.a + k]) * Number<T>::get(slots[where.b + j]));
    }
}

void packHalf(uint64_t* slots, const ArithmeticOperands& where)
{
    const auto half = [&](uint32_t i) { return uint64_t{floatToHalf(Number<float>::get(slots[where.a + i]))}; };
    slots[where.destination] = half(0) | half(1) << 16;
}

void unpackHalf(uint64_t* slots, const ArithmeticOperands& where)
{
    const uint64_t bits = slots[where.a];
    for (uint32_t i = 0; i < 2; ++i)
        slots[where.destination + i] = Number<float>::put(halfToFloat(static_cast<uint16_t>(bits >> (16 * i))));
}

}  // namespace

#define MR_VECTOR(function, width) \
    ((width) == 16 ? &function<Half> : (width) == 32 ? &function<float> : &function<double>)

ArithmeticFunction glslFunction(uint32_t instruction, const Type& operand)
{
    if (operand.kind != TypeKind::Float)
        return integer(instruction, operand.width);
    const ArithmeticFunction found = unaryFloat(instruction, operand.width);
    return found ? found : otherFloat(instruction, operand.width);
}

ArithmeticFunction glslVectorFunction(uint32_t instruction, const Type& operand)
{
    switch (instruction) {
        case GLSLstd450Length:
            return MR_VECTOR(length, operand.width);
        case GLSLstd450Normalize:
            return MR_VECTOR(normalize, operand.width);
        case GLSLstd450Distance:
            return MR_VECTOR(distance, operand.width);
        case GLSLstd450Cross:
            return MR_VECTOR(cross, operand.width);
        case GLSLstd450PackHalf2x16:
            return &packHalf;
        case GLSLstd450UnpackHalf2x16:
            return &unpackHalf;
        default:
            return nullptr;
    }
}

}  // namespace millrace::oracle
