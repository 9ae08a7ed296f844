// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_origins.h"

#include <utility>

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
    // With most modules the second time finds nothing new.
    visitAll();
    m_changed.clear();
    visitAll();
    if (!m_changed.empty())
        followChanges();
}

void PayloadOrigins::visitAll()
{
    for (const spirv::Function& function : m_module.functions)
        for (const spirv::Block& block : function.blocks)
            for (const Instruction& i : block.body)
                visit({&function, &i});
}

std::unordered_map<uint32_t, std::vector<PayloadOrigins::Use>> PayloadOrigins::findUses() const
{
    std::unordered_map<uint32_t, std::vector<Use>> uses;
    for (const spirv::Function& function : m_module.functions)
        for (const spirv::Block& block : function.blocks)
            for (const Instruction& i : block.body)
                for (size_t o = 0; o < i.operandCount(); ++o)
                    if (i.isId(o))
                        uses[i.id(o).value].push_back({&function, &i});
    return uses;
}

// Ends: masks and sets only grow, so each instruction is visited a few times for each of its operands.
void PayloadOrigins::followChanges()
{
    std::unordered_map<uint32_t, std::vector<Use>> uses = findUses();
    while (!m_changed.empty()) {
        const Id changed = m_changed.back();
        m_changed.pop_back();
        for (const Use& use : uses[changed.value])
            visit(use, changed);
    }
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

std::vector<Id>& PayloadOrigins::aliasesOf(Id root)
{
    std::vector<Id>& aliases = m_aliases[root.value];
    if (aliases.empty())
        aliases.push_back(root);
    return aliases;
}

// The smaller tree hangs on the larger one, so that ways to roots are short.
void PayloadOrigins::unite(Id a, Id b)
{
    Id from{rootOf(a.value)};
    Id to{rootOf(b.value)};
    if (from == to)
        return;
    if (aliasesOf(from).size() > aliasesOf(to).size())
        std::swap(from, to);
    const Mask content = contentOf(from) | contentOf(to);
    addContent(from, content);
    addContent(to, content);
    m_parents[from.value] = to.value;
    const std::vector<Id> moved = std::move(aliasesOf(from));
    m_aliases.erase(from.value);
    std::vector<Id>& aliases = aliasesOf(to);
    aliases.insert(aliases.end(), moved.begin(), moved.end());
}

void PayloadOrigins::addMask(Id id, Mask mask)
{
    if ((mask & ~maskOf(id)) != 0) {
        m_masks.at(id.value) |= mask;
        m_changed.push_back(id);
    }
}

void PayloadOrigins::addContent(Id pointer, Mask mask)
{
    if ((mask & ~contentOf(pointer)) == 0)
        return;
    const Id root{rootOf(pointer.value)};
    m_contents[root.value] |= mask;
    const std::vector<Id>& aliases = aliasesOf(root);
    m_changed.insert(m_changed.end(), aliases.begin(), aliases.end());
}

void PayloadOrigins::addPayloadMemory(Id pointer)
{
    if (m_payloadMemory.insert(pointer))
        m_changed.push_back(pointer);
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

void PayloadOrigins::visit(const Use& use, Id changed)
{
    ++m_visits;
    const Instruction& i = *use.instruction;
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
            addMask(use.function->id(), maskOf(i.id(0)));
            break;
        default:
            visitOther(i, changed);
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
void PayloadOrigins::visitOther(const Instruction& i, Id changed)
{
    if (!i.result || !i.type || (!m_module.pointee(i.type) && !holdsHandles(i.type)))
        return;
    if (changed) {
        passOn(i, changed);
        return;
    }
    for (size_t o = 0; o < i.operandCount(); ++o)
        if (i.isId(o))
            passOn(i, i.id(o));
}

void PayloadOrigins::passOn(const Instruction& i, Id operand)
{
    addMask(i.result, maskOf(operand));
    if (m_module.pointee(i.type) && m_payloadMemory.contains(operand))
        addPayloadMemory(i.result);
    if (pointsToHandles(operand) && pointsToHandles(i.result))
        unite(operand, i.result);
}

}  // namespace millrace::nodes
