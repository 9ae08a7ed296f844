// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/plain_memory.h"

#include "nodes/fusion/small_numbers.h"
#include "nodes/payload_types.h"
#include "shader/memory_operands.h"
#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

namespace {

// Nothing chooses between pointers: Private ones must not be chosen between.
bool passesPointerOn(spv::Op op)
{
    return shader::isAccessChain(op) || op == spv::Op::OpCopyObject;
}

bool isComposite(const Instruction& type)
{
    return type.op == spv::Op::OpTypeArray || type.op == spv::Op::OpTypeStruct;
}

bool mayUsePointer(const Instruction& i, size_t operand)
{
    const bool isAccess = i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore;
    return operand == 0 && (isAccess || passesPointerOn(i.op));
}

}  // namespace

Instruction sharedAccess(Instruction access, bool vulkanMemoryModel)
{
    if (vulkanMemoryModel) {
        shader::MemoryOperands operands;
        operands.set(spv::MemoryAccessMask::NonPrivatePointer);
        shader::addMemoryOperands(access, operands);
    }
    return access;
}

PlainMemory::PlainMemory(spirv::Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(spirv::Section::MemoryModel)) {
        m_vulkanMemoryModel |=
            i.op == spv::Op::OpMemoryModel && i.literal(1) == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    }
}

bool PlainMemory::isWidened(Id type) const
{
    const Instruction& t = *m_module.findDefinition(type);
    bool isAny = isInBuffersOnly(m_module, t);
    if (t.op == spv::Op::OpTypeVector || t.op == spv::Op::OpTypeArray)
        return isWidened(t.id(0));
    for (size_t m = 0; t.op == spv::Op::OpTypeStruct && m < t.operandCount(); ++m)
        isAny |= isWidened(t.id(m));
    return isAny;
}

Id PlainMemory::plain(Id type)
{
    if (const auto known = m_plain.find(type.value); known != m_plain.end())
        return known->second;
    // By value: types are added meanwhile.
    const Instruction t = *m_module.findDefinition(type);
    Id result = type;
    if (isComposite(t)) {
        Instruction copy = spirv::instruction(t.op, {}, m_module.newId());
        const bool isArray = t.op == spv::Op::OpTypeArray;
        for (size_t o = 0; o < t.operandCount(); ++o)
            copy.add(isArray && o == 1 ? t.id(o) : plain(t.id(o)));
        result = copy.result;
        m_module.section(spirv::Section::Globals).push_back(std::move(copy));
    } else if (t.op == spv::Op::OpTypeVector && isWidened(type)) {
        result = m_module.getVectorType(plain(t.id(0)), t.literal(1));
    } else if (isInBuffersOnly(m_module, t)) {
        result = widened(m_module, type);
    }
    m_plain.emplace(type.value, result);
    return result;
}

Id PlainMemory::createVariable(Id type, uint32_t count, spv::StorageClass storage)
{
    Id held = plain(type);
    if (count > 0) {
        const Id length = m_module.getConstant(count);
        const Id array = m_module.newId();
        m_module.section(spirv::Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(held).add(length));
        held = array;
    }
    const Id variable = m_module.createVariable(m_module.getPointerType(storage, held), storage);
    add(variable, storage);
    return variable;
}

void PlainMemory::findDerived()
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    const auto base = passesPointerOn(i.op) ? m_pointers.find(i.id(0).value) : m_pointers.end();
                    changed |= base != m_pointers.end() && m_pointers.emplace(i.result.value, base->second).second;
                }
            }
        }
    }
}

bool PlainMemory::retype(Instruction& i, shader::Failure& failure)
{
    for (size_t o = 0; o < i.operandCount(); ++o)
        if (i.isId(o) && isOurs(i.id(o)) && !mayUsePointer(i, o))
            return failure.at(m_module, i, "uses a payload or push constants for more than loads and stores");
    if (i.result && isOurs(i.result))
        i.type = m_module.getPointerType(m_pointers.at(i.result.value), plain(m_module.pointee(i.type)));
    return true;
}

Id PlainMemory::loadShared(Emitter& out, Id type, Id pointer) const
{
    const Id value = m_module.newId();
    out.keep(ordered(spirv::instruction(spv::Op::OpLoad, type, value).add(pointer), spv::StorageClass::Workgroup));
    return value;
}

// Memory operands of before speak of buffers.
void PlainMemory::lowerAccess(const Instruction& i, Emitter& out, shader::Failure& failure)
{
    const bool isLoad = i.op == spv::Op::OpLoad;
    const bool isStore = i.op == spv::Op::OpStore;
    if ((!isLoad && !isStore) || !isOurs(i.id(0))) {
        out.keep(i);
        return;
    }
    const spv::StorageClass storage = m_pointers.at(i.id(0).value);
    const Id type = isLoad ? i.type : m_module.typeOf(i.id(1));
    const Id held = plain(type);
    const bool hasMembers = isComposite(*m_module.findDefinition(type));
    if (hasMembers && isWidened(type)) {
        // Code that may not compute with small numbers may not take what has them apart, either.
        failure.at(m_module, i, "copies numbers as a whole that the module may have in buffers only");
        out.keep(i);
    } else if (isLoad && held == type) {
        out.keep(ordered(spirv::instruction(i.op, type, i.result).add(i.id(0)), storage));
    } else if (isLoad) {
        Id value = m_module.newId();
        out.keep(ordered(spirv::instruction(i.op, held, value).add(i.id(0)), storage));
        value = hasMembers ? value : withWidth(out, value, held, type);
        const auto op = hasMembers ? spv::Op::OpCopyLogical : spv::Op::OpCopyObject;
        out.keep(spirv::instruction(op, type, i.result).add(value));
    } else {
        const Id value = held == type ? i.id(1)
                         : hasMembers ? out.emit(spv::Op::OpCopyLogical, held, {i.id(1)})
                                      : withWidth(out, i.id(1), type, held);
        out.keep(ordered(spirv::instruction(i.op).add(i.id(0)).add(value), storage));
    }
}

bool PlainMemory::finish(shader::Failure& failure)
{
    findDerived();
    for (spirv::Function& function : m_module.functions) {
        for (spirv::Block& block : function.blocks) {
            for (Instruction& i : block.body)
                if (!retype(i, failure))
                    return false;
        }
    }
    for (spirv::Function& function : m_module.functions) {
        spirv::rewriteFunction(m_module, function,
                               [&](const Instruction& i, Emitter& out) { lowerAccess(i, out, failure); });
    }
    return !failure;
}

}  // namespace millrace::nodes
