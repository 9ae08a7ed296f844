// SPDX-License-Identifier: Apache-2.0
#include "tools/run/numbers.h"

#include <charconv>
#include <cmath>

namespace millrace::tools::run {

namespace {

using Kind = DataType::Kind;

template <typename Float>
Json floatToJson(Float value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
}

template <typename Number>
bool parse(std::string_view text, Number& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Json scalarToJson(const DataType& scalar, const uint8_t* bytes)
{
    switch (scalar.kind) {
        case Kind::Signed:
            return loadSigned(scalar.bits, bytes);
        case Kind::Float:
            return scalar.bits == 64 ? floatToJson(readNumber(scalar, bytes))
                                     : floatToJson(static_cast<float>(readNumber(scalar, bytes)));
        default:
            return loadUnsigned(scalar.bits, bytes);
    }
}

std::optional<std::string> scalarFromJson(const DataType& scalar, const Json& json, uint8_t* bytes)
{
    if (scalar.kind == Kind::Float) {
        double value = 0;
        if (json.is_number())
            value = json.get<double>();
        else if (!json.is_string() || json.get<std::string>().empty() || !parse(json.get<std::string>(), value) ||
                 std::isfinite(value))
            return "a number is expected (or \"nan\", \"inf\", \"-inf\")";
        storeFloat(scalar.bits, value, bytes);
        return std::nullopt;
    }
    if (json.is_number_unsigned())
        return storeUnsigned(scalar, json.get<uint64_t>(), bytes);
    if (json.is_number_integer())
        return storeNegative(scalar, json.get<int64_t>(), bytes);
    return "a whole number is expected";
}

}  // namespace millrace::tools::run
