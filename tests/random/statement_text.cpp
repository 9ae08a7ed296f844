// SPDX-License-Identifier: Apache-2.0
// How nodes allocate, fill and enqueue payloads, in all the ways that compilers write it.
#include "random/node_text.h"

namespace millrace::random {

// The number of payloads by hash.
Id NodeText::countOf(const Statement& statement, const Id& hash)
{
    if (statement.countKind == Count::Fixed)
        return m_body.c(statement.count);
    if (statement.countKind == Count::Chosen) {
        const Id odd = m_body.u("OpBitwiseAnd", m_body.mix(hash, m_body.c(21)), m_body.c(1));
        return m_body.select(m_body.test("OpIEqual", odd, m_body.c(0)), m_body.c(0), m_body.c(statement.count));
    }
    const uint32_t least = statement.countKind == Count::AtLeastOne ? 1 : 0;
    const Id value = m_body.u("OpUMod", m_body.mix(hash, m_body.c(21)), m_body.c(statement.count + 1 - least));
    return m_body.u("OpIAdd", value, m_body.c(least));
}

// One of the statement's node indices by hash.
Id NodeText::indexOf(const Statement& statement, const Id& hash)
{
    const std::vector<uint32_t>& list = statement.nodeIndices;
    if (list.size() == 1)
        return m_body.c(list[0]);
    const Id number = m_body.u("OpUMod", m_body.mix(hash, m_body.c(22)), m_body.c(static_cast<uint32_t>(list.size())));
    if (list.back() - list.front() + 1 == list.size())
        return m_body.u("OpIAdd", number, m_body.c(list[0]));
    Id index = m_body.c(list[0]);
    for (uint32_t i = 1; i < list.size(); ++i)
        index = m_body.select(m_body.test("OpIEqual", number, m_body.c(i)), m_body.c(list[i]), index);
    return index;
}

Id NodeText::validity(const Statement& statement, const Id& index)
{
    const Id boolean = m_module.boolType();
    if (statement.recursive && (statement.salt & 1)) {
        const Id word = m_module.uintType();
        const Id remaining = m_body.load(word, m_module.builtIn("RemainingRecursionLevelsAMDX", word));
        return m_body.test("OpUGreaterThan", remaining, m_body.c(0));
    }
    OutputType& type = m_outputs[statement.output];
    if (m_random.chance(15)) {
        m_specifiedValidity = true;
        return m_body.op(boolean, "OpIsNodePayloadValidAMDX", type.array + " " + index);
    }
    if (type.validityProxy.empty())
        type.validityProxy = m_body.variable(type.array);
    return m_body.op(boolean, "OpIsNodePayloadValidAMDX", type.validityProxy + " " + index);
}

void NodeText::emitStatement(const Statement& statement, const Decision& decision)
{
    const Id salt = m_body.c(statement.salt);
    const Id uniform = m_body.mix(decision.uniform, salt);
    const Id own = m_body.mix(decision.own, salt);
    const bool perInvocation = statement.scope == Scope::Invocation;
    const auto isRare = [&](const Id& hash) {
        return m_body.test("OpIEqual", m_body.u("OpUMod", m_body.mix(hash, m_body.c(23)), m_body.c(statement.rarity)),
                           m_body.c(0));
    };
    const auto inside = [&] {
        Id active = decision.active;
        if (perInvocation && statement.rarity > 1) {
            const Id rare = isRare(own);
            active = active.empty() ? rare : m_body.op(m_module.boolType(), "OpLogicalAnd", active + " " + rare);
        }
        if (statement.loops == 1) {
            emitIteration(statement, {uniform, own, active});
            return;
        }
        // How often must be uniform; where each invocation has a payload of its own, the others allocate none.
        const Id times = m_body.u("OpUMod", m_body.mix(decision.active.empty() ? uniform : own, m_body.c(24)),
                                  m_body.c(statement.loops + 1));
        const bool uniformTimes = statement.dynamicLoops && decision.active.empty();
        m_body.loop(m_body.c(0), uniformTimes ? times : m_body.c(statement.loops), m_body.c(1), [&](const Id& i) {
            Id still = active;
            if (statement.dynamicLoops && !uniformTimes) {
                const Id more = m_body.test("OpULessThan", i, times);
                still = m_body.op(m_module.boolType(), "OpLogicalAnd", active + " " + more);
            }
            emitIteration(statement, {m_body.mix(uniform, i), m_body.mix(own, i), still});
        });
    };
    if (!perInvocation && statement.rarity > 1)
        m_body.ifThen(isRare(uniform), inside);
    else
        inside();
}

void NodeText::emitIteration(const Statement& statement, const Decision& decision)
{
    const Id hash = statement.scope == Scope::Workgroup ? decision.uniform : decision.own;
    Id count = countOf(statement, hash);
    Id index = indexOf(statement, hash);
    if (!decision.active.empty())
        count = m_body.select(decision.active, count, m_body.c(0));
    if (statement.guard == Guard::None) {
        allocateAndFill(statement, decision, count, index);
        return;
    }
    const Id valid = validity(statement, index);
    if (statement.guard == Guard::Branch) {
        m_body.ifThen(valid, [&] { allocateAndFill(statement, decision, count, index); });
        return;
    }
    count = m_body.select(valid, count, m_body.c(0));
    if (statement.guard == Guard::Select) {
        const OutputSpec& output = m_node.outputs[statement.output];
        const uint32_t good = m_graph.families[output.family].indices.back() - output.baseIndex;
        index = m_body.select(valid, index, m_body.c(good));
    }
    allocateAndFill(statement, decision, count, index);
}

Id NodeText::allocate(const Statement& statement, const Id& count, const Id& index)
{
    const Id scope = m_body.c(statement.scope == Scope::Workgroup ? 2 : 4);
    return m_body.op(m_outputs[statement.output].pointer, "OpAllocateNodePayloadsAMDX",
                     scope + " " + count + " " + index);
}

void NodeText::allocateAndFill(const Statement& statement, const Decision& decision, const Id& count, const Id& index)
{
    const OutputType& type = m_outputs[statement.output];
    const Id hash = statement.scope == Scope::Workgroup ? decision.uniform : decision.own;
    const Id word = m_module.uintType();
    const auto lengthOf = [&](const Id& array) { return m_body.op(word, "OpNodePayloadArrayLengthAMDX", array); };
    Handle handle = statement.handle;
    // Which of two allocations runs must be uniform; invocations with payloads of their own have nothing in common.
    if (handle == Handle::EitherOf && m_node.kind == Kind::Coalescing && statement.scope == Scope::Invocation)
        handle = Handle::Variable;
    if (handle == Handle::Pointer) {
        const Id array = allocate(statement, count, index);
        fill(statement, "NodePayloadAMDX", array, (statement.salt & 2) ? lengthOf(array) : count, hash);
        enqueue(statement, array);
        return;
    }
    Id variable = m_body.variable(type.array);
    const auto keep = [&](const Id& array) { m_body.store(variable, m_body.load(type.array, array)); };
    if (handle == Handle::EitherOf) {
        const Id odd = m_body.u("OpBitwiseAnd", decision.uniform, m_body.c(4));
        const Id atMostOne = m_body.select(m_body.test("OpIEqual", count, m_body.c(0)), count, m_body.c(1));
        m_body.ifElse(
            m_body.test("OpIEqual", odd, m_body.c(0)), [&] { keep(allocate(statement, count, index)); },
            [&] { keep(allocate(statement, atMostOne, index)); });
    } else {
        keep(allocate(statement, count, index));
    }
    if (handle == Handle::CopiedVariable) {
        const Id copy = m_body.variable(type.array);
        m_body.store(copy, m_body.load(type.array, variable));
        variable = copy;
    }
    fill(statement, "Function", variable,
         handle == Handle::EitherOf || (statement.salt & 2) ? lengthOf(variable) : count, hash);
    enqueue(statement, variable);
}

void NodeText::fill(const Statement& statement, const std::string& storage, const Id& array, const Id& count,
                    const Id& hash)
{
    const PayloadType& type = m_outputs[statement.output].payload;
    if (type.layout->members.empty())
        return;
    const Id none = m_body.c(0);
    const Id one = m_body.c(1);
    const Id lanes = m_body.c(m_node.invocations());
    const auto fillElement = [&](const Id& e) {
        const Id key = m_body.mix(hash, m_body.u("OpIAdd", e, m_body.c(1000)));
        fillScalars(m_body, type, {storage, array, e}, key);
        fillArrays(m_body, type, {storage, array, e}, key, none, one);
    };
    if (statement.scope == Scope::Invocation) {
        m_body.loop(none, count, one, fillElement);
        return;
    }
    const Id isFirst = m_body.test("OpIEqual", m_lane, none);
    switch (statement.fill) {
        case Fill::Strided:
            m_body.loop(m_lane, count, lanes, fillElement);
            break;
        case Fill::FirstInvocation:
            m_body.ifThen(isFirst, [&] { m_body.loop(none, count, one, fillElement); });
            break;
        case Fill::Together:
            m_body.loop(none, count, one, [&](const Id& e) {
                const Id key = m_body.mix(hash, m_body.u("OpIAdd", e, m_body.c(1000)));
                m_body.ifThen(isFirst, [&] { fillScalars(m_body, type, {storage, array, e}, key); });
                fillArrays(m_body, type, {storage, array, e}, key, m_lane, lanes);
            });
            break;
    }
}

void NodeText::enqueue(const Statement& statement, const Id& array)
{
    if (statement.enqueue == Enqueue::Now)
        m_body.line("OpEnqueueNodePayloadsAMDX " + array);
    else if (statement.enqueue == Enqueue::Later)
        m_later.push_back(array);
}

}  // namespace millrace::random
