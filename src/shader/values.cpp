// SPDX-License-Identifier: Apache-2.0
#include "shader/values.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kMaxDepth = 16;

bool isLocal(const Module& module, Id id)
{
    const Instruction* i = module.findDefinition(id);
    const auto storage =
        i && i->op == spv::Op::OpVariable ? static_cast<spv::StorageClass>(i->literal(0)) : spv::StorageClass::Max;
    return (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private) && i->operandCount() == 1;
}

bool isInteger(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    return definition && definition->op == spv::Op::OpTypeInt;
}

}  // namespace

Values::Values(const Module& module) : m_module(module)
{
    const auto visit = [&](const Instruction& i) {
        for (size_t o = 0; o < i.operandCount(); ++o) {
            const bool isLoad = i.op == spv::Op::OpLoad && o == 0;
            if (!i.isId(o) || isLoad || !isLocal(module, i.id(o)))
                continue;
            const bool isStore = i.op == spv::Op::OpStore && o == 0;
            const auto [known, isFirst] = m_stored.try_emplace(i.id(o).value, isStore ? i.id(1) : Id{});
            known->second = isFirst ? known->second : Id{};
        }
    };
    for (const spirv::Function& function : module.functions)
        for (const spirv::Block& block : function.blocks)
            std::ranges::for_each(block.body, visit);
}

bool Values::isTransparent(Id variable) const
{
    const auto stored = m_stored.find(variable.value);
    return stored != m_stored.end() && stored->second;
}

Id Values::origin(Id id) const
{
    for (uint32_t step = 0; step < kMaxDepth; ++step) {
        const Instruction* i = m_module.findDefinition(id);
        if (!i)
            return id;
        const bool isCast = i->op == spv::Op::OpBitcast && isInteger(m_module, i->type) &&
                            isInteger(m_module, m_module.typeOf(i->id(0)));
        if (i->op == spv::Op::OpCopyObject || isCast) {
            id = i->id(0);
            continue;
        }
        const auto stored = i->op == spv::Op::OpLoad ? m_stored.find(i->id(0).value) : m_stored.end();
        if (stored == m_stored.end() || !stored->second)
            return id;
        id = stored->second;
    }
    return id;
}

std::optional<uint32_t> Values::largest(Id id) const
{
    // What a value may be one of; a loop comes back to what it has seen.
    std::vector<Id> todo = {id};
    std::unordered_set<uint32_t> seen;
    uint32_t most = 0;
    while (!todo.empty()) {
        const Id from = origin(todo.back());
        todo.pop_back();
        uint32_t value = 0;
        if (!seen.insert(from.value).second)
            continue;
        if (m_module.constantValue(from, value)) {
            most = std::max(most, value);
            continue;
        }
        const Instruction* i = m_module.findDefinition(from);
        if (!i || (i->op != spv::Op::OpSelect && i->op != spv::Op::OpPhi))
            return std::nullopt;
        // Operands of a phi are pairs of value and block.
        const bool isPhi = i->op == spv::Op::OpPhi;
        for (size_t o = isPhi ? 0 : 1; o < i->operandCount(); o += isPhi ? 2 : 1)
            todo.push_back(i->id(o));
    }
    return most;
}

}  // namespace millrace::shader
