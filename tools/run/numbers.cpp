// SPDX-License-Identifier: Apache-2.0
#include "tools/run/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace millrace::tools::run {

namespace {

using Kind = DataType::Kind;

template <typename T>
T load(const uint8_t* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

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

float halfToFloat(uint16_t half)
{
    const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
    const int exponent = (half >> 10) & 31;
    const int mantissa = half & 1023;
    if (exponent == 31) {
        return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    }
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                 : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
}

// Rounds to nearest, ties to even.
uint16_t floatToHalf(double value)
{
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (std::isnan(value)) {
        return 0x7e00;
    }
    if (size >= 65520) {
        return sign | 0x7c00;
    }
    if (size == 0) {
        return sign;
    }
    int exponent = 0;
    (void)std::frexp(size, &exponent);
    // Units in the last place, of which subnormal numbers all have the same.
    exponent = std::max(exponent, -13);
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 11 - exponent)));
    // A carry into the exponent is right as it is, since the mantissa is 0 then.
    return static_cast<uint16_t>(sign | (units + (static_cast<uint32_t>(exponent + 13) << 10)));
}

template <typename Float>
Json floatToJson(Float value)
{
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
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

std::string doesNotFit(const DataType& scalar, const std::string& number)
{
    return number + " does not fit into " + nameOf(scalar);
}

std::optional<std::string> storeUnsigned(const DataType& scalar, uint64_t value, uint8_t* bytes)
{
    const uint64_t most =
        scalar.kind == Kind::Signed ? UINT64_MAX >> (65 - scalar.bits) : UINT64_MAX >> (64 - scalar.bits);
    if (value > most) {
        return doesNotFit(scalar, std::to_string(value));
    }
    std::memcpy(bytes, &value, scalar.bits / 8);
    return std::nullopt;
}

std::optional<std::string> storeNegative(const DataType& scalar, int64_t value, uint8_t* bytes)
{
    if (scalar.kind == Kind::Unsigned || value < -static_cast<int64_t>(UINT64_MAX >> (65 - scalar.bits)) - 1) {
        return doesNotFit(scalar, std::to_string(value));
    }
    std::memcpy(bytes, &value, scalar.bits / 8);
    return std::nullopt;
}

template <typename Number>
bool parse(std::string_view text, Number& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

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

Json scalarToJson(const DataType& scalar, const uint8_t* bytes)
{
    switch (scalar.kind) {
        case Kind::Signed:
            return loadSigned(scalar.bits, bytes);
        case Kind::Float:
            return scalar.bits == 64 ? floatToJson(load<double>(bytes))
                                     : floatToJson(static_cast<float>(readNumber(scalar, bytes)));
        default:
            return loadUnsigned(scalar.bits, bytes);
    }
}

std::optional<std::string> scalarFromJson(const DataType& scalar, const Json& json, uint8_t* bytes)
{
    if (scalar.kind == Kind::Float) {
        double value = 0;
        if (json.is_number()) {
            value = json.get<double>();
        } else if (!json.is_string() || json.get<std::string>().empty() || !parse(json.get<std::string>(), value) ||
                   std::isfinite(value)) {
            return "a number is expected (or \"nan\", \"inf\", \"-inf\")";
        }
        storeFloat(scalar.bits, value, bytes);
        return std::nullopt;
    }
    if (json.is_number_unsigned()) {
        return storeUnsigned(scalar, json.get<uint64_t>(), bytes);
    }
    if (json.is_number_integer()) {
        return storeNegative(scalar, json.get<int64_t>(), bytes);
    }
    return "a whole number is expected";
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
    if (scalar.kind != Kind::Float && parse(text, whole)) {
        return storeUnsigned(scalar, whole, bytes);
    }
    if (scalar.kind != Kind::Float && parse(text, negative)) {
        return storeNegative(scalar, negative, bytes);
    }
    return "\"" + std::string(text) + "\" is not " + (scalar.kind == Kind::Float ? "a number" : "a whole number");
}

}  // namespace millrace::tools::run
