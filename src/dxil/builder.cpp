// SPDX-License-Identifier: Apache-2.0
#include "dxil/builder.h"

#include <algorithm>

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;
using spirv::Section;

Builder::Builder()
{
    m_module.section(Section::MemoryModel)
        .push_back(instruction(spv::Op::OpMemoryModel)
                       .add(static_cast<uint32_t>(spv::AddressingModel::Logical))
                       .add(static_cast<uint32_t>(spv::MemoryModel::GLSL450)));
    capability(spv::Capability::Shader);
}

Id Builder::global(Instruction wanted)
{
    std::vector<uint32_t> key = {static_cast<uint32_t>(wanted.op), wanted.type.value};
    key.insert(key.end(), wanted.words.begin(), wanted.words.end());
    const auto found = m_globals.find(key);
    if (found != m_globals.end())
        return found->second;
    wanted.result = newId();
    m_globals.emplace(std::move(key), wanted.result);
    m_definitions.emplace(wanted.result.value, wanted);
    m_module.section(Section::Globals).push_back(wanted);
    return wanted.result;
}

Id Builder::intType(uint32_t bits, bool isSigned)
{
    if (bits == 8)
        capability(spv::Capability::Int8);
    else if (bits == 16)
        capability(spv::Capability::Int16);
    else if (bits == 64)
        capability(spv::Capability::Int64);
    return global(instruction(spv::Op::OpTypeInt).add(bits).add(isSigned ? 1u : 0u));
}

Id Builder::floatType(uint32_t bits)
{
    if (bits == 16)
        capability(spv::Capability::Float16);
    else if (bits == 64)
        capability(spv::Capability::Float64);
    return global(instruction(spv::Op::OpTypeFloat).add(bits));
}

Id Builder::vectorType(Id component, uint32_t count)
{
    if (count > 4) {
        capability(kLongVectors);
        extension("SPV_EXT_long_vector");
    }
    return count == 1 ? component : global(instruction(spv::Op::OpTypeVector).add(component).add(count));
}

Id Builder::pointerType(spv::StorageClass storage, Id pointee)
{
    return global(instruction(spv::Op::OpTypePointer).add(static_cast<uint32_t>(storage)).add(pointee));
}

Id Builder::arrayType(Id element, uint32_t count, uint32_t strideBytes)
{
    // Arrays with and without layout must not be one; the stride is part of the key only.
    std::vector<uint32_t> key = {static_cast<uint32_t>(spv::Op::OpTypeArray), element.value, count, strideBytes, 0};
    const auto found = m_globals.find(key);
    if (found != m_globals.end())
        return found->second;
    Instruction type = count > 0 ? instruction(spv::Op::OpTypeArray).add(element).add(uintConstant(count))
                                 : instruction(spv::Op::OpTypeRuntimeArray).add(element);
    type.result = newId();
    m_module.section(Section::Globals).push_back(type);
    m_globals.emplace(std::move(key), type.result);
    if (strideBytes > 0)
        decorate(type.result, spv::Decoration::ArrayStride, {strideBytes});
    return type.result;
}

Id Builder::structType(std::span<const Id> members)
{
    Instruction type = instruction(spv::Op::OpTypeStruct, {}, newId());
    for (const Id member : members)
        type.add(member);
    m_module.section(Section::Globals).push_back(type);
    return type.result;
}

Id Builder::imageType(Id component, std::initializer_list<uint32_t> literals)
{
    Instruction type = instruction(spv::Op::OpTypeImage).add(component);
    for (const uint32_t literal : literals)
        type.add(literal);
    return global(std::move(type));
}

Id Builder::functionType(Id result, std::span<const Id> parameters)
{
    Instruction type = instruction(spv::Op::OpTypeFunction).add(result);
    for (const Id parameter : parameters)
        type.add(parameter);
    return global(std::move(type));
}

Id Builder::componentOf(Id type) const
{
    const auto found = m_definitions.find(type.value);
    return found != m_definitions.end() && found->second.op == spv::Op::OpTypeVector ? found->second.id(0) : type;
}

