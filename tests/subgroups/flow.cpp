// SPDX-License-Identifier: Apache-2.0
#include "subgroups/flow.h"

#include <algorithm>

#include "subgroups/meeting.h"

namespace millrace::subgroups {

using spirv::Block;
using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;

std::vector<uint32_t> successors(const Block& block)
{
    const Instruction& end = block.body.back();
    const bool branches =
        end.op == spv::Op::OpBranch || end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
    std::vector<uint32_t> out;
    for (size_t i = end.op == spv::Op::OpBranch ? 0 : 1; branches && i < end.operandCount(); ++i)
        if (end.isId(i) && !std::ranges::count(out, end.id(i).value))
            out.push_back(end.id(i).value);
    return out;
}

const Instruction* mergeOf(const Block& block)
{
    if (block.body.size() < 2)
        return nullptr;
    const Instruction& i = block.body[block.body.size() - 2];
    return i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge ? &i : nullptr;
}

Flow::Flow(spirv::Module& module, spirv::Function& function) : m_module(module), m_function(function)
{
    split();
    index();
    endIterations();
    index();
    findWhole();
    visit(m_function.blocks[0].label.value);
    std::ranges::reverse(m_order);
    findStates();
}

void Flow::split()
{
    for (const Block& block : m_function.blocks)
        split(block);
    m_function.blocks = std::move(m_cut);
    for (Block& block : m_function.blocks)
        for (Instruction& i : block.body)
            for (size_t operand = 1; i.op == spv::Op::OpPhi && operand < i.operandCount(); operand += 2)
                i.setId(operand, Id{m_last.at(i.id(operand).value)});
}

void Flow::split(const Block& block)
{
    m_cut.push_back({block.label, {}, {}});
    const auto goOn = [&] {
        const Id next = m_module.newId();
        m_cut.back().body.push_back(spirv::instruction(spv::Op::OpBranch).add(next));
        m_cut.push_back({next, {}, {}});
    };
    for (const Instruction& i : block.body) {
        if (i.op == spv::Op::OpLine || i.op == spv::Op::OpNoLine || i.op == spv::Op::OpNop)
            continue;
        if (!isMeeting(i.op)) {
            m_cut.back().body.push_back(i);
            continue;
        }
        goOn();
        m_meetings.insert(m_cut.back().label.value);
        m_cut.back().body.push_back(i);
        goOn();
    }
    m_last[block.label.value] = m_cut.back().label.value;
}

void Flow::index()
{
    m_index.clear();
    m_before.clear();
    for (size_t i = 0; i < m_function.blocks.size(); ++i)
        m_index[m_function.blocks[i].label.value] = i;
    for (const Block& block : m_function.blocks)
        for (const uint32_t next : successors(block))
            m_before[next].insert(block.label.value);
}

// Without its end; with the header if a block inside goes back to it.
Flow::Labels Flow::between(uint32_t header, uint32_t end) const
{
    Labels out;
    std::vector<uint32_t> ahead = successors(block(header));
    while (!ahead.empty()) {
        const uint32_t label = ahead.back();
        ahead.pop_back();
        if (label == end || !out.insert(label).second || label == header)
            continue;
        const std::vector<uint32_t> next = successors(block(label));
        ahead.insert(ahead.end(), next.begin(), next.end());
    }
    return out;
}

// Where a loop in which invocations meet goes back, they meet as well: none is an iteration ahead of the others.
void Flow::endIterations()
{
    std::unordered_map<uint32_t, uint32_t> firstOf;  // by the last part of a block
    for (const auto& [first, last] : m_last)
        firstOf[last] = first;
    std::vector<std::pair<uint32_t, uint32_t>> ends;  // from, to
    for (const Block& block : m_function.blocks) {
        const Instruction* merge = mergeOf(block);
        if (!merge || merge->op != spv::Op::OpLoopMerge)
            continue;
        const uint32_t header = firstOf.at(block.label.value);
        const Labels inside = between(header, merge->id(0).value);
        if (std::ranges::none_of(inside, [&](uint32_t label) { return m_meetings.contains(label); }))
            continue;
        for (const uint32_t from : m_before[header])
            if (inside.contains(from) || from == header)
                ends.emplace_back(from, header);
    }
    for (const auto& [from, to] : ends) {
        const Id between = m_module.newId();
        m_meetings.insert(between.value);
        for (Instruction& i : m_function.blocks[m_index.at(to)].body)
            for (size_t operand = 1; i.op == spv::Op::OpPhi && operand < i.operandCount(); operand += 2)
                if (i.id(operand).value == from)
                    i.setId(operand, between);
        Instruction& end = m_function.blocks[m_index.at(from)].body.back();
        for (size_t operand = 0; operand < end.operandCount(); ++operand)
            if (end.isId(operand) && end.id(operand).value == to)
                end.setId(operand, between);
        m_function.blocks.push_back(
            {between, {spirv::instruction(spv::Op::OpNop), spirv::instruction(spv::Op::OpBranch).add(Id{to})}, {}});
    }
}

void Flow::findWhole()
{
    for (const Block& block : m_function.blocks) {
        const Instruction* merge = mergeOf(block);
        if (!merge)
            continue;
        const uint32_t header = block.label.value;
        const Labels inside = between(header, merge->id(0).value);
        const bool goesBack = inside.contains(header);
        const bool isWhole = std::ranges::all_of(inside, [&](uint32_t label) {
            const Block& each = this->block(label);
            const bool leaves = successors(each).empty() && each.body.back().op != spv::Op::OpUnreachable;
            const bool isEntered = label != header && std::ranges::any_of(m_before[label], [&](uint32_t from) {
                                       return from != header && !inside.contains(from);
                                   });
            return !leaves && !isEntered && !m_meetings.contains(label);
        });
        if (isWhole && goesBack <= (merge->op == spv::Op::OpLoopMerge))
            m_whole[header] = inside;
    }
}

// Ends of constructs first, since the order is turned round.
void Flow::visit(uint32_t label)
{
    if (!m_seen.insert(label).second)
        return;
    const Block& here = block(label);
    if (const Instruction* merge = mergeOf(here)) {
        visit(merge->id(0).value);
        if (merge->op == spv::Op::OpLoopMerge)
            visit(merge->id(1).value);
    }
    std::vector<uint32_t> next = successors(here);
    std::ranges::reverse(next);
    for (const uint32_t each : next)
        visit(each);
    m_order.push_back(label);
}

void Flow::findStates()
{
    std::unordered_map<uint32_t, State> found;
    std::vector<uint32_t> ahead = {m_function.blocks[0].label.value};
    while (!ahead.empty()) {
        const uint32_t label = ahead.back();
        ahead.pop_back();
        if (found.contains(label))
            continue;
        State state{label, m_meetings.contains(label), {}};
        follow(state);
        if (state.parts.back().role == State::Role::Handover)
            ahead.push_back(state.parts.back().label);
        else
            for (const uint32_t next : successors(block(state.parts.back().label)))
                ahead.push_back(next);
        found[label] = std::move(state);
    }
    for (const uint32_t label : m_order) {
        const auto state = found.find(label);
        if (state == found.end())
            continue;
        const auto number = static_cast<uint32_t>(m_states.size());
        m_numbers[label] = number;
        for (const State::Part& part : state->second.parts)
            if (part.role != State::Role::Handover)
                m_stateOf[part.label] = number;
        m_states.push_back(std::move(state->second));
    }
}

// The block that follows in the state, and as what.
std::optional<State::Part> Flow::findNext(uint32_t label) const
{
    const auto isEntered = [&](uint32_t end, const Labels& from) {
        const auto before = m_before.find(end);
        return before != m_before.end() && std::ranges::any_of(before->second, [&](uint32_t each) {
                   return each != label && !from.contains(each);
               });
    };
    if (isWhole(label)) {
        const uint32_t end = mergeOf(block(label))->id(0).value;
        return State::Part{end, isEntered(end, m_whole.at(label)) ? State::Role::Handover : State::Role::Behind};
    }
    const Instruction& last = block(label).body.back();
    if (last.op != spv::Op::OpBranch || isEntered(last.id(0).value, {}) || m_meetings.contains(last.id(0).value))
        return std::nullopt;
    return State::Part{last.id(0).value, State::Role::Behind};
}

void Flow::follow(State& state)
{
    state.parts.push_back({state.label, State::Role::Start});
    for (uint32_t label = state.label; !state.meets;) {
        if (isWhole(label))
            for (const uint32_t each : m_order)
                if (each != label && isInside(label, each))
                    state.parts.push_back({each, State::Role::Whole});
        const auto next = findNext(label);
        if (!next)
            return;
        state.parts.push_back(*next);
        if (next->role == State::Role::Handover)
            return;
        label = next->label;
    }
}

}  // namespace millrace::subgroups
