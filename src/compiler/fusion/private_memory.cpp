// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/private_memory.h"

#include "compiler/payload_types.h"

namespace millrace::compiler {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

namespace {

// Nothing chooses between pointers: Private ones must not be chosen between.
bool passesPointerOn(spv::Op op)
{
    return isAccessChain(op) || op == spv::Op::OpCopyObject;
}

bool mayUsePointer(const Instruction& i, size_t operand)
{
    const bool isAccess = i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore;
    return operand == 0 && (isAccess || passesPointerOn(i.op));
}

}  // namespace

Id PrivateMemory::plain(Id type)
{
    if (const auto known = m_plain.find(type.value); known != m_plain.end()) {
        return known->second;
    }
    // By value: types are added meanwhile.
    const Instruction t = *m_module.findDefinition(type);
    Id result = type;
    if (t.op == spv::Op::OpTypeArray || t.op == spv::Op::OpTypeStruct) {
        Instruction copy = spirv::instruction(t.op, {}, m_module.newId());
        const bool isArray = t.op == spv::Op::OpTypeArray;
        for (size_t o = 0; o < t.operandCount(); o++) {
            copy.add(isArray && o == 1 ? t.id(o) : plain(t.id(o)));
        }
        result = copy.result;
        m_module.section(spirv::Section::Globals).push_back(std::move(copy));
    }
    m_plain.emplace(type.value, result);
    return result;
}

Id PrivateMemory::createVariable(Id type, uint32_t count)
{
    Id held = plain(type);
    if (count > 0) {
        const Id length = m_module.getConstant(count);
        const Id array = m_module.newId();
        m_module.section(spirv::Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(held).add(length));
        held = array;
    }
    constexpr auto kPrivate = spv::StorageClass::Private;
    const Id variable = m_module.createVariable(m_module.getPointerType(kPrivate, held), kPrivate);
    add(variable);
    return variable;
}

void PrivateMemory::findDerived()
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    const bool isDerived = passesPointerOn(i.op) && isOurs(i.id(0));
                    changed |= isDerived && m_pointers.insert(i.result.value).second;
                }
            }
        }
    }
}

bool PrivateMemory::retype(Instruction& i, Failure& failure)
{
    for (size_t o = 0; o < i.operandCount(); o++) {
        if (i.isId(o) && isOurs(i.id(o)) && !mayUsePointer(i, o)) {
            return failure.at(m_module, i, "uses a payload or push constants for more than loads and stores");
        }
    }
    if (i.result && isOurs(i.result)) {
        i.type = m_module.getPointerType(spv::StorageClass::Private, plain(m_module.pointee(i.type)));
    }
    return true;
}

// Memory operands speak of memory that others see.
void PrivateMemory::lowerAccess(const Instruction& i, Emitter& out)
{
    const bool isLoad = i.op == spv::Op::OpLoad;
    const bool isStore = i.op == spv::Op::OpStore;
    if ((!isLoad && !isStore) || !isOurs(i.id(0))) {
        out.keep(i);
        return;
    }
    const Id type = isLoad ? i.type : m_module.typeOf(i.id(1));
    const Id held = plain(type);
    if (isLoad && held == type) {
        out.keep(spirv::instruction(i.op, type, i.result).add(i.id(0)));
    } else if (isLoad) {
        const Id value = out.emit(i.op, held, {i.id(0)});
        out.keep(spirv::instruction(spv::Op::OpCopyLogical, type, i.result).add(value));
    } else {
        const Id value = held == type ? i.id(1) : out.emit(spv::Op::OpCopyLogical, held, {i.id(1)});
        out.emitVoid(i.op, {i.id(0), value});
    }
}

bool PrivateMemory::finish(Failure& failure)
{
    findDerived();
    for (spirv::Function& function : m_module.functions) {
        for (spirv::Block& block : function.blocks) {
            for (Instruction& i : block.body) {
                if (!retype(i, failure)) {
                    return false;
                }
            }
        }
    }
    for (spirv::Function& function : m_module.functions) {
        spirv::rewriteFunction(m_module, function, [this](const Instruction& i, Emitter& out) { lowerAccess(i, out); });
    }
    return true;
}

}  // namespace millrace::compiler
