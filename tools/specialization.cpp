// SPDX-License-Identifier: Apache-2.0
#include "tools/specialization.h"

#include <algorithm>
#include <cstdint>
#include <exception>

namespace millrace::tools {

namespace {

bool parseSpecialization(const std::string& text, spirv::SpecializationValue& value)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        return false;
    const std::string number = text.substr(equals + 1);
    try {
        size_t end = 0;
        value.specId = static_cast<uint32_t>(std::stoul(text.substr(0, equals), &end, 0));
        if (end != equals)
            return false;
        uint64_t bits = number == "true" ? 1 : 0;
        size_t bytes = 4;
        if (number != "true" && number != "false") {
            const bool isFloat = number.find('.') != std::string::npos;
            if (isFloat) {
                const float decimal = std::stof(number, &end);
                uint32_t pattern = 0;
                std::copy_n(reinterpret_cast<const char*>(&decimal), 4, reinterpret_cast<char*>(&pattern));
                bits = pattern;
            } else if (number[0] == '-') {
                bits = static_cast<uint64_t>(std::stoll(number, &end, 0));
            } else {
                bits = std::stoull(number, &end, 0);
                bytes = bits > UINT32_MAX ? 8 : 4;
            }
            if (end != number.size())
                return false;
        }
        for (size_t b = 0; b < bytes; ++b)
            value.data.push_back(static_cast<uint8_t>(bits >> (8 * b)));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

std::string checkSpecialization(const std::string& text)
{
    spirv::SpecializationValue value;
    return parseSpecialization(text, value) ? std::string() : "\"" + text + "\" is not ID=VALUE";
}

std::vector<spirv::SpecializationValue> specializationOf(const std::vector<std::string>& texts)
{
    std::vector<spirv::SpecializationValue> values;
    for (const std::string& text : texts)
        (void)parseSpecialization(text, values.emplace_back());
    return values;
}

}  // namespace millrace::tools
