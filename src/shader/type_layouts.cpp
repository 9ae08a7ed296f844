// SPDX-License-Identifier: Apache-2.0
#include "shader/type_layouts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "shader/diagnose.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Structures cannot be deeper in valid modules; ends the recursion in others.
constexpr uint32_t kMaxDepth = 256;
constexpr uint64_t kMaxBytes = 1u << 30;

}  // namespace

Id elementType(const Module& module, Id type, Id index)
{
    const Instruction* definition = module.findDefinition(type);
    if (!definition)
        return {};
    switch (definition->op) {
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypeNodePayloadArrayAMDX:
            return definition->id(0);
        case spv::Op::OpTypeStruct: {
            uint32_t member = 0;
            const bool known = module.constantValue(index, member) && member < definition->operandCount();
            return known ? definition->id(member) : Id{};
        }
        default:
            return {};
    }
}

bool isAccessChain(spv::Op op)
{
    return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain || op == spv::Op::OpPtrAccessChain ||
           op == spv::Op::OpInBoundsPtrAccessChain;
}

size_t firstIndexOperand(spv::Op accessChain)
{
    const bool hasElement =
        accessChain == spv::Op::OpPtrAccessChain || accessChain == spv::Op::OpInBoundsPtrAccessChain;
    return hasElement ? 2 : 1;
}

Result<TypeLayout> TypeLayouts::layout(Id type)
{
    return layoutInMember(type, {}, 0);
}

Result<TypeLayout> TypeLayouts::layoutInMember(Id type, const MemberLayout& parent, uint32_t depth)
{
    if (const auto known = m_layouts.find(type.value); known != m_layouts.end())
        return known->second;
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition || depth > kMaxDepth)
        return Diagnostic{"type layout", describe(m_module, type), "no such type"};
    auto result = compute(*definition, parent, depth);
    if (result && result->bytes > kMaxBytes)
        return Diagnostic{"type layout", describe(m_module, type), "too large"};
    if (result && definition->op == spv::Op::OpTypeStruct)
        m_layouts[type.value] = *result;
    return result;
}

Result<TypeLayout> TypeLayouts::compute(const Instruction& type, const MemberLayout& parent, uint32_t depth)
{
    switch (type.op) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat: {
            const uint32_t bytes = std::max(type.literal(0) / 8, 1u);
            return TypeLayout{bytes, std::min(bytes, 8u)};
        }
        case spv::Op::OpTypePointer:
            if (static_cast<spv::StorageClass>(type.literal(0)) == spv::StorageClass::PhysicalStorageBuffer)
                return TypeLayout{8, 8};
            break;
        case spv::Op::OpTypeVector: {
            const auto component = layoutInMember(type.id(0), {}, depth + 1);
            return component ? TypeLayout{component->bytes * type.literal(1), component->alignment} : component;
        }
        case spv::Op::OpTypeMatrix: {
            const auto column = layoutInMember(type.id(0), {}, depth + 1);
            if (!column || parent.matrixStride == 0) {
                return column ? Diagnostic{"type layout", describe(m_module, type), "matrix without MatrixStride"}
                              : column;
            }
            const uint64_t vectors = parent.isRowMajor ? column->bytes / column->alignment : type.literal(1);
            return TypeLayout{parent.matrixStride * vectors, column->alignment};
        }
        case spv::Op::OpTypeArray: {
            const auto element = layoutInMember(type.id(0), parent, depth + 1);
            const std::optional<uint32_t> stride = m_decorations.arrayStride(type.result);
            uint32_t length = 0;
            if (!element)
                return element;
            if (!stride || !m_module.constantValue(type.id(1), length))
                return Diagnostic{"type layout", describe(m_module, type), "array without ArrayStride or length"};
            return TypeLayout{uint64_t{*stride} * length, element->alignment};
        }
        case spv::Op::OpTypeStruct:
            return structLayout(type, depth);
        default:
            break;
    }
    return Diagnostic{"type layout", describe(m_module, type), "values of this type have no place in memory"};
}

Result<TypeLayout> TypeLayouts::structLayout(const Instruction& type, uint32_t depth)
{
    TypeLayout out;
    for (uint32_t m = 0; m < type.operandCount(); ++m) {
        const MemberLayout& decorations = m_decorations.member(type.result, m);
        if (!decorations.offset) {
            return Diagnostic{"type layout", describe(m_module, type),
                              "member " + std::to_string(m) + " has no Offset"};
        }
        const auto inner = layoutInMember(type.id(m), decorations, depth + 1);
        if (!inner)
            return inner;
        out.bytes = std::max(out.bytes, *decorations.offset + inner->bytes);
        out.alignment = std::max(out.alignment, inner->alignment);
    }
    return out;
}

uint32_t TypeLayouts::scalarWidths(Id type)
{
    const auto [known, isNew] = m_widths.try_emplace(type.value, 0);
    if (!isNew)
        return known->second;
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition)
        return 0;
    uint32_t widths = 0;
    switch (definition->op) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            widths = definition->literal(0);
            break;
        case spv::Op::OpTypePointer:
            widths = 64;
            break;
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            widths = scalarWidths(definition->id(0));
            break;
        case spv::Op::OpTypeStruct:
            for (size_t o = 0; o < definition->operandCount(); ++o)
                widths |= scalarWidths(definition->id(o));
            break;
        default:
            break;
    }
    m_widths[type.value] = widths;
    return widths;
}

uint32_t TypeLayouts::scalarAlignment(Id type)
{
    const uint32_t widths = scalarWidths(type);
    return widths & 64 ? 8 : widths & 32 ? 4 : widths & 16 ? 2 : 1;
}

uint32_t TypeLayouts::alignmentOfPart(Id type, std::span<const Id> indices, uint32_t alignment) const
{
    const MemberLayout none;
    const MemberLayout* parent = &none;
    for (const Id index : indices) {
        const Instruction* definition = m_module.findDefinition(type);
        uint32_t number = 1;  // for an index that is not known before run time, any multiple of the step
        const bool isKnown = m_module.constantValue(index, number);
        uint64_t offset = 0;
        if (definition && definition->op == spv::Op::OpTypeStruct && isKnown && number < definition->operandCount()) {
            parent = &m_decorations.member(type, number);
            offset = parent->offset.value_or(1);
            type = definition->id(number);
        } else if (definition && definition->op == spv::Op::OpTypeArray) {
            const std::optional<uint32_t> stride = m_decorations.arrayStride(type);
            offset = stride ? uint64_t{*stride} * number : 1;
            type = definition->id(0);
        } else if (definition && definition->op == spv::Op::OpTypeMatrix && !parent->isRowMajor) {
            offset = uint64_t{parent->matrixStride} * number;
            type = definition->id(0);
        } else {
            return 1;  // a component of a vector: a scalar, whose own alignment is all it needs
        }
        alignment = static_cast<uint32_t>(std::gcd(offset, alignment));
    }
    return alignment;
}

}  // namespace millrace::shader