uint32_t Builder::countOf(Id type) const
{
    const auto found = m_definitions.find(type.value);
    return found != m_definitions.end() && found->second.op == spv::Op::OpTypeVector ? found->second.literal(1) : 1;
}

uint32_t Builder::bitsOf(Id type) const
{
    const auto found = m_definitions.find(componentOf(type).value);
    const bool isNumber = found != m_definitions.end() &&
                          (found->second.op == spv::Op::OpTypeInt || found->second.op == spv::Op::OpTypeFloat);
    return isNumber ? found->second.literal(0) : 0;
}

bool Builder::isFloat(Id type) const
{
    const auto found = m_definitions.find(componentOf(type).value);
    return found != m_definitions.end() && found->second.op == spv::Op::OpTypeFloat;
}

Id Builder::constant(Id type, uint64_t bits)
{
    const uint32_t count = countOf(type);
    if (count > 1) {
        const std::vector<Id> parts(count, constant(componentOf(type), bits));
        return composite(type, parts);
    }
    const uint32_t width = bitsOf(type);
    if (width == 0)
        return boolConstant(bits != 0);
    Instruction out = instruction(spv::Op::OpConstant, type);
    spirv::Operand number;
    number.count = width == 64 ? 2 : 1;
    const uint64_t masked = width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits;
    out.words.push_back(static_cast<uint32_t>(masked));
    if (width == 64)
        out.words.push_back(static_cast<uint32_t>(masked >> 32));
    out.operands.push_back(number);
    return global(std::move(out));
}

Id Builder::boolConstant(bool value)
{
    return global(instruction(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, boolType()));
}

Id Builder::composite(Id type, std::span<const Id> constants)
{
    Instruction out = instruction(spv::Op::OpConstantComposite, type);
    for (const Id constant : constants)
        out.add(constant);
    return global(std::move(out));
}

Id Builder::string(std::string_view text)
{
    return global(instruction(spv::Op::OpConstantStringAMDX).add(text));
}

bool Builder::constantValue(Id id, uint64_t& out) const
{
    const auto found = m_definitions.find(id.value);
    if (found == m_definitions.end() || found->second.op != spv::Op::OpConstant)
        return false;
    out = found->second.words[0];
    if (found->second.words.size() > 1)
        out |= uint64_t{found->second.words[1]} << 32;
    return true;
}

Id Builder::variable(spv::StorageClass storage, Id pointee, Id initializer)
{
    Instruction out = instruction(spv::Op::OpVariable, pointerType(storage, pointee), newId());
    out.add(static_cast<uint32_t>(storage));
    if (initializer)
        out.add(initializer);
    m_module.section(Section::Globals).push_back(out);
    return out.result;
}

void Builder::capability(spv::Capability capability)
{
    m_module.addCapability(capability);
}

void Builder::extension(std::string_view name)
{
    m_module.addExtension(name);
}

void Builder::name(Id id, std::string_view text)
{
    if (!text.empty())
        m_module.section(Section::DebugNames).push_back(instruction(spv::Op::OpName).add(id).add(text));
}

void Builder::decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals)
{
    Instruction out = instruction(spv::Op::OpDecorate).add(id).add(static_cast<uint32_t>(decoration));
    for (const uint32_t literal : literals)
        out.add(literal);
    m_module.section(Section::Annotations).push_back(std::move(out));
}

void Builder::decorateId(Id id, spv::Decoration decoration, Id operand)
{
    m_module.section(Section::Annotations)
        .push_back(instruction(spv::Op::OpDecorateId).add(id).add(static_cast<uint32_t>(decoration)).add(operand));
}

void Builder::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                             std::initializer_list<uint32_t> literals)
{
    Instruction out =
        instruction(spv::Op::OpMemberDecorate).add(type).add(member).add(static_cast<uint32_t>(decoration));
    for (const uint32_t literal : literals)
        out.add(literal);
    m_module.section(Section::Annotations).push_back(std::move(out));
}

