// SPDX-License-Identifier: Apache-2.0
#include "dxil/kept_handles.h"

#include <unordered_set>

#include "dxil/opcodes.h"

namespace millrace::dxil {

namespace {

using Source = KeptHandles::Source;

Source both(Source a, Source b)
{
    if (a == Source::None || a == b)
        return b;
    return b == Source::None ? a : Source::Other;
}

bool isNumber(const Value& value, uint64_t& out)
{
    out = value.kind == Value::Kind::Int ? value.bits : 0;
    return value.isConstantInt();
}

// Of what is no phi, select or load.
Source sourceOfCall(const Value& value)
{
    uint64_t opcode = 0;
    uint64_t isSampler = 0;
    const bool isHeap = value.isInstruction(Op::Call) && value.operands.size() == 4 &&
                        value.function->name.starts_with("dx.op.") && isNumber(*value.operands[0], opcode) &&
                        opcode == opcode::CreateHandleFromHeap && isNumber(*value.operands[2], isSampler);
    if (!isHeap)
        return Source::Other;
    return isSampler != 0 ? Source::SamplerHeap : Source::ResourceHeap;
}

// Pointers to one global are different values.
const void* keyOf(const Value& variable)
{
    return variable.kind == Value::Kind::Global ? static_cast<const void*>(variable.global) : &variable;
}

}  // namespace

bool isHandleType(const Type& type)
{
    return type.isStruct() && (type.name == "dx.types.Handle" || type.name == "dx.types.NodeHandle" ||
                               type.name == "dx.types.NodeRecordHandle");
}

const Value& variableOf(const Value& address)
{
    const Value* at = &address;
    while (at->kind == Value::Kind::Instruction && !at->operands.empty() &&
           (at->op == Op::GetElementPtr || at->op == Op::BitCast || at->op == Op::AddressSpaceCast))
        at = at->operands[0];
    return *at;
}

void KeptHandles::add(const Function& function)
{
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions)
            if (i->op == Op::Store && isHandleType(*i->operands[0]->type))
                m_stored[keyOf(variableOf(*i->operands[1]))].push_back(i->operands[0]);
    }
}

Source KeptHandles::sourceOf(const Value& handle)
{
    if (const auto known = m_known.find(&handle); known != m_known.end())
        return known->second;
    Source out = Source::None;
    std::unordered_set<const void*> seen;
    std::vector<const Value*> open = {&handle};
    const auto openAll = [&](auto first, auto last) { open.insert(open.end(), first, last); };
    while (!open.empty() && out != Source::Other) {
        const Value& value = *open.back();
        open.pop_back();
        if (value.isUndef() || value.kind == Value::Kind::Null || !seen.insert(&value).second)
            continue;
        if (value.isInstruction(Op::Phi)) {
            openAll(value.operands.begin(), value.operands.end());
        } else if (value.isInstruction(Op::Select)) {
            openAll(value.operands.begin() + 1, value.operands.end());
        } else if (value.isInstruction(Op::Load)) {
            const auto stored = m_stored.find(keyOf(variableOf(*value.operands[0])));
            if (stored == m_stored.end())
                out = Source::Other;
            else if (seen.insert(stored->first).second)
                openAll(stored->second.begin(), stored->second.end());
        } else {
            out = both(out, sourceOfCall(value));
        }
    }
    return m_known[&handle] = out;
}

Source KeptHandles::sourceOfVariable(const Value& variable)
{
    const void* key = keyOf(variable);
    if (const auto known = m_known.find(key); known != m_known.end())
        return known->second;
    Source out = Source::None;
    if (const auto stored = m_stored.find(key); stored != m_stored.end())
        for (const Value* value : stored->second)
            out = both(out, sourceOf(*value));
    return m_known[key] = out;
}

}  // namespace millrace::dxil
