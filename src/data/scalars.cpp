// SPDX-License-Identifier: Apache-2.0
#include "data/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace millrace::data {

namespace {

using Kind = DataType::Kind;

template <typename T>
T load(const uint8_t* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

float halfToFloat(uint16_t half)
{
    const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
    const int exponent = (half >> 10) & 31;
    const int mantissa = half & 1023;
    if (exponent == 31)
        return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                 : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
}

// Rounds to nearest, ties to even.
uint16_t floatToHalf(double value)
{
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (std::isnan(value))
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size == 0)
        return sign;
    int exponent = 0;
    (void)std::frexp(size, &exponent);
    // Units in the last place, of which subnormal numbers all have the same.
    exponent = std::max(exponent, -13);
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 11 - exponent)));
    // A carry into the exponent is right as it is, since the mantissa is 0 then.
    return static_cast<uint16_t>(sign | (units + (static_cast<uint32_t>(exponent + 13) << 10)));
}

std::string doesNotFit(const DataType& scalar, const std::string& number)
{
    return number + " does not fit into " + nameOf(scalar);
}

template <typename Float>
std::string floatText(Float value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char text[64];
    return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

template <typename Number>
bool parse(std::string_view text, Number& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

uint64_t loadUnsigned(uint32_t bits, const uint8_t* bytes)
{
    uint64_t value = 0;
    std::memcpy(&value, bytes, bits / 8);
    return value;
}

int64_t loadSigned(uint32_t bits, const uint8_t* bytes)
{
    const uint64_t value = loadUnsigned(bits, bytes) << (64 - bits);
    return static_cast<int64_t>(value) >> (64 - bits);
}

void storeFloat(uint32_t bits, double value, uint8_t* bytes)
{
    const auto single = static_cast<float>(value);
    const uint16_t half = floatToHalf(value);
    const void* from = bits == 64   ? static_cast<const void*>(&value)
                       : bits == 32 ? static_cast<const void*>(&single)
                                    : static_cast<const void*>(&half);
    std::memcpy(bytes, from, bits / 8);
}

std::optional<std::string> storeUnsigned(const DataType& scalar, uint64_t value, uint8_t* bytes)
{
    const uint64_t most =
        scalar.kind == Kind::Signed ? UINT64_MAX >> (65 - scalar.bits) : UINT64_MAX >> (64 - scalar.bits);
    if (value > most)
        return doesNotFit(scalar, std::to_string(value));
    std::memcpy(bytes, &value, scalar.bits / 8);
    return std::nullopt;
}

std::optional<std::string> storeNegative(const DataType& scalar, int64_t value, uint8_t* bytes)
{
    if (scalar.kind == Kind::Unsigned || value < -static_cast<int64_t>(UINT64_MAX >> (65 - scalar.bits)) - 1)
        return doesNotFit(scalar, std::to_string(value));
    std::memcpy(bytes, &value, scalar.bits / 8);
    return std::nullopt;
}

double readNumber(const DataType& scalar, const uint8_t* bytes)
{
    switch (scalar.kind) {
        case Kind::Signed:
            return static_cast<double>(loadSigned(scalar.bits, bytes));
        case Kind::Float:
            return scalar.bits == 64   ? load<double>(bytes)
                   : scalar.bits == 32 ? load<float>(bytes)
                                       : halfToFloat(load<uint16_t>(bytes));
        default:
            return static_cast<double>(loadUnsigned(scalar.bits, bytes));
    }
}

std::string scalarText(const DataType& scalar, const uint8_t* bytes)
{
    switch (scalar.kind) {
        case Kind::Signed:
            return std::to_string(loadSigned(scalar.bits, bytes));
        case Kind::Float:
            return scalar.bits == 64 ? floatText(load<double>(bytes))
                                     : floatText(static_cast<float>(readNumber(scalar, bytes)));
        default:
            return std::to_string(loadUnsigned(scalar.bits, bytes));
    }
}

std::optional<std::string> scalarFromText(const DataType& scalar, std::string_view text, uint8_t* bytes)
{
    uint64_t whole = 0;
    int64_t negative = 0;
    double value = 0;
    if (scalar.kind == Kind::Float && parse(text, value)) {
        storeFloat(scalar.bits, value, bytes);
        return std::nullopt;
    }
    if (scalar.kind != Kind::Float && parse(text, whole))
        return storeUnsigned(scalar, whole, bytes);
    if (scalar.kind != Kind::Float && parse(text, negative))
        return storeNegative(scalar, negative, bytes);
    return "\"" + std::string(text) + "\" is not " + (scalar.kind == Kind::Float ? "a number" : "a whole number");
}

}  // namespace millrace::data
