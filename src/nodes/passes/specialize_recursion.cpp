// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/specialize_recursion.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "shader/control_flow.h"
#include "shader/globals.h"
#include "shader/values.h"

namespace millrace::nodes {

using spirv::Block;
using spirv::Emitter;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// What follows from the number; looks at a module that does not change meanwhile.
class Conditions {
public:
    Conditions(const Module& module, Id variable, RecursionRange remaining)
        : m_module(module), m_values(module), m_variable(variable), m_remaining(remaining)
    {
    }

    bool isRemaining(const Instruction& i) const { return i.op == spv::Op::OpLoad && i.id(0) == m_variable; }
    std::optional<bool> truth(Id id) const
    {
        const Instruction* i = m_module.findDefinition(m_values.origin(id));
        if (!i)
            return {};
        switch (i->op) {
            case spv::Op::OpConstantTrue:
                return true;
            case spv::Op::OpConstantFalse:
                return false;
            case spv::Op::OpLogicalNot:
                return negated(truth(i->id(0)));
            case spv::Op::OpLogicalAnd:
                return both(truth(i->id(0)), truth(i->id(1)));
            default:
                return comparison(*i);
        }
    }

private:
    // What a number may be.
    struct Interval {
        int64_t least, most;
        bool isBelow(const Interval& other) const { return most < other.least; }
    };

    std::optional<Interval> interval(Id id, bool isSigned) const
    {
        const Id origin = m_values.origin(id);
        const Instruction* i = m_module.findDefinition(origin);
        if (i && isRemaining(*i))
            return Interval{m_remaining.least, m_remaining.most};
        uint32_t value = 0;
        if (!m_module.constantValue(origin, value))
            return {};
        const int64_t number = isSigned ? int64_t{static_cast<int32_t>(value)} : int64_t{value};
        return Interval{number, number};
    }

    static std::optional<bool> isLess(const Interval& a, const Interval& b)
    {
        if (a.isBelow(b))
            return true;
        return a.least >= b.most ? std::optional(false) : std::nullopt;
    }

    static std::optional<bool> isEqual(const Interval& a, const Interval& b)
    {
        if (a.isBelow(b) || b.isBelow(a))
            return false;
        const bool isOne = a.least == a.most && b.least == b.most;
        return isOne ? std::optional(true) : std::nullopt;
    }

    static std::optional<bool> negated(std::optional<bool> truth)
    {
        return truth ? std::optional(!*truth) : std::nullopt;
    }

    static std::optional<bool> both(std::optional<bool> a, std::optional<bool> b)
    {
        if (a == false || b == false)
            return false;
        return a && b ? std::optional(true) : std::nullopt;
    }

    static bool comparesSigned(spv::Op op)
    {
        return op == spv::Op::OpSLessThan || op == spv::Op::OpSLessThanEqual || op == spv::Op::OpSGreaterThan ||
               op == spv::Op::OpSGreaterThanEqual;
    }

    std::optional<bool> comparison(const Instruction& i) const
    {
        if (i.operandCount() != 2 || !i.isId(0) || !i.isId(1))
            return {};
        const auto a = interval(i.id(0), comparesSigned(i.op)), b = interval(i.id(1), comparesSigned(i.op));
        if (!a || !b)
            return {};
        switch (i.op) {
            case spv::Op::OpIEqual:
                return isEqual(*a, *b);
            case spv::Op::OpINotEqual:
                return negated(isEqual(*a, *b));
            case spv::Op::OpULessThan:
            case spv::Op::OpSLessThan:
                return isLess(*a, *b);
            case spv::Op::OpUGreaterThanEqual:
            case spv::Op::OpSGreaterThanEqual:
                return negated(isLess(*a, *b));
            case spv::Op::OpUGreaterThan:
            case spv::Op::OpSGreaterThan:
                return isLess(*b, *a);
            case spv::Op::OpULessThanEqual:
            case spv::Op::OpSLessThanEqual:
                return negated(isLess(*b, *a));
            default:
                return {};
        }
    }

    const Module& m_module;
    const shader::Values m_values;
    const Id m_variable;
    const RecursionRange m_remaining;
};

// Where a block's branch is known to go.
std::unordered_map<uint32_t, Id> findTakenBranches(const Function& function, const Conditions& conditions)
{
    std::unordered_map<uint32_t, Id> taken;  // by label
    for (const Block& block : function.blocks) {
        const Instruction& last = block.body.back();
        if (last.op != spv::Op::OpBranchConditional)
            continue;
        if (const std::optional<bool> truth = conditions.truth(last.id(0)))
            taken.emplace(block.label.value, last.id(*truth ? 1 : 2));
    }
    return taken;
}

// What a selection is known to be, by its result.
std::unordered_map<uint32_t, Id> findKnownSelections(const Module& module, const Conditions& conditions)
{
    std::unordered_map<uint32_t, Id> known;
    for (const Function& function : module.functions) {
        for (const Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                const auto truth = i.op == spv::Op::OpSelect ? conditions.truth(i.id(0)) : std::nullopt;
                if (truth)
                    known.emplace(i.result.value, i.id(*truth ? 1 : 2));
            }
        }
    }
    return known;
}

