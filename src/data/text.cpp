// SPDX-License-Identifier: Apache-2.0
#include "data/text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "data/scalars.h"

namespace millrace::data {

namespace {

std::string scalarJson(const DataType& type, const uint8_t* bytes)
{
    const std::string text = scalarText(type, bytes);
    return text == "nan" || text == "inf" || text == "-inf" ? "\"" + text + "\"" : text;
}

}  // namespace

std::string quotedJson(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
            out += code;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string jsonText(const DataType& type, std::span<const uint8_t> bytes)
{
    if (type.isScalar())
        return bytes.size() < type.bytes ? "null" : scalarJson(type, bytes.data());
    std::string out;
    if (type.kind == DataType::Kind::Structure) {
        for (const DataMember& member : type.members) {
            out += (out.empty() ? "" : ", ") + quotedJson(member.name) + ": " +
                   jsonText(*member.type, bytes.subspan(std::min<size_t>(member.offset, bytes.size())));
        }
        return "{" + out + "}";
    }
    const uint64_t count = type.countIn(bytes.size());
    for (uint64_t i = 0; i < count; ++i) {
        out += (i == 0 ? "" : ", ") +
               jsonText(*type.element, bytes.subspan(std::min<size_t>(i * type.stride, bytes.size())));
    }
    return "[" + out + "]";
}

std::string jsonWords(std::span<const uint8_t> bytes)
{
    std::string out;
    for (size_t offset = 0; offset < bytes.size(); offset += 4) {
        uint32_t word = 0;
        std::memcpy(&word, bytes.data() + offset, std::min<size_t>(4, bytes.size() - offset));
        out += (out.empty() ? "\"@" : ", \"@") + std::to_string(offset) + "\": " + std::to_string(word);
    }
    return "{" + out + "}";
}

}  // namespace millrace::data
