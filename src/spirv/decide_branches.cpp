// SPDX-License-Identifier: Apache-2.0
// Values that are constant, branches on them, and what is dead then, within each function; callees first, so that what
// is known of them is known of calls. For code that has its constants late: SPIRV-Tools' passes do more and take as
// long as a driver needs for the result.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "spirv/edit.h"
#include "spirv/effects.h"
#include "spirv/function_parts.h"
#include "spirv/function_structure.h"
#include "spirv/scalar_values.h"

namespace millrace::spirv {

namespace {

constexpr int kMostRounds = 8;

// What is known of functions whose code is done.
struct Callees {
    Id extended;
    std::unordered_map<uint32_t, Id> constants;  // that all calls return
    std::unordered_set<uint32_t> computing;      // that do nothing but return something
};

Instruction branchTo(Id label)
{
    return instruction(spv::Op::OpBranch).add(label);
}

// A function's branches, once: see run().
class Round {
public:
    Round(Function& function, ScalarValues& values, const Callees& callees, std::vector<uint32_t>& blockOf)
        : m_function(function),
          m_values(values),
          m_callees(callees),
          m_blockOf(blockOf),
          m_structure(function, blockOf),
          m_mayGo(function.blocks.size(), true),
          m_leadsBack(function.blocks.size(), false),
          m_from(function.blocks.size()),
          m_taken(function.blocks.size(), kNoBlock)
    {
        for (const Block& block : function.blocks)
            m_labels.push_back(block.label);
    }

    // Finds out which edges can be executed and leaves out all else. Returns whether anything has changed.
    bool run()
    {
        findConstructsThatMayGo();
        for (const uint32_t block : m_structure.order)
            if (isExecuted(block))
                evaluate(block);
        rewrite();
        return m_hasChanged;
    }

private:
    using Node = FunctionStructure::Node;

    bool isExecuted(uint32_t block) const { return block == 0 || !m_from[block].empty(); }
    bool comesFrom(uint32_t block, uint32_t from) const
    {
        return std::ranges::find(m_from[block], from) != m_from[block].end();
    }

    // A construct whose merge instruction goes must not be left from within another by a branch to its merge block, nor
    // by a branch that is a choice: both are allowed because of that instruction alone. A loop, besides, has no way
    // back.
    void findConstructsThatMayGo()
    {
        const std::vector<Node>& nodes = m_structure.nodes;
        std::vector<uint32_t> headerOf(nodes.size(), kNoBlock);  // by merge block
        std::vector<bool> isEntered(nodes.size(), false);
        for (const uint32_t block : m_structure.order)
            if (nodes[block].merge != kNoBlock)
                headerOf[nodes[block].merge] = block;
        for (const uint32_t block : m_structure.order) {
            const Node& node = nodes[block];
            for (const uint32_t target : node.targets) {
                isEntered[target] = true;
                const uint32_t header = headerOf[target];
                const bool leavesPlainly =
                    node.targets.size() == 1 && node.merge == kNoBlock && node.construct == header;
                if (header != kNoBlock && header != block && !leavesPlainly)
                    m_mayGo[header] = false;
            }
        }
        for (const uint32_t block : m_structure.order) {
            const Node& node = nodes[block];
            if (node.isLoop && (isEntered[node.continues] || node.targets.size() != 1))
                m_mayGo[block] = false;
            // From where it continues up to what is behind the loop.
            for (uint32_t p = node.isLoop ? nodes[node.continues].place : 0; node.isLoop && p < nodes[node.merge].place;
                 ++p)
                m_leadsBack[m_structure.order[p]] = node.continues != block;
        }
    }

    void evaluate(uint32_t block)
    {
        const InstructionList& body = m_function.blocks[block].body;
        for (const Instruction& i : body) {
            m_values.define(i);
            const Id value = i.op == spv::Op::OpPhi            ? valueOfPhi(block, i)
                             : i.op == spv::Op::OpFunctionCall ? valueOfCall(i)
                                                               : m_values.simplified(i);
            if (value && !m_values.isReplaced(i.result) && m_values.resolved(value) != i.result)
                m_values.replace(i.result, value);
        }
        const uint32_t taken = decide(block, body.back());
        m_taken[block] = taken;
        if (taken != kNoBlock) {
            enter(taken, block);
            return;
        }
        for (const uint32_t target : m_structure.nodes[block].targets)
            enter(target, block);
    }

