// SPDX-License-Identifier: Apache-2.0
#include "compiler/payload_types.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>

#include "compiler/diagnose.h"

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Structures cannot be deeper in valid modules; ends the recursion in others.
constexpr uint32_t kMaxDepth = 256;
constexpr uint64_t kMaxBytes = 1u << 30;

// `seen`: types that hold none, so that structures that many others contain are looked at once.
bool holdsHandles(const Module& module, Id type, std::unordered_set<uint32_t>& seen)
{
    if (isHandle(module, type))
        return true;
    const Instruction* definition = module.findDefinition(type);
    if (!definition || !seen.insert(type.value).second)
        return false;
    switch (definition->op) {
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            return holdsHandles(module, definition->id(0), seen);
        case spv::Op::OpTypeStruct:
            for (size_t o = 0; o < definition->operandCount(); ++o)
                if (holdsHandles(module, definition->id(o), seen))
                    return true;
            return false;
        default:
            return false;
    }
}

}  // namespace

bool isPayloadArray(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    return definition && definition->op == spv::Op::OpTypeNodePayloadArrayAMDX;
}

bool isHandle(const Module& module, Id type)
{
    return isPayloadArray(module, type) || (module.storageOf(type) == spv::StorageClass::NodePayloadAMDX &&
                                            isPayloadArray(module, module.pointee(type)));
}

bool isPayloadPointer(const Module& module, Id type)
{
    return module.storageOf(type) == spv::StorageClass::NodePayloadAMDX &&
           !isPayloadArray(module, module.pointee(type));
}

Id payloadArrayOf(const Module& module, Id type)
{
    if (isPayloadArray(module, type))
        return type;
    const Id pointee = module.pointee(type);
    return isPayloadArray(module, pointee) ? pointee : Id{};
}

Id queriedPayloadArray(const Module& module, const Instruction& query)
{
    const Id operand = query.id(0);
    return isPayloadArray(module, operand) ? operand : payloadArrayOf(module, module.typeOf(operand));
}

bool holdsHandles(const Module& module, Id type)
{
    // Most types are neither, and this is asked of every instruction.
    const Instruction* definition = module.findDefinition(type);
    const bool isComposite =
        definition && (definition->op == spv::Op::OpTypeArray || definition->op == spv::Op::OpTypeRuntimeArray ||
                       definition->op == spv::Op::OpTypeStruct);
    if (!isComposite)
        return isHandle(module, type);
    std::unordered_set<uint32_t> seen;
    return holdsHandles(module, type, seen);
}

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

std::optional<size_t> payloadIndexOperand(const Module& module, const Instruction& chain)
{
    Id type = module.pointee(module.typeOf(chain.id(0)));
    for (size_t o = firstIndexOperand(chain.op); o < chain.operandCount(); ++o) {
        if (isPayloadArray(module, type))
            return o;
        type = elementType(module, type, chain.id(o));
    }
    return std::nullopt;
}

TypeLayouts::TypeLayouts(const Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(spirv::Section::Annotations)) {
        if (i.op == spv::Op::OpDecorate && i.operandCount() == 3 &&
            i.literal(1) == static_cast<uint32_t>(spv::Decoration::ArrayStride))
            m_arrayStrides[i.id(0).value] = i.literal(2);
        if (i.op != spv::Op::OpMemberDecorate || i.operandCount() < 3)
            continue;
        Member& member = m_members[{i.id(0).value, i.literal(1)}];
        // Other decorations than those below may have an id there.
        const uint32_t value = i.operandCount() > 3 && !i.isId(3) ? i.literal(3) : 0;
        switch (static_cast<spv::Decoration>(i.literal(2))) {
            case spv::Decoration::Offset:
                member.offset = value;
                break;
            case spv::Decoration::MatrixStride:
                member.matrixStride = value;
                break;
            case spv::Decoration::RowMajor:
                member.rowMajor = true;
                break;
            case spv::Decoration::PayloadDispatchIndirectAMDX:
                member.isGrid = true;
                break;
            default:
                break;
        }
    }
}

const TypeLayouts::Member& TypeLayouts::member(Id type, uint32_t index) const
{
    static const Member kUndecorated;
    const auto found = m_members.find({type.value, index});
    return found == m_members.end() ? kUndecorated : found->second;
}

Result<TypeLayout> TypeLayouts::layout(Id type)
{
    return layoutInMember(type, {}, 0);
}

Result<TypeLayout> TypeLayouts::layoutInMember(Id type, const Member& parent, uint32_t depth)
{
    if (const auto known = m_layouts.find(type.value); known != m_layouts.end())
        return known->second;
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition || depth > kMaxDepth)
        return Diagnostic{"payload layout", describe(m_module, type), "no such type"};
    auto result = compute(*definition, parent, depth);
    if (result && result->bytes > kMaxBytes)
        return Diagnostic{"payload layout", describe(m_module, type), "too large"};
    if (result && definition->op == spv::Op::OpTypeStruct)
        m_layouts[type.value] = *result;
    return result;
}

