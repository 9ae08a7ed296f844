// SPDX-License-Identifier: Apache-2.0
// Specialization constants to ordinary constants.
#include <algorithm>

#include "spirv/decoration_groups.h"
#include "spirv/edit.h"
#include "spirv/fold.h"
#include "spirv/module.h"

namespace millrace::spirv {

namespace {

// Word `index` of the value, little-endian bytes as the API stores them on every host that we build for.
uint32_t wordOf(const std::vector<uint8_t>& data, size_t index)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && index * 4 + i < data.size(); ++i)
        word |= static_cast<uint32_t>(data[index * 4 + i]) << (8 * i);
    return word;
}

// Types narrower than a word: signed ones are stored sign-extended, all others with zeros (specification 2.2.1).
uint32_t extended(uint32_t word, const Instruction& type)
{
    const uint32_t width = type.literal(0);
    if (width >= 32)
        return word;
    const bool isSigned = type.op == spv::Op::OpTypeInt && type.literal(1) == 1;
    const uint32_t value = word & ((1u << width) - 1);
    const bool negative = isSigned && width > 0 && (value >> (width - 1) & 1) != 0;
    return negative ? value | ~((1u << width) - 1) : value;
}

void setValue(Instruction& constant, const Instruction* type, const std::vector<uint8_t>& data)
{
    if (constant.op == spv::Op::OpSpecConstantTrue || constant.op == spv::Op::OpSpecConstantFalse) {
        // VkBool32; a shorter value is read as far as it goes.
        const bool value = std::ranges::any_of(data, [](uint8_t byte) { return byte != 0; });
        constant.op = value ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse;
        return;
    }
    const bool isNumber = type && (type->op == spv::Op::OpTypeInt || type->op == spv::Op::OpTypeFloat);
    if (constant.op != spv::Op::OpSpecConstant || !isNumber)
        return;
    for (size_t w = 0; w < constant.words.size(); ++w)
        constant.words[w] = wordOf(data, w);
    if (constant.words.size() == 1)
        constant.words[0] = extended(constant.words[0], *type);
}

void freeze(Instruction& constant)
{
    switch (constant.op) {
        case spv::Op::OpSpecConstantTrue:
            constant.op = spv::Op::OpConstantTrue;
            break;
        case spv::Op::OpSpecConstantFalse:
            constant.op = spv::Op::OpConstantFalse;
            break;
        case spv::Op::OpSpecConstant:
            constant.op = spv::Op::OpConstant;
            break;
        case spv::Op::OpSpecConstantStringAMDX:
            constant.op = spv::Op::OpConstantStringAMDX;
            break;
        default:
            break;
    }
}

bool isSpecId(const Instruction& i)
{
    return i.op == spv::Op::OpDecorate && i.operandCount() >= 3 &&
           i.literal(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
}

}  // namespace

// Not with SPIRV-Tools' passes: they leave alone what has no SpecId, strings, types that are not of 32 bits and
// conversions.
Status specialize(Module& module, std::span<const SpecializationValue> values, Unnamed unnamed)
{
    if (Status flat = dissolveDecorationGroups(module); !flat)
        return flat.error();
    const auto find = [&](const Instruction& i) {
        return isSpecId(i) ? std::ranges::find(values, i.literal(2), &SpecializationValue::specId) : values.end();
    };
    for (const Instruction& i : module.section(Section::Annotations)) {
        const auto value = find(i);
        Instruction* constant = value != values.end() ? module.findDefinition(i.id(0)) : nullptr;
        if (constant) {
            setValue(*constant, module.findDefinition(constant->type), value->data);
            freeze(*constant);
        }
    }
    const bool keepsOthers = unnamed == Unnamed::StayOpen;
    module.removeDecorations(
        [&](const Instruction& i) { return isSpecId(i) && (!keepsOthers || find(i) != values.end()); });
    for (Instruction& i : module.section(Section::Globals))
        if (!keepsOthers)
            freeze(i);
    foldSpecConstants(module);
    return {};
}

}  // namespace millrace::spirv
