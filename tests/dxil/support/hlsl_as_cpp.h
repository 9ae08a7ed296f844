// SPDX-License-Identifier: Apache-2.0
// Words of HLSL that C++ lacks, so that the functions of the corpus' scalar files compile as C++ too: what g++ makes of
// them is what the GPU must give.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace millrace::dxil::cpu {

using uint = uint32_t;
using min16uint = uint32_t;
using min16float = float;

inline uint32_t sourceWords[128];

#define LOOP
#define BRANCH
#define NOINLINE inline
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
    for (unsigned b = 0; b < 8 * sizeof(T); ++b)
        out = static_cast<T>(out << 1 | (value >> b & 1));
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

// Vectors of any length, by element.
template <typename T, unsigned N>
struct vector {
    T e[N] = {};

    vector() = default;
    vector(T all) { std::fill_n(e, N, all); }
    template <typename From>
    explicit vector(const vector<From, N>& from)
    {
        std::transform(from.e, from.e + N, e, [](From value) { return static_cast<T>(value); });
    }
    T& operator[](uint index) { return e[index]; }
    const T& operator[](uint index) const { return e[index]; }
};

template <typename R, typename T, unsigned N, typename F>
vector<R, N> zip(const vector<T, N>& a, const vector<T, N>& b, const F& f)
{
    vector<R, N> out;
    for (unsigned i = 0; i < N; ++i)
        out[i] = f(a[i], b[i]);
    return out;
}

#define MR_VECTOR_OPERATOR(op, R)                                              \
    template <typename T, unsigned N>                                          \
    vector<R, N> operator op(const vector<T, N>& a, const vector<T, N>& b)     \
    {                                                                          \
        return zip<R>(a, b, [](T x, T y) { return static_cast<R>(x op y); });  \
    }                                                                          \
    template <typename T, unsigned N>                                          \
    vector<R, N> operator op(const vector<T, N>& a, std::type_identity_t<T> b) \
    {                                                                          \
        return a op vector<T, N>(b);                                           \
    }
MR_VECTOR_OPERATOR(+, T)
MR_VECTOR_OPERATOR(-, T)
MR_VECTOR_OPERATOR(*, T)
MR_VECTOR_OPERATOR(/, T)
MR_VECTOR_OPERATOR(^, T)
MR_VECTOR_OPERATOR(&, T)
MR_VECTOR_OPERATOR(<<, T)
MR_VECTOR_OPERATOR(>>, T)
MR_VECTOR_OPERATOR(<, bool)
MR_VECTOR_OPERATOR(==, bool)
#undef MR_VECTOR_OPERATOR

template <typename T, unsigned N>
vector<T, N> max(const vector<T, N>& a, const vector<T, N>& b)
{
    return zip<T>(a, b, [](T x, T y) { return std::max(x, y); });
}
template <typename T, unsigned N>
vector<T, N> min(const vector<T, N>& a, const vector<T, N>& b)
{
    return zip<T>(a, b, [](T x, T y) { return std::min(x, y); });
}
template <typename T, unsigned N>
vector<T, N> floor(const vector<T, N>& a)
{
    return zip<T>(a, a, [](T x, T) { return std::floor(x); });
}
template <typename T, unsigned N>
vector<T, N> abs(const vector<T, N>& a)
{
    return zip<T>(a, a, [](T x, T) { return std::abs(x); });
}
template <unsigned N>
bool any(const vector<bool, N>& a)
{
    return std::any_of(a.e, a.e + N, [](bool b) { return b; });
}
template <unsigned N>
bool all(const vector<bool, N>& a)
{
    return std::all_of(a.e, a.e + N, [](bool b) { return b; });
}
template <typename T, unsigned N>
vector<T, N> select(const vector<bool, N>& which, const vector<T, N>& a, const vector<T, N>& b)
{
    vector<T, N> out;
    for (unsigned i = 0; i < N; ++i)
        out[i] = which[i] ? a[i] : b[i];
    return out;
}

}  // namespace millrace::dxil::cpu
