// SPDX-License-Identifier: Apache-2.0
// Specialization constants to ordinary constants.
#include <algorithm>

#include "spirv/module.h"
#include "spirv/optimizer.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

// Word `index` of the value, little-endian bytes as the API stores them on every host that we build for.
uint32_t wordOf(const std::vector<uint8_t>& data, size_t index)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && index * 4 + i < data.size(); i++) {
        word |= static_cast<uint32_t>(data[index * 4 + i]) << (8 * i);
    }
    return word;
}

// Types narrower than a word: signed ones are stored sign-extended, all others with zeros (specification 2.2.1).
uint32_t extended(uint32_t word, const Instruction& type)
{
    const uint32_t width = type.literal(0);
    if (width >= 32) {
        return word;
    }
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
    if (constant.op != spv::Op::OpSpecConstant || !isNumber) {
        return;
    }
    for (size_t w = 0; w < constant.words.size(); w++) {
        constant.words[w] = wordOf(data, w);
    }
    if (constant.words.size() == 1) {
        constant.words[0] = extended(constant.words[0], *type);
    }
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

}  // namespace

// Setting and freezing is done here rather than by SPIRV-Tools' passes, because those leave alone what has no SpecId,
// strings and types that are not of 32 or 64 bits.
Result<Words> specialize(std::span<const uint32_t> words, std::span<const SpecializationValue> values)
{
    const auto noGroups = optimize(words, "specialize", {spvtools::CreateFlattenDecorationPass});
    if (!noGroups) {
        return noGroups.error();
    }
    auto module = read(*noGroups);
    if (!module) {
        return module.error();
    }
    for (const Instruction& i : module->section(Section::Annotations)) {
        const bool isSpecId = i.op == spv::Op::OpDecorate && i.operandCount() >= 3 &&
                              i.literal(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
        if (!isSpecId) {
            continue;
        }
        const auto value = std::ranges::find(values, i.literal(2), &SpecializationValue::specId);
        Instruction* constant = module->findDefinition(i.id(0));
        if (value != values.end() && constant) {
            setValue(*constant, module->findDefinition(constant->type), value->data);
        }
    }
    for (Instruction& i : module->section(Section::Globals)) {
        freeze(i);
    }
    module->removeDecorations([](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
    });
    return optimize(write(*module), "fold specialization constants",
                    {spvtools::CreateFoldSpecConstantOpAndCompositePass});
}

}  // namespace millrace::spirv