Result<TypeLayout> TypeLayouts::compute(const Instruction& type, const Member& parent, uint32_t depth)
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
                return column ? Diagnostic{"payload layout", describe(m_module, type), "matrix without MatrixStride"}
                              : column;
            }
            const uint64_t vectors = parent.rowMajor ? column->bytes / column->alignment : type.literal(1);
            return TypeLayout{parent.matrixStride * vectors, column->alignment};
        }
        case spv::Op::OpTypeArray: {
            const auto element = layoutInMember(type.id(0), parent, depth + 1);
            const auto stride = m_arrayStrides.find(type.result.value);
            uint32_t length = 0;
            if (!element)
                return element;
            if (stride == m_arrayStrides.end() || !m_module.constantValue(type.id(1), length))
                return Diagnostic{"payload layout", describe(m_module, type), "array without ArrayStride or length"};
            return TypeLayout{uint64_t{stride->second} * length, element->alignment};
        }
        case spv::Op::OpTypeStruct:
            return structLayout(type, depth);
        default:
            break;
    }
    return Diagnostic{"payload layout", describe(m_module, type), "a payload cannot hold values of this type"};
}

Result<TypeLayout> TypeLayouts::structLayout(const Instruction& type, uint32_t depth)
{
    TypeLayout out;
    for (uint32_t m = 0; m < type.operandCount(); ++m) {
        const Member& decorations = member(type.result, m);
        if (!decorations.offset) {
            return Diagnostic{"payload layout", describe(m_module, type),
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
    const Member none;
    const Member* parent = &none;
    for (const Id index : indices) {
        const Instruction* definition = m_module.findDefinition(type);
        uint32_t number = 1;  // for an index that is not known before run time, any multiple of the step
        const bool isKnown = m_module.constantValue(index, number);
        uint64_t offset = 0;
        if (definition && definition->op == spv::Op::OpTypeStruct && isKnown && number < definition->operandCount()) {
            parent = &member(type, number);
            offset = parent->offset.value_or(1);
            type = definition->id(number);
        } else if (definition && definition->op == spv::Op::OpTypeArray) {
            const auto stride = m_arrayStrides.find(type.value);
            offset = stride == m_arrayStrides.end() ? 1 : uint64_t{stride->second} * number;
            type = definition->id(0);
        } else if (definition && definition->op == spv::Op::OpTypeMatrix && !parent->rowMajor) {
            offset = uint64_t{parent->matrixStride} * number;
            type = definition->id(0);
        } else {
            return 1;  // a component of a vector: a scalar, whose own alignment is all it needs
        }
        alignment = static_cast<uint32_t>(std::gcd(offset, alignment));
    }
    return alignment;
}

bool TypeLayouts::hasGrid(Id type, uint32_t depth)
{
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition || definition->op != spv::Op::OpTypeStruct || depth > kMaxDepth)
        return false;
    if (const auto known = m_hasGrid.find(type.value); known != m_hasGrid.end())
        return known->second;
    bool found = false;
    for (uint32_t m = 0; m < definition->operandCount() && !found; ++m)
        found = member(type, m).isGrid || hasGrid(definition->id(m), depth + 1);
    m_hasGrid[type.value] = found;
    return found;
}

Result<std::optional<graph::GridMember>> TypeLayouts::gridMember(Id type)
{
    return gridMemberAt(type, 0, 0);
}

Result<std::optional<graph::GridMember>> TypeLayouts::gridMemberAt(Id type, uint64_t base, uint32_t depth)
{
    using Found = std::optional<graph::GridMember>;
    if (!hasGrid(type, depth))
        return Found();
    const Instruction& definition = *m_module.findDefinition(type);
    for (uint32_t m = 0; m < definition.operandCount(); ++m) {
        const Member& decorations = member(type, m);
        const uint64_t offset = base + decorations.offset.value_or(0);
        if (!decorations.isGrid) {
            if (hasGrid(definition.id(m), depth + 1))
                return gridMemberAt(definition.id(m), offset, depth + 1);
            continue;
        }
        // Compilers also decorate arrays, although the extension speaks of scalars and vectors.
        const Instruction* kind = m_module.findDefinition(definition.id(m));
        uint32_t components = 1;
        if (kind && kind->op == spv::Op::OpTypeVector) {
            components = kind->literal(1);
            kind = m_module.findDefinition(kind->id(0));
        } else if (kind && kind->op == spv::Op::OpTypeArray) {
            const bool known = m_module.constantValue(kind->id(1), components);
            const auto stride = m_arrayStrides.find(kind->result.value);
            kind = known ? m_module.findDefinition(kind->id(0)) : nullptr;
            if (kind && kind->op == spv::Op::OpTypeInt && stride != m_arrayStrides.end() &&
                stride->second != kind->literal(0) / 8 && components > 1)
                kind = nullptr;
        }
        const bool isGrid = kind && kind->op == spv::Op::OpTypeInt && kind->literal(0) <= 32 && components >= 1 &&
                            components <= 3 && offset <= kMaxBytes;
        if (!isGrid) {
            return Diagnostic{"payload layout", describe(m_module, definition),
                              "member " + std::to_string(m) +
                                  " is decorated PayloadDispatchIndirectAMDX, but it is not one to three tightly "
                                  "packed integers of at most 32 bits"};
        }
        return Found(graph::GridMember{static_cast<uint32_t>(offset), components, kind->literal(0) / 8});
    }
    return Found();
}

}  // namespace millrace::compiler
