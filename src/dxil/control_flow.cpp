// SPDX-License-Identifier: Apache-2.0
// Merges are derived on the graph as the compiler left it, since DXC's output is nearly always a nest already. What is
// found is checked by walking the nest as a structured language would: every block is met exactly once.
#include "dxil/control_flow.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "dxil/graph_order.h"

namespace millrace::dxil {

namespace {

class Deriver {
public:
    Deriver(Module& module, Function& function, Structure& out) : m_module(module), m_function(function), m_out(out) {}
    bool run();

private:
    struct Loop {
        Block* header;
        size_t size;  // of the natural loop
    };
    // Where a walk may leave the innermost construct to.
    struct Exits {
        const Block* merge = nullptr;
        const Block* loopMerge = nullptr;
        const Block* loopNext = nullptr;
        const Block* switchMerge = nullptr;
        const Block* switchHeader = nullptr;  // set directly inside a switch, where cases may fall through
    };

    void dropUnreachable();
    void renumber();
    Edges edges() const;
    std::vector<Block*> predecessors(const Block* block) const;
    Block* splitPredecessors(Block* block, const std::vector<Block*>& from);
    Block* newBranch(Block* target);
    Block* newUnreachable();
    void splitHeader(Block* header);
    bool findLoops(std::vector<Loop>& loops) const;
    bool structureLoop(Block* header);
    Block* meetingPoint(const std::vector<Block*>& targets) const;
    const Block* loopOf(const Block* block, const Dominators& dominators) const;
    Edges reducedEdges(const Dominators& dominators) const;
    bool structureSelection(Block* header);
    Block* findMerge(Block* header, const Construct* loop, const Dominators& dominators, bool& fails) const;
    bool walk(Block* block, Exits exits);
    bool walkLoop(Block* header, const Construct& loop);
    bool walkSelection(Block* header, const Construct& selection, const Exits& exits);
    bool follow(const Block* from, Block* target, const Exits& exits);
    bool orderCases(const Block* header, Construct& construct);