void takeBranch(Block& block, Id target)
{
    block.body.pop_back();
    if (!block.body.empty() && block.body.back().op == spv::Op::OpSelectionMerge)
        block.body.pop_back();
    block.body.push_back(spirv::instruction(spv::Op::OpBranch).add(target));
}

std::unordered_set<uint32_t> reachedLabels(const Function& function)
{
    const shader::ControlFlow flow(function);
    std::unordered_set<uint32_t> reached;
    std::vector<size_t> open{0};
    while (!open.empty()) {
        const size_t block = open.back();
        open.pop_back();
        if (reached.insert(function.blocks[block].label.value).second)
            open.insert(open.end(), flow.successors(block).begin(), flow.successors(block).end());
    }
    return reached;
}

// Merge blocks and continue targets of headers that stay must stay themselves, reached or not (SPIR-V, 2.11); these are
// their smallest forms. By label: the header to go back to, or nothing for a merge block.
std::unordered_map<uint32_t, Id> findStubs(const Function& function, const std::unordered_set<uint32_t>& reached)
{
    std::unordered_map<uint32_t, Id> stubs;
    for (const Block& block : function.blocks) {
        if (!reached.contains(block.label.value))
            continue;
        for (const Instruction& i : block.body) {
            if (i.op == spv::Op::OpLoopMerge && !reached.contains(i.id(1).value))
                stubs[i.id(1).value] = block.label;
            const bool isMerge = i.op == spv::Op::OpLoopMerge || i.op == spv::Op::OpSelectionMerge;
            if (isMerge && !reached.contains(i.id(0).value))
                stubs.try_emplace(i.id(0).value);
        }
    }
    return stubs;
}

void makeStub(Block& block, Id header)
{
    block.body.clear();
    block.body.push_back(header ? spirv::instruction(spv::Op::OpBranch).add(header)
                                : spirv::instruction(spv::Op::OpUnreachable));
}

// Leaves out the operands of phis that come from blocks that are gone or go elsewhere. Those from stubs were computed
// by code that is gone.
void trimPhis(Module& module, Function& function, const std::unordered_map<uint32_t, Id>& stubs)
{
    const shader::ControlFlow flow(function);
    std::unordered_map<uint32_t, std::unordered_set<uint32_t>> predecessors;
    for (size_t b = 0; b < function.blocks.size(); ++b)
        for (const size_t next : flow.successors(b))
            predecessors[function.blocks[next].label.value].insert(function.blocks[b].label.value);
    for (Block& block : function.blocks) {
        const std::unordered_set<uint32_t>& from = predecessors[block.label.value];
        spirv::rewriteBlock(module, block, [&](const Instruction& i, Emitter& out) {
            if (i.op != spv::Op::OpPhi) {
                out.keep(i);
                return;
            }
            Instruction phi = spirv::instruction(spv::Op::OpPhi, i.type, i.result);
            for (size_t o = 0; o + 1 < i.operandCount(); o += 2) {
                if (from.contains(i.id(o + 1).value)) {
                    const bool isStub = stubs.contains(i.id(o + 1).value);
                    phi.add(isStub ? shader::getNull(module, i.type) : i.id(o)).add(i.id(o + 1));
                }
            }
            out.keep(std::move(phi));
        });
    }
}

void removeUnreached(Module& module, Function& function)
{
    const std::unordered_set<uint32_t> reached = reachedLabels(function);
    const std::unordered_map<uint32_t, Id> stubs = findStubs(function, reached);
    std::erase_if(function.blocks, [&](const Block& block) {
        return !reached.contains(block.label.value) && !stubs.contains(block.label.value);
    });
    for (Block& block : function.blocks)
        if (const auto stub = stubs.find(block.label.value); stub != stubs.end())
            makeStub(block, stub->second);
    trimPhis(module, function, stubs);
}

}  // namespace

Status specializeRecursion(NodeShader& shader, const Variant& variant)
{
    Module& module = shader.module;
    const Id variable = shader::findBuiltIn(module, spv::BuiltIn::RemainingRecursionLevelsAMDX);
    if (!variant.remainingRecursion || !variable)
        return {};
    const Conditions conditions(module, variable, *variant.remainingRecursion);
    std::vector<std::unordered_map<uint32_t, Id>> taken;
    for (const Function& function : module.functions)
        taken.push_back(findTakenBranches(function, conditions));
    const std::unordered_map<uint32_t, Id> selections = findKnownSelections(module, conditions);
    const RecursionRange range = *variant.remainingRecursion;
    const Id number = range.least == range.most ? module.getConstant(range.least) : Id{};
    for (size_t f = 0; f < taken.size(); ++f) {
        Function& function = module.functions[f];
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
            const auto selected = i.result ? selections.find(i.result.value) : selections.end();
            if (selected != selections.end()) {
                out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(selected->second));
                return;
            }
            if (!number || !conditions.isRemaining(i)) {
                out.keep(i);
                return;
            }
            const bool isUnsigned = module.typeOf(number) == i.type;
            out.keep(spirv::instruction(isUnsigned ? spv::Op::OpCopyObject : spv::Op::OpBitcast, i.type, i.result)
                         .add(number));
        });
        for (Block& block : function.blocks)
            if (const auto target = taken[f].find(block.label.value); target != taken[f].end())
                takeBranch(block, target->second);
        if (!taken[f].empty())
            removeUnreached(module, function);
    }
    return {};
}

}  // namespace millrace::nodes