    void enter(uint32_t block, uint32_t from)
    {
        if (!comesFrom(block, from))
            m_from[block].push_back(from);
    }

    // Of blocks further back nobody knows yet, so their edges count.
    bool mayComeFrom(uint32_t block, Id label) const
    {
        const uint32_t from = m_blockOf[label.value];
        const bool isBehind = m_structure.nodes[from].place >= m_structure.nodes[block].place;
        return isBehind ? m_structure.nodes[from].place != kNoBlock : comesFrom(block, from);
    }

    Id valueOfPhi(uint32_t block, const Instruction& phi) const
    {
        Id common;
        for (size_t o = 0; o + 1 < phi.operandCount(); o += 2) {
            const Id value = m_values.resolved(phi.id(o));
            if (value == phi.result || value == common || !mayComeFrom(block, phi.id(o + 1)))
                continue;
            if (common)
                return {};
            common = value;
        }
        return m_values.isFixed(phi.result) ? Id{} : common;
    }

    Id valueOfCall(const Instruction& call) const
    {
        const auto found = m_callees.constants.find(call.id(0).value);
        return found == m_callees.constants.end() ? Id{} : found->second;
    }

    // The block that is always next, or none. A header of a choice keeps its choice if it must stay a header, and so
    // does what leads back to the header of a loop, which must have such.
    uint32_t decide(uint32_t block, const Instruction& end) const
    {
        const Node& node = m_structure.nodes[block];
        const bool isChoice = end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
        if (!isChoice || m_leadsBack[block] || (node.merge != kNoBlock && !node.isLoop && !m_mayGo[block]))
            return kNoBlock;
        const std::optional<uint32_t> value = m_values.constant(end.id(0));
        if (!value)
            return kNoBlock;
        if (end.op == spv::Op::OpBranchConditional)
            return m_blockOf[end.id(*value != 0 ? 1 : 2).value];
        for (size_t o = 2; o + 1 < end.operandCount(); o += 2)
            if (end.literal(o) == *value)
                return m_blockOf[end.id(o + 1).value];
        return m_blockOf[end.id(1).value];
    }

    bool losesMerge(uint32_t header) const
    {
        const Node& node = m_structure.nodes[header];
        return node.isLoop ? m_mayGo[header] : m_taken[header] != kNoBlock;
    }

    void rewrite()
    {
        const std::vector<Node>& nodes = m_structure.nodes;
        // What headers name must be there.
        std::vector<bool> isNamed(nodes.size(), false);
        m_loopOf.assign(nodes.size(), kNoBlock);
        for (const uint32_t block : m_structure.order) {
            const Node& node = nodes[block];
            if (isExecuted(block) && node.merge != kNoBlock && !losesMerge(block)) {
                isNamed[node.merge] = true;
                if (node.isLoop) {
                    isNamed[node.continues] = true;
                    m_loopOf[node.continues] = block;
                }
            }
        }
        std::vector<Block> blocks;
        blocks.reserve(m_structure.order.size());
        for (const uint32_t block : m_structure.order) {
            if (isExecuted(block)) {
                rewrite(block);
                blocks.push_back(std::move(m_function.blocks[block]));
            } else if (isNamed[block]) {
                empty(block);
                blocks.push_back(std::move(m_function.blocks[block]));
            }
        }
        m_hasChanged |= blocks.size() != m_function.blocks.size();
        m_function.blocks = std::move(blocks);
    }

    // Of a block that nobody executes.
    void empty(uint32_t block)
    {
        const uint32_t loop = m_loopOf[block];
        Instruction end = loop == kNoBlock ? instruction(spv::Op::OpUnreachable) : branchTo(labelOf(loop));
        InstructionList& body = m_function.blocks[block].body;
        m_hasChanged |= body.size() > 1 || body.back().op != end.op;
        body.assign(1, std::move(end));
    }

    void rewrite(uint32_t block)
    {
        InstructionList& body = m_function.blocks[block].body;
        InstructionList kept;
        kept.reserve(body.size());
        for (Instruction& i : body) {
            const bool goes = (i.result && m_values.isReplaced(i.result)) || (isMerge(i) && losesMerge(block));
            m_hasChanged |= goes;
            if (goes)
                continue;
            if (i.op == spv::Op::OpPhi)
                i = rewrittenPhi(block, i);
            i.forEachUse([&](Id& id) { id = m_values.resolved(id); });
            kept.push_back(std::move(i));
        }
        if (m_taken[block] != kNoBlock) {
            kept.back() = branchTo(labelOf(m_taken[block]));
            m_hasChanged = true;
        }
        body = std::move(kept);
    }