    Module& m_module;
    Function& m_function;
    Structure& m_out;
    std::unordered_set<const Block*> m_merges;
    std::unordered_set<const Block*> m_visited;
    std::unordered_map<const Block*, const Block*> m_fallThrough;  // target of a case to the next
    uint32_t m_depth = 0;
};

constexpr uint32_t kMaxDepth = 2000;

void Deriver::renumber()
{
    for (uint32_t b = 0; b < m_function.blocks.size(); ++b)
        m_function.blocks[b]->number = b;
}

Edges Deriver::edges() const
{
    Edges out(m_function.blocks.size());
    for (const Block* block : m_function.blocks) {
        for (const Block* target : block->terminator()->blocks) {
            std::vector<uint32_t>& list = out[block->number];
            if (std::ranges::find(list, target->number) == list.end())
                list.push_back(target->number);
        }
    }
    return out;
}

std::vector<Block*> Deriver::predecessors(const Block* block) const
{
    std::vector<Block*> out;
    for (Block* from : m_function.blocks)
        if (std::ranges::find(from->terminator()->blocks, block) != from->terminator()->blocks.end())
            out.push_back(from);
    return out;
}

// Also gives phis one entry for each block that leads here, as SPIR-V wants it: LLVM has one for each edge.
void Deriver::dropUnreachable()
{
    renumber();
    const Dominators dominators(edges(), 0);
    std::erase_if(m_function.blocks, [&](const Block* block) { return !dominators.isReachable(block->number); });
    for (Block* block : m_function.blocks) {
        const std::vector<Block*> from = predecessors(block);
        for (Value* phi : block->instructions) {
            if (phi->op != Op::Phi)
                break;
            const std::vector<Value*> values = std::exchange(phi->operands, {});
            const std::vector<Block*> blocks = std::exchange(phi->blocks, {});
            for (size_t e = 0; e < values.size(); ++e) {
                if (std::ranges::find(from, blocks[e]) != from.end() &&
                    std::ranges::find(phi->blocks, blocks[e]) == phi->blocks.end()) {
                    phi->operands.push_back(values[e]);
                    phi->blocks.push_back(blocks[e]);
                }
            }
        }
        Value* last = block->terminator();
        if (last->op == Op::ConditionalBranch && last->blocks[0] == last->blocks[1]) {
            last->op = Op::Branch;
            last->operands.clear();
            last->blocks.pop_back();
        }
        if (last->op == Op::Switch &&
            std::ranges::all_of(last->blocks, [&](const Block* b) { return b == last->blocks[0]; })) {
            last->op = Op::Branch;
            last->operands.clear();
            last->cases.clear();
            last->blocks.resize(1);
        }
    }
    renumber();
}

Block* Deriver::newBranch(Block* target)
{
    Block* out = m_module.newBlock(m_function);
    Value* branch = m_module.newInstruction(m_function, Op::Branch, nullptr);
    branch->blocks = {target};
    branch->parent = out;
    out->instructions.push_back(branch);
    return out;
}

Block* Deriver::newUnreachable()
{
    Block* out = m_module.newBlock(m_function);
    Value* end = m_module.newInstruction(m_function, Op::Unreachable, nullptr);
    end->parent = out;
    out->instructions.push_back(end);
    return out;
}

// A new block between `from` and `block`.
Block* Deriver::splitPredecessors(Block* block, const std::vector<Block*>& from)
{
    Block* out = newBranch(block);
    for (Value* phi : block->instructions) {
        if (phi->op != Op::Phi)
            break;
        Value* moved = m_module.newInstruction(m_function, Op::Phi, phi->type);
        moved->parent = out;
        const std::vector<Value*> values = std::exchange(phi->operands, {});
        const std::vector<Block*> blocks = std::exchange(phi->blocks, {});
        for (size_t e = 0; e < values.size(); ++e) {
            const bool moves = std::ranges::find(from, blocks[e]) != from.end();
            Value* to = moves ? moved : phi;
            to->operands.push_back(values[e]);
            to->blocks.push_back(blocks[e]);
        }
        phi->operands.push_back(moved);
        phi->blocks.push_back(out);
        out->instructions.insert(out->instructions.end() - 1, moved);
    }
    for (Block* source : from)
        std::ranges::replace(source->terminator()->blocks, block, out);
    return out;
}

// Leaves only phis and a branch in the header.
void Deriver::splitHeader(Block* header)
{
    Block* body = m_module.newBlock(m_function);
    const auto first = std::ranges::find_if(header->instructions, [](const Value* i) { return i->op != Op::Phi; });
    body->instructions.assign(first, header->instructions.end());
    header->instructions.erase(first, header->instructions.end());
    for (Value* moved : body->instructions)
        moved->parent = body;
    for (Block* target : body->terminator()->blocks) {
        for (Value* phi : target->instructions) {
            if (phi->op != Op::Phi)
                break;
            std::ranges::replace(phi->blocks, header, body);
        }
    }
    Value* branch = m_module.newInstruction(m_function, Op::Branch, nullptr);
    branch->blocks = {body};
    branch->parent = header;
    header->instructions.push_back(branch);
}

// False if some cycle has more than one entry.
bool Deriver::findLoops(std::vector<Loop>& loops) const
{
    const Edges next = edges();
    const Edges previous = reversed(next);
    const Dominators dominators(next, 0);
    for (uint32_t header = 0; header < next.size(); ++header) {
        std::vector<uint32_t> work;
        for (const uint32_t latch : previous[header])
            if (dominators.dominates(header, latch))
                work.push_back(latch);
            else if (dominators.order(latch) >= dominators.order(header))
                return false;
        if (work.empty())
            continue;
        std::unordered_set<uint32_t> body = {header};
        while (!work.empty()) {
            const uint32_t node = work.back();
            work.pop_back();
            if (body.insert(node).second)
                work.insert(work.end(), previous[node].begin(), previous[node].end());
        }
        loops.push_back({m_function.blocks[header], body.size()});
    }
    std::ranges::sort(loops, [](const Loop& a, const Loop& b) { return a.size < b.size; });
    return true;
}

// The nearest block that every path from all of `targets` to the end of the function passes; null if there is none.
Block* Deriver::meetingPoint(const std::vector<Block*>& targets) const
{
    if (std::ranges::all_of(targets, [&](const Block* b) { return b == targets[0]; }))
        return targets[0];
    Edges next = edges();
    const auto exit = static_cast<uint32_t>(next.size());
    next.emplace_back();
    for (uint32_t n = 0; n < exit; ++n)
        if (next[n].empty())
            next[n].push_back(exit);
    const Dominators post(reversed(next), exit);
    uint32_t out = targets[0]->number;
    for (const Block* target : targets) {
        if (!post.isReachable(target->number))
            return nullptr;
        out = post.common(out, target->number);
    }
    return out == exit ? nullptr : m_function.blocks[out];
}

bool Deriver::structureLoop(Block* header)
{
    Dominators dominators(edges(), 0);
    std::vector<Block*> latches;
    for (Block* from : predecessors(header))
        if (dominators.dominates(header->number, from->number))
            latches.push_back(from);
    Block* next = splitPredecessors(header, latches);
    splitHeader(header);

    // The natural loop, and where it is left to.
    const Edges previous = reversed(edges());
    std::unordered_set<uint32_t> body = {header->number};
    std::vector<uint32_t> work = {next->number};
    while (!work.empty()) {
        const uint32_t node = work.back();
        work.pop_back();
        if (body.insert(node).second)
            work.insert(work.end(), previous[node].begin(), previous[node].end());
    }
    std::vector<Block*> targets;
    for (const Block* block : m_function.blocks) {
        for (Block* target : body.contains(block->number) ? block->terminator()->blocks : std::vector<Block*>())
            if (!body.contains(target->number))
                targets.push_back(target);
    }
    Construct& loop = m_out.constructs[header];
    loop.next = next;
    if (targets.empty()) {
        loop.merge = newUnreachable();
    } else {
        Block* meeting = meetingPoint(targets);
        if (!meeting)
            return false;
        dominators = Dominators(edges(), 0);
        std::vector<Block*> leaving;
        for (Block* from : predecessors(meeting))
            if (dominators.dominates(header->number, from->number) &&
                !dominators.dominates(meeting->number, from->number))
                leaving.push_back(from);
        if (leaving.empty())
            return false;
        loop.merge = splitPredecessors(meeting, leaving);
    }
    m_merges.insert(loop.merge);
    m_merges.insert(loop.next);
    return true;
}

// The header of the innermost loop construct that a block is in.
const Block* Deriver::loopOf(const Block* block, const Dominators& dominators) const
{
    const Block* best = nullptr;
    for (const auto& [header, construct] : m_out.constructs)
        if (construct.next && header != block && dominators.dominates(header->number, block->number) &&
            !dominators.dominates(construct.merge->number, block->number) &&
            (!best || dominators.dominates(best->number, header->number)))
            best = header;
    return best;
}

// The graph where each loop is one node that leads to its merge, and its inside a graph of its own that ends where the
// loop is left or continued. One more node stands for all ends.
Edges Deriver::reducedEdges(const Dominators& dominators) const
{
    Edges out = edges();
    const auto exit = static_cast<uint32_t>(out.size());
    out.emplace_back();
    for (const Block* block : m_function.blocks) {
        std::vector<uint32_t>& list = out[block->number];
        const auto own = m_out.constructs.find(block);
        if (own != m_out.constructs.end() && own->second.next) {
            list = {own->second.merge->number};
            continue;
        }
        if (const Block* header = loopOf(block, dominators)) {
            const Construct& loop = m_out.constructs.at(header);
            std::ranges::replace(list, loop.merge->number, exit);
            std::ranges::replace(list, loop.next->number, exit);
            if (block == loop.next)
                list = {exit};
        }
        if (list.empty())
            list.push_back(exit);
    }
    return out;
}

// Where the paths of a branch meet; null if they never do.
Block* Deriver::findMerge(Block* header, const Construct* loop, const Dominators& dominators, bool& fails) const
{
    const Edges reduced = reducedEdges(dominators);
    const auto exit = static_cast<uint32_t>(reduced.size() - 1);
    const Dominators post(reversed(reduced), exit);
    const uint32_t meeting = post.isReachable(header->number) ? post.parent(header->number) : exit;
    if (meeting != exit && meeting != kNoNode)
        return m_function.blocks[meeting];
    // Some path leaves for good. If the others meet in one place, it is that.
    Block* found = nullptr;
    for (Block* block : m_function.blocks) {
        const bool isExit = loop && (block == loop->merge || block == loop->next);
        if (!isExit && dominators.parent(block->number) == header->number && predecessors(block).size() > 1) {
            fails = fails || found;
            found = block;
        }
    }
    return found;
}

bool Deriver::structureSelection(Block* header)
{
    const Dominators dominators(edges(), 0);
    const Block* loopHeader = loopOf(header, dominators);
    const Construct* loop = loopHeader ? &m_out.constructs.at(loopHeader) : nullptr;
    Value* branch = header->terminator();
    const bool leaves = loop && std::ranges::any_of(branch->blocks, [&](const Block* target) {
                            return target == loop->merge || target == loop->next;
                        });
    if (leaves && branch->op == Op::ConditionalBranch)
        return true;
    bool fails = false;
    Block* merge = findMerge(header, loop, dominators, fails);
    if (fails)
        return false;
    if (!merge) {
        merge = newUnreachable();
    } else {
        std::vector<Block*> inside;
        const std::vector<Block*> all = predecessors(merge);
        for (Block* from : all)
            if (dominators.dominates(header->number, from->number) &&
                !dominators.dominates(merge->number, from->number))
                inside.push_back(from);
        if (inside.empty())
            return false;
        const bool isOwn = dominators.dominates(header->number, merge->number) && header != merge;
        if (!isOwn || m_merges.contains(merge))
            merge = splitPredecessors(merge, inside);
    }
    m_merges.insert(merge);
    m_out.constructs[header].merge = merge;
    return true;
}

bool Deriver::follow(const Block* from, Block* target, const Exits& exits)
{
    if (target == exits.merge || target == exits.loopMerge || target == exits.loopNext || target == exits.switchMerge)
        return true;
    if (exits.switchHeader && exits.switchHeader != from) {
        const std::vector<Block*>& cases = exits.switchHeader->terminator()->blocks;
        if (std::ranges::find(cases, target) != cases.end()) {
            // Which case this is the end of is known to the caller's walk: it began at m_fallThrough's null entry.
            m_fallThrough[from] = target;
            return true;
        }
    }
    return walk(target, exits);
}

bool Deriver::walkLoop(Block* header, const Construct& loop)
{
    Exits inside;
    inside.loopMerge = loop.merge;
    inside.loopNext = loop.next;
    if (!walk(header->terminator()->blocks[0], inside) || !m_visited.insert(loop.next).second)
        return false;
    m_out.order.push_back(loop.next);
    return true;
}

bool Deriver::walkSelection(Block* header, const Construct& selection, const Exits& exits)
{
    const Value* branch = header->terminator();
    Exits inside = exits;
    inside.merge = selection.merge;
    inside.switchHeader = nullptr;
    if (branch->op == Op::Switch) {
        inside.switchMerge = selection.merge;
        inside.switchHeader = header;
    }
    std::vector<const Block*> done;
    for (Block* target : branch->blocks) {
        if (std::ranges::find(done, target) != done.end())
            continue;
        done.push_back(target);
        std::unordered_map<const Block*, const Block*> outer = std::exchange(m_fallThrough, {});
        if (!follow(header, target, inside))
            return false;
        // At most one other case may follow, and nothing inside of it says so for an outer switch.
        const Block* next = nullptr;
        for (const auto& [from, to] : m_fallThrough) {
            if (next && next != to)
                return false;
            next = to;
        }
        m_fallThrough = std::move(outer);
        if (next)
            m_fallThrough[target] = next;
    }
    return true;
}

// Cases that fall through must stand right in front of the one that they fall into. `default` may not take part: where
// it may stand is where drivers differ.
bool Deriver::orderCases(const Block* header, Construct& construct)
{
    const std::vector<Block*>& targets = header->terminator()->blocks;
    std::unordered_map<const Block*, const Block*> next;
    std::unordered_set<const Block*> entered;
    for (const Block* target : targets) {
        const auto found = m_fallThrough.find(target);
        if (found == m_fallThrough.end())
            continue;
        if (target == targets[0] || found->second == targets[0])
            return false;
        if (next.emplace(target, found->second).second && !entered.insert(found->second).second)
            return false;
        m_fallThrough.erase(found);
    }
    if (next.empty())
        return true;
    for (size_t t = 1; t < targets.size(); ++t) {
        if (entered.contains(targets[t]))
            continue;
        for (const Block* at = targets[t]; at;) {
            for (size_t u = 1; u < targets.size(); ++u)
                if (targets[u] == at && std::ranges::find(construct.caseOrder, u) == construct.caseOrder.end())
                    construct.caseOrder.push_back(u);
            const auto found = next.find(at);
            at = found == next.end() ? nullptr : found->second;
        }
    }
    return construct.caseOrder.size() + 1 == targets.size();
}

bool Deriver::walk(Block* block, Exits exits)
{
    if (++m_depth > kMaxDepth)
        return false;
    for (;;) {
        if (!m_visited.insert(block).second)
            return false;
        m_out.order.push_back(block);
        const auto found = m_out.constructs.find(block);
        const Value* last = block->terminator();
        Block* next = nullptr;
        if (found != m_out.constructs.end()) {
            Construct& construct = found->second;
            if (construct.next ? !walkLoop(block, construct) : !walkSelection(block, construct, exits))
                return false;
            if (last->op == Op::Switch && !orderCases(block, construct))
                return false;
            next = construct.merge;
        } else {
            // At most one target stays inside.
            for (Block* target : last->blocks) {
                const bool leaves = last->blocks.size() > 1 && (target == exits.loopMerge || target == exits.loopNext);
                if (!leaves && next && next != target)
                    return false;
                next = leaves ? next : target;
            }
            const bool ends = !next || next == exits.merge || next == exits.loopMerge || next == exits.loopNext ||
                              next == exits.switchMerge;
            if (!ends && exits.switchHeader) {
                const std::vector<Block*>& cases = exits.switchHeader->terminator()->blocks;
                if (std::ranges::find(cases, next) != cases.end()) {
                    m_fallThrough[block] = next;
                    next = nullptr;
                }
            }
            if (ends)
                next = nullptr;
        }
        if (!next) {
            --m_depth;
            return true;
        }
        block = next;
    }
}

bool Deriver::run()
{
    dropUnreachable();
    std::vector<Loop> loops;
    if (!findLoops(loops))
        return false;
    for (const Loop& loop : loops)
        if (!structureLoop(loop.header))
            return false;
    const std::vector<uint32_t> order = reversePostorder(edges(), 0);
    for (size_t b = order.size(); b-- > 0;) {
        Block* block = m_function.blocks[order[b]];
        const Op op = block->terminator()->op;
        if ((op == Op::ConditionalBranch || op == Op::Switch) && !structureSelection(block))
            return false;
    }
    if (!walk(m_function.blocks[0], {}))
        return false;
    return m_visited.size() == m_function.blocks.size();
}

}  // namespace

bool deriveStructure(Module& module, Function& function, Structure& out)
{
    return Deriver(module, function, out).run();
}

}  // namespace millrace::dxil
