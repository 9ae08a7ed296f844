// SPDX-License-Identifier: Apache-2.0
// HLSL's words for vectors of any length, element by element, so that the bodies of vectors/ are C++ too.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace millrace::dxil::reference {

using uint = uint32_t;

template <typename T>
inline constexpr bool kIsFloat = !std::numeric_limits<T>::is_integer;

// bool as a byte, so that elements can be referred to.
template <typename T>
struct Vec {
    std::vector<T> e;
    T& operator[](uint i) { return e[i]; }
    const T& operator[](uint i) const { return e[i]; }
    size_t size() const { return e.size(); }
};
using Bools = Vec<uint8_t>;

template <typename R, typename T, typename F>
Vec<R> map(const Vec<T>& a, const F& f)
{
    Vec<R> out;
    for (const T& x : a.e)
        out.e.push_back(static_cast<R>(f(x)));
    return out;
}

template <typename R, typename T, typename F>
Vec<R> zip(const Vec<T>& a, const Vec<T>& b, const F& f)
{
    Vec<R> out;
    for (size_t i = 0; i < a.size(); ++i)
        out.e.push_back(static_cast<R>(f(a.e[i], b.e[i])));
    return out;
}

// Integers wrap around: the arithmetic is done on unsigned numbers, of 16 bits on wider ones.
template <typename T>
auto wrapping(T value)
{
    if constexpr (kIsFloat<T>)
        return value;
    else if constexpr (sizeof(T) < 4)
        return static_cast<uint32_t>(value);
    else
        return static_cast<std::make_unsigned_t<T>>(value);
}

// A vector and a scalar, too.
#define MR_OPERATOR(op, R, expression)                             \
    template <typename T>                                          \
    Vec<R> operator op(const Vec<T>& a, const Vec<T>& b)           \
    {                                                              \
        return zip<R>(a, b, [](T x, T y) { return expression; });  \
    }                                                              \
    template <typename T>                                          \
    Vec<R> operator op(const Vec<T>& a, std::type_identity_t<T> b) \
    {                                                              \
        return a op Vec<T>{std::vector<T>(a.size(), b)};           \
    }
MR_OPERATOR(+, T, wrapping(x) + wrapping(y))
MR_OPERATOR(-, T, wrapping(x) - wrapping(y))
MR_OPERATOR(*, T, wrapping(x) * wrapping(y))
MR_OPERATOR(/, T, x / y)
MR_OPERATOR(%, T, x % y)
MR_OPERATOR(<<, T, wrapping(x) << y)
MR_OPERATOR(>>, T, x >> y)
MR_OPERATOR(&, T, x& y)
MR_OPERATOR(|, T, x | y)
MR_OPERATOR(^, T, x ^ y)
MR_OPERATOR(<, uint8_t, x < y)
MR_OPERATOR(>=, uint8_t, x >= y)
MR_OPERATOR(==, uint8_t, x == y)
MR_OPERATOR(!=, uint8_t, x != y)
#undef MR_OPERATOR

template <typename T>
Vec<T> operator-(const Vec<T>& a)
{
    return map<T>(a, [](T x) { return -x; });
}
template <typename T>
Vec<T> operator~(const Vec<T>& a)
{
    return map<T>(a, [](T x) { return ~x; });
}

template <typename T>
Vec<T> min(const Vec<T>& a, const Vec<T>& b)
{
    return zip<T>(a, b, [](T x, T y) { return y < x ? y : x; });
}
template <typename T>
Vec<T> max(const Vec<T>& a, const Vec<T>& b)
{
    return zip<T>(a, b, [](T x, T y) { return x < y ? y : x; });
}
template <typename T>
Vec<T> fmod(const Vec<T>& a, const Vec<T>& b)
{
    return zip<T>(a, b,
                  [](T x, T y) { return static_cast<T>(std::fmod(static_cast<double>(x), static_cast<double>(y))); });
}
template <typename T>
Vec<T> mad(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c)
{
    return a * b + c;
}
template <typename T>
Vec<T> fma(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c)
{
    return a * b + c;  // the operands are such that nothing is rounded
}
template <typename T>
Vec<T> abs(const Vec<T>& a)
{
    return map<T>(a, [](T x) { return x < T(0) ? static_cast<T>(T(0) - x) : x; });
}
template <typename T>
Vec<T> saturate(const Vec<T>& a)
{
    return map<T>(a, [](T x) { return x < T(0) ? T(0) : x > T(1) ? T(1) : x; });
}
template <typename T>
Vec<T> select(const Bools& which, const Vec<T>& a, const Vec<T>& b)
{
    Vec<T> out = a;
    for (size_t i = 0; i < a.size(); ++i)
        out.e[i] = which.e[i] != 0 ? a.e[i] : b.e[i];
    return out;
}
template <typename T>
uint all(const Vec<T>& a)
{
    return std::ranges::all_of(a.e, [](T x) { return x != T(0); });
}
template <typename T>
uint any(const Vec<T>& a)
{
    return std::ranges::any_of(a.e, [](T x) { return x != T(0); });
}
template <typename R, typename T>
Vec<R> convert(const Vec<T>& a)
{
    return map<R>(a, [](T x) { return static_cast<R>(x); });
}

