// SPDX-License-Identifier: Apache-2.0
#include "dxil/dead_memory.h"

#include <unordered_map>

namespace millrace::dxil {

namespace {

using Users = std::unordered_map<const Value*, std::vector<const Value*>>;

bool isAddress(const Value& i)
{
    return i.op == Op::GetElementPtr || i.op == Op::BitCast || i.op == Op::AddressSpaceCast;
}

bool isLifetime(const Value& i)
{
    return i.op == Op::Call && i.function && i.function->name.starts_with("llvm.lifetime.");
}

// Of variables and addresses.
Users findUsers(const Function& function)
{
    Users out;
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions) {
            for (const Value* operand : i->operands)
                if (operand->kind == Value::Kind::Instruction && operand->type && operand->type->isPointer())
                    out[operand].push_back(i);
        }
    }
    return out;
}

// What becomes of a variable is collected in `out`. False: somebody reads it, or may.
bool collect(const Value& variable, const Users& users, std::vector<const Value*>& out)
{
    out = {&variable};
    for (size_t next = 0; next < out.size(); ++next) {
        const Value* pointer = out[next];
        const auto found = users.find(pointer);
        if (pointer->op == Op::Store || found == users.end())
            continue;
        for (const Value* user : found->second) {
            const bool isTarget = user->op == Op::Store && user->operands.at(0) != pointer;
            if (!isTarget && !isAddress(*user) && !isLifetime(*user))
                return false;
            if (!isLifetime(*user))
                out.push_back(user);
        }
    }
    return true;
}

}  // namespace

std::unordered_set<const Value*> findDeadMemory(const Function& function)
{
    const Users users = findUsers(function);
    std::unordered_set<const Value*> out;
    std::vector<const Value*> found;
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions)
            if (i->op == Op::Alloca && collect(*i, users, found))
                out.insert(found.begin(), found.end());
    }
    return out;
}

}  // namespace millrace::dxil
