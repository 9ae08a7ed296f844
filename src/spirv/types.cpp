// SPDX-License-Identifier: Apache-2.0
// Types, constants and global variables, and what can be asked about them.
#include <algorithm>

#include "spirv/module.h"

namespace millrace::spirv {

namespace {

bool isConstantOp(spv::Op op)
{
    switch (op) {
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
        case spv::Op::OpConstant:
        case spv::Op::OpConstantComposite:
        case spv::Op::OpConstantSampler:
        case spv::Op::OpConstantNull:
        case spv::Op::OpConstantStringAMDX:
            return true;
        default:
            return false;
    }
}

// The shared instruction that equals `wanted` up to its result id, else `wanted` at the end under a new id.
Id getGlobal(Module& module, Instruction wanted)
{
    InstructionList& globals = module.section(Section::Globals);
    const auto found = std::ranges::find_if(globals, [&](const Instruction& i) {
        return i.op == wanted.op && i.type == wanted.type && i.words == wanted.words && i.result;
    });
    if (found != globals.end())
        return found->result;
    wanted.result = module.newId();
    globals.push_back(std::move(wanted));
    return globals.back().result;
}

}  // namespace

Id Module::findType(spv::Op op, std::span<const uint32_t> operandWords) const
{
    for (const Instruction& i : section(Section::Globals))
        if (i.op == op && std::ranges::equal(i.words, operandWords))
            return i.result;
    return {};
}

Id Module::getVoidType()
{
    return getGlobal(*this, instruction(spv::Op::OpTypeVoid));
}

Id Module::getBoolType()
{
    return getGlobal(*this, instruction(spv::Op::OpTypeBool));
}

Id Module::getIntType(uint32_t width, bool isSigned)
{
    return getGlobal(*this, instruction(spv::Op::OpTypeInt).add(width).add(isSigned ? 1u : 0u));
}

Id Module::getFloatType(uint32_t width)
{
    return getGlobal(*this, instruction(spv::Op::OpTypeFloat).add(width));
}

Id Module::getVectorType(Id component, uint32_t count)
{
    return getGlobal(*this, instruction(spv::Op::OpTypeVector).add(component).add(count));
}

Id Module::getPointerType(spv::StorageClass storage, Id pointee)
{
    return getGlobal(*this, instruction(spv::Op::OpTypePointer).add(static_cast<uint32_t>(storage)).add(pointee));
}

Id Module::getFunctionType(Id result, std::span<const Id> parameters)
{
    Instruction type = instruction(spv::Op::OpTypeFunction).add(result);
    for (const Id parameter : parameters)
        type.add(parameter);
    return getGlobal(*this, std::move(type));
}

Id Module::getConstant(uint32_t value)
{
    return getGlobal(*this, instruction(spv::Op::OpConstant, getIntType(32, false)).add(value));
}

Id Module::getConstantBool(bool value)
{
    return getGlobal(*this, instruction(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, getBoolType()));
}

Id Module::createVariable(Id pointerType, spv::StorageClass storage, Id initializer)
{
    const Id result = newId();
    Instruction variable = instruction(spv::Op::OpVariable, pointerType, result).add(static_cast<uint32_t>(storage));
    if (initializer)
        variable.add(initializer);
    section(Section::Globals).push_back(std::move(variable));
    return result;
}

Id Module::typeOf(Id value) const
{
    const Instruction* definition = findDefinition(value);
    return definition ? definition->type : Id{};
}

Id Module::pointee(Id pointerType) const
{
    const Instruction* type = findDefinition(pointerType);
    return type && type->op == spv::Op::OpTypePointer ? type->id(1) : Id{};
}

spv::StorageClass Module::storageOf(Id pointerType) const
{
    const Instruction* type = findDefinition(pointerType);
    const bool isPointer = type && type->op == spv::Op::OpTypePointer;
    return isPointer ? static_cast<spv::StorageClass>(type->literal(0)) : spv::StorageClass::Max;
}

bool Module::isConstant(Id id) const
{
    const Instruction* definition = findDefinition(id);
    return definition && isConstantOp(definition->op);
}

bool Module::constantValue(Id id, uint32_t& value) const
{
    const Instruction* constant = findDefinition(id);
    const Instruction* type = constant ? findDefinition(constant->type) : nullptr;
    if (!type)
        return false;
    const bool isInteger = type->op == spv::Op::OpTypeInt && type->literal(0) <= 32;
    const bool isBool = type->op == spv::Op::OpTypeBool;
    switch (constant->op) {
        case spv::Op::OpConstant:
        case spv::Op::OpSpecConstant:
            value = constant->words[0];
            return isInteger;
        case spv::Op::OpConstantNull:
            value = 0;
            return isInteger || isBool;
        case spv::Op::OpConstantTrue:
        case spv::Op::OpSpecConstantTrue:
            value = 1;
            return isBool;
        case spv::Op::OpConstantFalse:
        case spv::Op::OpSpecConstantFalse:
            value = 0;
            return isBool;
        default:
            return false;
    }
}

std::string Module::constantString(Id id) const
{
    const Instruction* constant = findDefinition(id);
    const bool isString = constant && (constant->op == spv::Op::OpConstantStringAMDX ||
                                       constant->op == spv::Op::OpSpecConstantStringAMDX);
    return isString ? constant->string(0) : std::string();
}

}  // namespace millrace::spirv