    Instruction rewrittenPhi(uint32_t block, const Instruction& phi)
    {
        const Node& node = m_structure.nodes[block];
        Instruction out = instruction(phi.op, phi.type, phi.result);
        for (size_t o = 0; o + 1 < phi.operandCount(); o += 2)
            if (comesFrom(block, m_blockOf[phi.id(o + 1).value]))
                out.add(phi.id(o)).add(phi.id(o + 1));
        if (node.isLoop && !losesMerge(block) && !isExecuted(node.continues))
            out.add(phi.result).add(labelOf(node.continues));
        m_hasChanged |= out.operandCount() != phi.operandCount();
        return out;
    }

    Id labelOf(uint32_t block) const { return m_labels[block]; }

    Function& m_function;
    ScalarValues& m_values;
    const Callees& m_callees;
    std::vector<uint32_t>& m_blockOf;
    FunctionStructure m_structure;
    std::vector<Id> m_labels;                       // by block
    std::vector<bool> m_mayGo;                      // by header: without it, branches would be as they may be
    std::vector<bool> m_leadsBack;                  // by block: between where a loop continues and its header
    std::vector<InlineVector<uint32_t, 3>> m_from;  // by block: those in front that may be executed and come here
    std::vector<uint32_t> m_taken;                  // by block: the only one that is next
    std::vector<uint32_t> m_loopOf;                 // by block that continues a loop: the loop's header
    bool m_hasChanged = false;
};

class Decider {
public:
    explicit Decider(Module& module, size_t first) : m_module(module), m_values(module), m_first(first)
    {
        m_callees.extended = findExtendedInstructions(module);
        m_blockOf.resize(module.bound);
        for (size_t f = 0; f < module.functions.size(); ++f)
            m_numberOf.emplace(module.functions[f].id().value, f);
        m_isDone.resize(module.functions.size());
    }

    void run()
    {
        for (size_t f = m_first; f < m_module.functions.size(); ++f)
            decide(f);
    }

private:
    // Behind all that the function calls, which is never itself.
    void decide(size_t number)
    {
        if (m_isDone[number])
            return;
        m_isDone[number] = true;
        Function& function = m_module.functions[number];
        for (const Block& block : function.blocks) {
            for (const Instruction& i : block.body)
                if (i.op == spv::Op::OpFunctionCall)
                    decide(m_numberOf.at(i.id(0).value));
        }
        if (number < m_first || function.blocks.empty())
            return;
        for (int round = 0; round < kMostRounds; ++round) {
            bool hasChanged = Round(function, m_values, m_callees, m_blockOf).run();
            joinBlocks(function);
            hasChanged |= dropUnused(function, [this](const Instruction& i) { return computes(i); });
            if (!hasChanged)
                break;
        }
        learn(function);
    }

    bool computes(const Instruction& i) const
    {
        const bool isCall = i.op == spv::Op::OpFunctionCall;
        return isCall ? m_callees.computing.contains(i.id(0).value) : onlyComputes(i, m_callees.extended);
    }

    void learn(const Function& function)
    {
        bool isComputing = true;
        std::unordered_set<uint32_t> own;
        for (const Instruction& i : function.parameters)
            own.insert(i.result.value);
        for (const Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                const bool isEnd = &i == &block.body.back();
                isComputing &= isEnd ? i.op != spv::Op::OpKill : i.op == spv::Op::OpSelectionMerge || computes(i);
                own.insert(i.result.value);
            }
        }
        if (!isComputing)
            return;
        m_callees.computing.insert(function.id().value);
        const Instruction& end = function.blocks.front().body.back();
        if (function.blocks.size() == 1 && end.op == spv::Op::OpReturnValue && !own.contains(end.id(0).value))
            m_callees.constants.emplace(function.id().value, end.id(0));
    }

    Module& m_module;
    ScalarValues m_values;
    const size_t m_first;
    Callees m_callees;
    std::vector<uint32_t> m_blockOf;
    std::unordered_map<uint32_t, size_t> m_numberOf;  // by function
    std::vector<bool> m_isDone;                       // by number
};

}  // namespace

void decideBranches(Module& module, size_t first)
{
    Decider(module, first).run();
}

}  // namespace millrace::spirv