void Builder::decorateFloat(Id type, uint32_t member)
{
    m_module.section(Section::Annotations)
        .push_back(instruction(spv::Op::OpMemberDecorateString)
                       .add(type)
                       .add(member)
                       .add(static_cast<uint32_t>(spv::Decoration::UserSemantic))
                       .add("float"));
}

Id Builder::emit(Instruction instruction)
{
    instruction.result = newId();
    const Id result = instruction.result;
    append(std::move(instruction));
    return result;
}

Id Builder::emit(spv::Op op, Id type, std::initializer_list<Id> operands)
{
    return emit(op, type, std::span<const Id>(operands.begin(), operands.size()));
}

Id Builder::emit(spv::Op op, Id type, std::span<const Id> operands)
{
    Instruction out = instruction(op, type);
    for (const Id operand : operands)
        out.add(operand);
    return emit(std::move(out));
}

void Builder::emitVoid(spv::Op op, std::initializer_list<Id> operands)
{
    Instruction out = instruction(op);
    for (const Id operand : operands)
        out.add(operand);
    append(std::move(out));
}

Id Builder::ext(GLSLstd450 op, Id type, std::initializer_list<Id> operands)
{
    if (!m_glsl) {
        m_glsl = newId();
        m_module.section(Section::ExtInstImports)
            .push_back(instruction(spv::Op::OpExtInstImport, {}, m_glsl).add("GLSL.std.450"));
    }
    Instruction out = instruction(spv::Op::OpExtInst, type).add(m_glsl).add(static_cast<uint32_t>(op));
    for (const Id operand : operands)
        out.add(operand);
    return emit(std::move(out));
}

Id Builder::extract(Id type, Id composite, std::initializer_list<uint32_t> indices)
{
    Instruction out = instruction(spv::Op::OpCompositeExtract, type).add(composite);
    for (const uint32_t index : indices)
        out.add(index);
    return emit(std::move(out));
}

Id Builder::construct(Id type, std::span<const Id> parts)
{
    return parts.size() == 1 && countOf(type) == 1 ? parts[0] : emit(spv::Op::OpCompositeConstruct, type, parts);
}

Id Builder::bitcast(Id type, Id value, Id from)
{
    return type == from ? value : emit(spv::Op::OpBitcast, type, {value});
}

Id Builder::add(Id a, Id b)
{
    uint64_t x = 0;
    uint64_t y = 0;
    const bool knowsA = constantValue(a, x);
    const bool knowsB = constantValue(b, y);
    if (knowsA && knowsB)
        return uintConstant(static_cast<uint32_t>(x + y));
    if (knowsA && x == 0)
        return b;
    return knowsB && y == 0 ? a : emit(spv::Op::OpIAdd, uintType(), {a, b});
}

Id Builder::mul(Id a, uint32_t b)
{
    uint64_t x = 0;
    if (constantValue(a, x))
        return uintConstant(static_cast<uint32_t>(x * b));
    return b == 1 ? a : emit(spv::Op::OpIMul, uintType(), {a, uintConstant(b)});
}

Id Builder::shiftRight(Id a, uint32_t count)
{
    uint64_t x = 0;
    if (constantValue(a, x))
        return uintConstant(static_cast<uint32_t>(x) >> count);
    return count == 0 ? a : emit(spv::Op::OpShiftRightLogical, uintType(), {a, uintConstant(count)});
}

Id Builder::load(Id type, Id pointer, spv::MemoryAccessMask access)
{
    Instruction out = instruction(spv::Op::OpLoad, type).add(pointer);
    if (access != spv::MemoryAccessMask::MaskNone)
        out.add(static_cast<uint32_t>(access));
    return emit(std::move(out));
}

void Builder::store(Id pointer, Id value)
{
    emitVoid(spv::Op::OpStore, {pointer, value});
}

}  // namespace millrace::dxil