// In double, rounded once: with halves the device's own arithmetic is of 32 bits.
#define MR_FUNCTION(name, expression)                  \
    template <typename T>                              \
    Vec<T> name(const Vec<T>& a)                       \
    {                                                  \
        return map<T>(a, [](T value) {                 \
            const auto x = static_cast<double>(value); \
            return expression;                         \
        });                                            \
    }
MR_FUNCTION(floor, std::floor(x))
MR_FUNCTION(ceil, std::ceil(x))
MR_FUNCTION(trunc, std::trunc(x))
MR_FUNCTION(round, std::nearbyint(x))
MR_FUNCTION(frac, x - std::floor(x))
MR_FUNCTION(sqrt, std::sqrt(x))
MR_FUNCTION(rsqrt, 1 / std::sqrt(x))
MR_FUNCTION(cos, std::cos(x))
MR_FUNCTION(sin, std::sin(x))
MR_FUNCTION(tan, std::tan(x))
MR_FUNCTION(acos, std::acos(x))
MR_FUNCTION(asin, std::asin(x))
MR_FUNCTION(atan, std::atan(x))
MR_FUNCTION(cosh, std::cosh(x))
MR_FUNCTION(sinh, std::sinh(x))
MR_FUNCTION(tanh, std::tanh(x))
MR_FUNCTION(exp2, std::exp2(x))
MR_FUNCTION(log2, std::log2(x))
MR_FUNCTION(exp, std::exp(x))
MR_FUNCTION(log, std::log(x))
#undef MR_FUNCTION

#define MR_QUESTION(name, expression)                                                           \
    template <typename T>                                                                       \
    Bools name(const Vec<T>& a)                                                                 \
    {                                                                                           \
        return map<uint8_t>(a, [](T value) { return expression(static_cast<double>(value)); }); \
    }
MR_QUESTION(isnan, std::isnan)
MR_QUESTION(isinf, std::isinf)
MR_QUESTION(isfinite, std::isfinite)
MR_QUESTION(isnormal, std::isnormal)
#undef MR_QUESTION

template <typename T>
T dot(const Vec<T>& a, const Vec<T>& b)
{
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a.e[i]) * static_cast<double>(b.e[i]);
    return static_cast<T>(sum);
}

template <typename T>
Vec<T> reversebits(const Vec<T>& a)
{
    return map<T>(a, [](T x) {
        T out = 0;
        for (size_t b = 0; b < 8 * sizeof(T); ++b)
            out = static_cast<T>(out << 1 | (x >> b & 1));
        return out;
    });
}
template <typename T>
Vec<uint> countbits(const Vec<T>& a)
{
    return map<uint>(a, [](T x) { return std::popcount(x); });
}
template <typename T>
Vec<uint> firstbitlow(const Vec<T>& a)
{
    return map<uint>(a, [](T x) { return x == 0 ? ~0 : std::countr_zero(x); });
}
// From the bottom; of signed numbers the highest bit that differs from the sign.
template <typename T>
Vec<uint> firstbithigh(const Vec<T>& a)
{
    return map<uint>(a, [](T value) {
        using Unsigned = std::make_unsigned_t<T>;
        const auto x = static_cast<Unsigned>(value < T(0) ? ~value : value);
        return x == 0 ? ~0 : static_cast<int>(8 * sizeof(T)) - 1 - std::countl_zero(x);
    });
}

}  // namespace millrace::dxil::reference
