// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spirv/code_walk.h"
#include "spirv/edit.h"

namespace millrace::spirv {

namespace {

bool setsOutputs(const Instruction& i)
{
    return i.op == spv::Op::OpSetMeshOutputsEXT;
}

bool isMerge(const Instruction& i)
{
    return i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge;
}

// A way from one block to another, by index.
struct Edge {
    size_t from;
    size_t to;
};

// What is known of the ways through a function: whether the counts have been set in front of a block, and whether they
// still may be from its beginning on.
class Ways {
public:
    Ways(const Module& module, const Function& function) : m_function(function)
    {
        for (size_t b = 0; b < function.blocks.size(); ++b)
            m_byLabel[function.blocks[b].label.value] = b;
        m_blocks.resize(function.blocks.size());
        for (size_t b = 0; b < function.blocks.size(); ++b)
            readBlock(b);
        size_t block = 0;
        CodeWalk walk(module, function, hasOneInvocation(module, function.id()));
        walk.run([&](const Instruction& i) {
            if (isTerminator(i.op))
                m_blocks[block++].isDivergent = walk.isDivergent();
        });
        settle();
    }

    bool maySet() const { return m_blocks[0].maySetFromHere; }

    // Where it is certain that nobody has set the counts and that nobody will, first on each way.
    std::vector<Edge> findForgotten() const
    {
        std::vector<Edge> edges;
        for (size_t b = 0; b < m_blocks.size(); ++b) {
            const Known& block = m_blocks[b];
            if (block.maybeSetBefore || block.sets || !block.maySetFromHere || dividesInvocations(b))
                continue;
            for (const size_t next : block.next)
                if (!m_blocks[next].maySetFromHere && (m_blocks[next].waysTo == 1 || mayHaveBlockTo(next, block)))
                    edges.push_back({b, next});
        }
        return edges;
    }

    size_t waysTo(size_t block) const { return m_blocks[block].waysTo; }

private:
    struct Known {
        std::vector<size_t> next;  // without duplicates
        std::optional<size_t> merge;
        bool isSelection = false;  // the merge is one's,
        bool isSwitch = false;     // which has cases
        size_t waysTo = 0;
        bool sets = false;
        bool maybeSetBefore = false;
        bool maySetFromHere = false;
        bool isDivergent = false;
    };

    void readBlock(size_t b)
    {
        Known& block = m_blocks[b];
        const InstructionList& body = m_function.blocks[b].body;
        block.sets = block.maySetFromHere = std::ranges::any_of(body, setsOutputs);
        for (const Instruction& i : body) {
            if (isMerge(i)) {
                block.merge = m_byLabel.at(i.id(0).value);
                block.isSelection = i.op == spv::Op::OpSelectionMerge;
                block.isSwitch = body.back().op == spv::Op::OpSwitch;
            }
        }
        if (body.empty())
            return;
        const Instruction& end = body.back();
        const bool isChoice = end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
        if (!isChoice && end.op != spv::Op::OpBranch)
            return;
        for (size_t o = isChoice ? 1 : 0; o < end.operandCount(); ++o) {
            const auto next = end.isId(o) ? m_byLabel.find(end.id(o).value) : m_byLabel.end();
            if (next != m_byLabel.end() && std::ranges::find(block.next, next->second) == block.next.end()) {
                block.next.push_back(next->second);
                ++m_blocks[next->second].waysTo;
            }
        }
    }

    // On the way out of a loop a block in between would be a selection without a merge. Two cases of a switch must not
    // come together in front of its end.
    static bool mayHaveBlockTo(size_t next, const Known& block)
    {
        return block.isSelection && (!block.isSwitch || block.merge == next);
    }

