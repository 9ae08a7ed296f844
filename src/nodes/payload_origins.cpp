// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_origins.h"

#include "nodes/payload_types.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;

PayloadOrigins::PayloadOrigins(const spirv::Module& module, Id input) : m_module(module)
{
    for (const Instruction& i : module.section(spirv::Section::Globals))
        if (i.result && !i.type && nodes::holdsHandles(module, i.result))
            m_handleTypes.insert(i.result);
    if (input)
        addMask(input, kInput);
    // Ends: masks and sets only grow.
    do {
        m_changed = false;
        for (const spirv::Function& function : module.functions) {
            for (const spirv::Block& block : function.blocks)
                for (const Instruction& i : block.body)
                    visit(function, i);
        }
    } while (m_changed);
}

bool PayloadOrigins::isInputOnly(Id base) const
{
    return handleMask(base) == kInput;
}

bool PayloadOrigins::isOutputOnly(Id base) const
{
    return handleMask(base) == kOutput;
}

bool PayloadOrigins::isPayloadMemory(Id pointer) const
{
    return m_payloadMemory.contains(pointer) || isPayloadPointer(m_module, m_module.typeOf(pointer));
}

PayloadOrigins::Mask PayloadOrigins::maskOf(Id id) const
{
    return m_masks.get(id.value);
}

PayloadOrigins::Mask PayloadOrigins::contentOf(Id pointer) const
{
    const auto found = m_contents.find(rootOf(pointer.value));
    return found == m_contents.end() ? Mask{0} : found->second;
}

uint32_t PayloadOrigins::rootOf(uint32_t pointer) const
{
    for (auto parent = m_parents.find(pointer); parent != m_parents.end(); parent = m_parents.find(pointer))
        pointer = parent->second;
    return pointer;
}

void PayloadOrigins::unite(Id a, Id b)
{
    const uint32_t from = rootOf(a.value);
    const uint32_t to = rootOf(b.value);
    if (from == to)
        return;
    const Mask content = contentOf(a);
    m_parents[from] = to;
    m_changed = true;
    addContent(b, content);
}

void PayloadOrigins::addMask(Id id, Mask mask)
{
    if ((mask & ~maskOf(id)) != 0) {
        m_masks.at(id.value) |= mask;
        m_changed = true;
    }
}

void PayloadOrigins::addContent(Id pointer, Mask mask)
{
    if ((mask & ~contentOf(pointer)) != 0) {
        m_contents[rootOf(pointer.value)] |= mask;
        m_changed = true;
    }
}

void PayloadOrigins::addPayloadMemory(Id pointer)
{
    m_changed |= m_payloadMemory.insert(pointer);
}

// A pointer to variables that hold handles, as opposed to a handle.
bool PayloadOrigins::pointsToHandles(Id pointer) const
{
    const Id type = m_module.typeOf(pointer);
    return m_module.pointee(type) && !isHandle(m_module, type) && holdsHandles(m_module.pointee(type));
}

PayloadOrigins::Mask PayloadOrigins::handleMask(Id base) const
{
    return pointsToHandles(base) ? contentOf(base) : maskOf(base);
}

void PayloadOrigins::visit(const spirv::Function& function, const Instruction& i)
{
    switch (i.op) {
        case spv::Op::OpAllocateNodePayloadsAMDX:
            addMask(i.result, kOutput);
            break;
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpPtrAccessChain:
        case spv::Op::OpInBoundsPtrAccessChain:
            visitChain(i);
            break;
        case spv::Op::OpLoad:
            // Through a payload pointer come values; through a handle or a pointer to handles come handles.
            if (holdsHandles(i.type) || isPayloadPointer(m_module, i.type))
                addMask(i.result, isHandle(m_module, m_module.typeOf(i.id(0))) ? maskOf(i.id(0)) : contentOf(i.id(0)));
            break;
        case spv::Op::OpStore:
            addContent(i.id(0), maskOf(i.id(1)));
            break;
        case spv::Op::OpCopyMemory:
            if (pointsToHandles(i.id(0)))
                addContent(i.id(0), handleMask(i.id(1)));
            break;
        case spv::Op::OpFunctionCall:
            visitCall(i);
            break;
        case spv::Op::OpReturnValue:
            addMask(function.id(), maskOf(i.id(0)));
            break;
        default:
            visitOther(i);
            break;
    }
}

void PayloadOrigins::visitChain(const Instruction& i)
{
    const Id base = i.id(0);
    if (payloadIndexOperand(m_module, i)) {
        addMask(i.result, handleMask(base));
        addPayloadMemory(i.result);
    } else if (isPayloadMemory(base)) {
        addMask(i.result, maskOf(base));
        addPayloadMemory(i.result);
    } else if (pointsToHandles(i.result)) {
        unite(i.result, base);
    } else {
        addMask(i.result, maskOf(base));
    }
}

void PayloadOrigins::visitCall(const Instruction& i)
{
    const spirv::Function* callee = m_module.findFunction(i.id(0));
    if (!callee)
        return;
    for (size_t p = 0; p < callee->parameters.size() && p + 1 < i.operandCount(); ++p) {
        const Id argument = i.id(p + 1);
        const Id parameter = callee->parameters[p].result;
        addMask(parameter, maskOf(argument));
        if (pointsToHandles(argument))
            unite(argument, parameter);
        if (m_payloadMemory.contains(argument))
            addPayloadMemory(parameter);
    }
    addMask(i.result, maskOf(callee->id()));
}

// Copies, choices and composites pass on what they are made of.
void PayloadOrigins::visitOther(const Instruction& i)
{
    const Id pointee = m_module.pointee(i.type);
    if (!i.result || !i.type || (!pointee && !holdsHandles(i.type)))
        return;
    for (size_t o = 0; o < i.operandCount(); ++o) {
        if (!i.isId(o))
            continue;
        addMask(i.result, maskOf(i.id(o)));
        if (pointee && m_payloadMemory.contains(i.id(o)))
            addPayloadMemory(i.result);
        if (pointsToHandles(i.id(o)) && pointsToHandles(i.result))
            unite(i.id(o), i.result);
    }
}

}  // namespace millrace::nodes
