// SPDX-License-Identifier: Apache-2.0
#include "advisor/stored_types.h"

#include <algorithm>

namespace millrace::advisor {

using spirv::Id;
using spirv::Instruction;

namespace {

// Types nest as deep as modules say.
constexpr uint32_t kMaxDepth = 64;

struct Extent {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
};

uint64_t aligned(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

uint64_t saturated(uint64_t bytes)
{
    return std::min<uint64_t>(bytes, UINT32_MAX);
}

Extent extentOf(const spirv::Module& module, Id type, uint32_t depth);

Extent extentOfStructure(const spirv::Module& module, const Instruction& type, uint32_t depth)
{
    Extent out;
    for (uint32_t m = 0; m < type.operandCount(); ++m) {
        const Extent member = extentOf(module, type.id(m), depth + 1);
        const Instruction* offset = module.findMemberDecoration(type.result, m, spv::Decoration::Offset);
        const uint64_t begin = offset != nullptr ? offset->literal(3) : aligned(out.bytes, member.alignment);
        out.bytes = saturated(std::max(out.bytes, begin + member.bytes));
        out.alignment = std::max(out.alignment, member.alignment);
    }
    out.bytes = saturated(aligned(out.bytes, out.alignment));
    return out;
}

Extent extentOfArray(const spirv::Module& module, const Instruction& type, uint32_t depth)
{
    const Extent element = extentOf(module, type.id(0), depth + 1);
    const Instruction* stride = module.findDecoration(type.result, spv::Decoration::ArrayStride);
    const uint64_t step = stride != nullptr ? stride->literal(2) : aligned(element.bytes, element.alignment);
    return {saturated(saturated(step) * arrayLength(module, type.result)), element.alignment};
}

Extent extentOf(const spirv::Module& module, Id id, uint32_t depth)
{
    const Instruction* type = module.findDefinition(id);
    if (type == nullptr || depth > kMaxDepth)
        return {};
    switch (type->op) {
        case spv::Op::OpTypeBool:
            return {4, 4};
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return {type->literal(0) / 8, std::max(1u, type->literal(0) / 8)};
        case spv::Op::OpTypePointer:
            return {8, 8};
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix: {
            const Extent part = extentOf(module, type->id(0), depth + 1);
            return {part.bytes * type->literal(1), part.alignment};
        }
        case spv::Op::OpTypeArray:
            return extentOfArray(module, *type, depth);
        case spv::Op::OpTypeStruct:
            return extentOfStructure(module, *type, depth);
        default:
            return {};
    }
}

uint64_t slotsOf(const spirv::Module& module, Id id, uint32_t depth)
{
    const Instruction* type = module.findDefinition(id);
    if (type == nullptr || depth > kMaxDepth)
        return 0;
    uint64_t slots = 0;
    switch (type->op) {
        case spv::Op::OpTypeMatrix:
            return type->literal(1) * slotsOf(module, type->id(0), depth + 1);
        case spv::Op::OpTypeArray:
            return saturated(arrayLength(module, id) * slotsOf(module, type->id(0), depth + 1));
        case spv::Op::OpTypeStruct:
            for (uint32_t m = 0; m < type->operandCount(); ++m)
                slots = saturated(slots + slotsOf(module, type->id(m), depth + 1));
            return slots;
        default: {
            const Components components = componentsOf(module, id);
            return components.widthBits == 64 && components.count > 2 ? 2 : 1;
        }
    }
}

}  // namespace

uint32_t storedBytes(const spirv::Module& module, Id type)
{
    return static_cast<uint32_t>(extentOf(module, type, 0).bytes);
}

uint32_t storedAlignment(const spirv::Module& module, Id type)
{
    return static_cast<uint32_t>(extentOf(module, type, 0).alignment);
}

uint32_t slotCount(const spirv::Module& module, Id type)
{
    return static_cast<uint32_t>(slotsOf(module, type, 0));
}

Components componentsOf(const spirv::Module& module, Id id)
{
    Components out;
    const Instruction* type = module.findDefinition(id);
    if (type != nullptr && type->op == spv::Op::OpTypeVector) {
        out.count = type->literal(1);
        type = module.findDefinition(type->id(0));
    }
    if (type != nullptr && (type->op == spv::Op::OpTypeInt || type->op == spv::Op::OpTypeFloat)) {
        out.widthBits = type->literal(0);
        out.isInteger = type->op == spv::Op::OpTypeInt;
    }
    return out;
}

uint32_t arrayLength(const spirv::Module& module, Id id)
{
    const Instruction* type = module.findDefinition(id);
    uint32_t length = 0;
    if (type != nullptr && type->op == spv::Op::OpTypeArray)
        module.constantValue(type->id(1), length);
    return length;
}

Id elementType(const spirv::Module& module, Id id, uint32_t member)
{
    const Instruction* type = module.findDefinition(id);
    if (type == nullptr)
        return {};
    switch (type->op) {
        case spv::Op::OpTypeStruct:
            return member < type->operandCount() ? type->id(member) : Id{};
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypeVector:
            return type->id(0);
        default:
            return {};
    }
}

}  // namespace millrace::advisor
