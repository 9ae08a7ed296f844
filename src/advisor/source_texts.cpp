// SPDX-License-Identifier: Apache-2.0
#include "advisor/source_texts.h"

namespace millrace::advisor {

using spirv::Instruction;

namespace {

constexpr uint32_t kDebugSource = 35;  // of NonSemantic.Shader.DebugInfo.100

std::map<uint32_t, std::string> stringsOf(const spirv::Module& module)
{
    std::map<uint32_t, std::string> out;
    for (const Instruction& i : module.section(spirv::Section::DebugStrings))
        if (i.op == spv::Op::OpString)
            out[i.result.value] = i.string(0);
    return out;
}

// Only the instruction set on debugging has an instruction 35 whose operands are strings.
bool isDebugSource(const Instruction& i, const std::map<uint32_t, std::string>& strings)
{
    return i.op == spv::Op::OpExtInst && i.literal(1) == kDebugSource && i.operandCount() > 3 && i.isId(2) &&
           i.isId(3) && strings.contains(i.id(2).value) && strings.contains(i.id(3).value);
}

}  // namespace

SourceTexts readSourceTexts(const spirv::Module& module)
{
    const std::map<uint32_t, std::string> strings = stringsOf(module);
    SourceTexts out;
    std::string* last = nullptr;
    for (const Instruction& i : module.section(spirv::Section::DebugStrings)) {
        if (i.op == spv::Op::OpSource) {
            const bool hasText = i.operandCount() > 3 && i.isId(2) && strings.contains(i.id(2).value);
            last = hasText ? &(out[strings.at(i.id(2).value)] = i.string(3)) : nullptr;
        } else if (i.op == spv::Op::OpSourceContinued && last != nullptr) {
            *last += i.string(0);
        }
    }
    for (const Instruction& i : module.section(spirv::Section::Globals))
        if (isDebugSource(i, strings))
            out[strings.at(i.id(2).value)] = strings.at(i.id(3).value);
    return out;
}

std::string lineAt(const SourceTexts& texts, const Place& place)
{
    const auto text = texts.find(place.file);
    if (text == texts.end() || place.line == 0)
        return {};
    size_t begin = 0;
    for (uint32_t line = 1; line < place.line; ++line) {
        begin = text->second.find('\n', begin);
        if (begin == std::string::npos)
            return {};
        ++begin;
    }
    const std::string line = text->second.substr(begin, text->second.find('\n', begin) - begin);
    const size_t first = line.find_first_not_of(" \t\r");
    const size_t last = line.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
}

}  // namespace millrace::advisor
