// SPDX-License-Identifier: Apache-2.0
#include "nodes/handle_values.h"

#include <algorithm>
#include <unordered_set>

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;

namespace {

// Each is compared with, so that many are no better than all.
constexpr size_t kMostOrigins = 8;
// Blocks, stores and choices that one question looks at.
constexpr uint32_t kMostSteps = 256;

uint64_t keyOf(Id variable, size_t block)
{
    return uint64_t{block} << 32 | variable.value;
}

void add(HandleOrigins& origins, const HandleOrigins& more)
{
    for (const Id allocation : more.allocations)
        if (std::ranges::find(origins.allocations, allocation) == origins.allocations.end())
            origins.allocations.push_back(allocation);
}

const Instruction* definitionOf(const spirv::Module& module, Id value)
{
    const Instruction* i = module.findDefinition(value);
    while (i && i->op == spv::Op::OpCopyObject)
        i = module.findDefinition(i->id(0));
    return i;
}

}  // namespace

HandleValues::HandleValues(const NodeShader& shader, const spirv::Function& function, const shader::ControlFlow& flow)
    : m_shader(shader), m_predecessors(function.blocks.size())
{
    for (size_t b = 0; b < function.blocks.size(); ++b)
        for (const size_t next : flow.successors(b))
            m_predecessors[next].push_back(b);
    findVariables(function);
    findAccesses(function);
}

void HandleValues::findVariables(const spirv::Function& function)
{
    for (const spirv::Block& block : function.blocks)
        for (const Instruction& i : block.body)
            if (i.op == spv::Op::OpVariable)
                m_variables[i.result.value] = true;
    for (const spirv::Block& block : function.blocks) {
        for (const Instruction& i : block.body) {
            for (size_t o = 0; o < i.operandCount(); ++o) {
                const auto variable = i.isId(o) ? m_variables.find(i.id(o).value) : m_variables.end();
                const bool isAccess = o == 0 && (i.op == spv::Op::OpStore || i.op == spv::Op::OpLoad);
                if (variable != m_variables.end() && !isAccess)
                    variable->second = false;
            }
        }
    }
}

void HandleValues::findAccesses(const spirv::Function& function)
{
    const auto isPlain = [&](Id variable) {
        const auto found = m_variables.find(variable.value);
        return found != m_variables.end() && found->second;
    };
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const std::vector<Instruction>& body = function.blocks[b].body;
        for (size_t n = 0; n < body.size(); ++n) {
            if (body[n].op == spv::Op::OpStore && isPlain(body[n].id(0)))
                m_stores[keyOf(body[n].id(0), b)].push_back({n, body[n].id(1)});
            if (body[n].op == spv::Op::OpLoad && isPlain(body[n].id(0)))
                m_loads[body[n].result.value] = {b, n};
        }
    }
}

const std::vector<HandleValues::Store>& HandleValues::storesOf(Id variable, size_t block) const
{
    static const std::vector<Store> kNone;
    const auto found = m_stores.find(keyOf(variable, block));
    return found != m_stores.end() ? found->second : kNone;
}

bool HandleValues::isStoredBehind(Id variable, size_t block, size_t position, Id allocation) const
{
    return std::ranges::any_of(storesOf(variable, block), [&](const Store& store) {
        const Instruction* value = definitionOf(m_shader.module, store.value);
        return store.position > position && value && value->result == allocation;
    });
}

std::optional<HandleOrigins> HandleValues::originsOf(Id value) const
{
    uint32_t steps = kMostSteps;
    return originsOf(value, steps);
}

std::optional<HandleOrigins> HandleValues::originsOf(Id value, uint32_t& steps) const
{
    const Instruction* i = definitionOf(m_shader.module, value);
    if (!i || steps == 0)
        return {};
    --steps;
    switch (i->op) {
        case spv::Op::OpFunctionCall:
            if (m_shader.device.isCall(*i, DeviceFunction::AllocateWorkgroup) ||
                m_shader.device.isCall(*i, DeviceFunction::AllocateInvocation))
                return HandleOrigins{{i->result}, {}, true, false};
            return {};
        case spv::Op::OpUndef:
        case spv::Op::OpConstantNull:
            return HandleOrigins();
        case spv::Op::OpLoad: {
            const auto load = m_loads.find(i->result.value);
            return load != m_loads.end() ? originsOfLoad(i->id(0), load->second, steps) : std::nullopt;
        }
        case spv::Op::OpSelect:
        case spv::Op::OpPhi:
            return originsOfChoice(*i, steps);
        default:
            return {};
    }
}

// Goes back to the stores that the load may see. It is sure of one that is on all paths: an allocation is in front
// of its store, so a path from it to the load without the store would be one from the beginning as well.
std::optional<HandleOrigins> HandleValues::originsOfLoad(Id variable, Place load, uint32_t& steps) const
{
    HandleOrigins out{{}, variable, true, false};
    std::unordered_set<size_t> seen;
    std::vector<Place> pending = {load};
    while (!pending.empty()) {
        if (steps == 0)
            return {};
        --steps;
        const Place place = pending.back();
        pending.pop_back();
        const std::vector<Store>& stores = storesOf(variable, place.block);
        const auto behind = std::ranges::lower_bound(stores, place.position, {}, &Store::position);
        if (behind != stores.begin()) {
            const std::optional<HandleOrigins> stored = originsOf(std::prev(behind)->value, steps);
            if (!stored)
                return {};
            add(out, *stored);
            out.isLatest = out.isLatest && stored->isSure();
        } else {
            out.mayBeUnset = out.mayBeUnset || place.block == 0;
            for (const size_t before : m_predecessors[place.block])
                if (seen.insert(before).second)
                    pending.push_back({before, SIZE_MAX});
        }
        if (out.allocations.size() > kMostOrigins)
            return {};
    }
    out.isLatest = out.isLatest && out.allocations.size() == 1;
    return out;
}

std::optional<HandleOrigins> HandleValues::originsOfChoice(const Instruction& choice, uint32_t& steps) const
{
    HandleOrigins out;
    const bool isPhi = choice.op == spv::Op::OpPhi;
    for (size_t o = isPhi ? 0 : 1; o < choice.operandCount(); o += isPhi ? 2 : 1) {
        const std::optional<HandleOrigins> chosen = originsOf(choice.id(o), steps);
        if (!chosen)
            return {};
        add(out, *chosen);
        if (out.allocations.size() > kMostOrigins)
            return {};
    }
    return out;
}

}  // namespace millrace::nodes