    // Each way in its own direction, so that one pass does it, and another for each loop around loops.
    void settle()
    {
        for (bool changes = true; changes;) {
            changes = false;
            for (const Known& block : m_blocks)
                for (const size_t next : block.next)
                    changes |= raise(m_blocks[next].maybeSetBefore, block.maybeSetBefore || block.sets);
        }
        for (bool changes = true; changes;) {
            changes = false;
            for (size_t b = m_blocks.size(); b-- > 0;)
                for (const size_t next : m_blocks[b].next)
                    changes |= raise(m_blocks[b].maySetFromHere, m_blocks[next].maySetFromHere);
        }
    }

    static bool raise(bool& to, bool by)
    {
        const bool changes = by && !to;
        to = to || by;
        return changes;
    }

    // Then who sets the counts may be meant to do it for the others, and these must not do it as well.
    bool dividesInvocations(size_t b) const
    {
        const Known& block = m_blocks[b];
        return block.isDivergent || std::ranges::any_of(block.next, [&](size_t next) {
                   return block.merge != next && m_blocks[next].isDivergent;
               });
    }

    const Function& m_function;
    std::unordered_map<uint32_t, size_t> m_byLabel;
    std::vector<Known> m_blocks;
};

Instruction noOutputs(Module& module)
{
    const Id none = module.getConstant(0);
    return instruction(spv::Op::OpSetMeshOutputsEXT).add(none).add(none);
}

// Behind what must be first in a block.
void insertAtBegin(Block& block, const Instruction& what)
{
    const auto at = std::ranges::find_if_not(block.body, [](const Instruction& i) {
        return i.op == spv::Op::OpPhi || i.op == spv::Op::OpVariable || i.op == spv::Op::OpLine ||
               i.op == spv::Op::OpNoLine;
    });
    block.body.insert(at, what);
}

void replaceId(Instruction& i, size_t first, Id from, Id to)
{
    for (size_t o = first; o < i.operandCount(); ++o)
        if (i.isId(o) && i.id(o) == from)
            i.setId(o, to);
}

// A block on the way, which begins with that.
Block onTheWay(Module& module, Block& from, Block& to, const Instruction& what)
{
    Block block;
    block.label = module.newId();
    block.body.push_back(what);
    block.body.push_back(instruction(spv::Op::OpBranch).add(to.label));
    replaceId(from.body.back(), 1, to.label, block.label);
    for (Instruction& i : to.body)
        if (i.op == spv::Op::OpPhi)
            replaceId(i, 0, from.label, block.label);
    return block;
}

void setOnTheWays(Module& module, Function& function, const Ways& ways)
{
    const Instruction what = noOutputs(module);
    std::vector<std::pair<size_t, Block>> added;  // behind the block with that number, in order
    for (const Edge& edge : ways.findForgotten()) {
        Block& to = function.blocks[edge.to];
        if (ways.waysTo(edge.to) == 1)
            insertAtBegin(to, what);
        else
            added.emplace_back(edge.from, onTheWay(module, function.blocks[edge.from], to, what));
    }
    std::vector<Block> blocks;
    auto next = added.begin();
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        blocks.push_back(std::move(function.blocks[b]));
        for (; next != added.end() && next->first == b; ++next)
            blocks.push_back(std::move(next->second));
    }
    function.blocks = std::move(blocks);
}

bool sets(const Function& function)
{
    return std::ranges::any_of(function.blocks,
                               [](const Block& block) { return std::ranges::any_of(block.body, setsOutputs); });
}

}  // namespace

void setForgottenOutputs(Module& module)
{
    const InstructionList& entryPoints = module.section(Section::EntryPoints);
    if (entryPoints.size() != 1)
        return;
    const Id entry = entryPoints[0].id(1);
    const bool isElsewhere = std::ranges::any_of(
        module.functions, [&](const Function& function) { return function.id() != entry && sets(function); });
    Function* const function = module.findFunction(entry);
    if (function == nullptr || function->blocks.empty() || isElsewhere)
        return;
    const Ways ways(module, *function);
    if (!ways.maySet())
        insertAtBegin(function->blocks[0], noOutputs(module));
    else
        setOnTheWays(module, *function, ways);
}

}  // namespace millrace::spirv
