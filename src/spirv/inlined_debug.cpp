// SPDX-License-Identifier: Apache-2.0
#include "spirv/inlined_debug.h"

namespace millrace::spirv {

namespace {

enum DebugInstruction : uint32_t {
    kScope = 23,
    kNoScope = 24,
    kInlinedAt = 25,
    kDeclare = 28,
    kValue = 29,
    kFunctionDefinition = 101,
    kLine = 103,
    kNoLine = 104,
};

}  // namespace

InlinedDebug::InlinedDebug(Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(Section::ExtInstImports))
        if (i.string(0) == "NonSemantic.Shader.DebugInfo.100")
            m_set = i.result;
        else if (i.string(0) == "OpenCL.DebugInfo.100")
            m_otherSet = i.result;
}

InlinedScope InlinedDebug::enter(const InlinedScope& caller)
{
    InlinedScope scope;
    scope.isInlined = true;
    if (m_set && caller.scope) {
        const Instruction& at = *caller.scope;
        scope.inlinedAt = add(inlinedAt(lineOf(caller), at.id(2), at.operandCount() > 3 ? at.id(3) : Id{}));
    }
    return scope;
}

void InlinedDebug::beginBlock(InlinedScope& scope)
{
    scope.scope.reset();
    scope.line.reset();
}

std::optional<Instruction> InlinedDebug::copied(InlinedScope& scope, const Instruction& i)
{
    if (i.op == spv::Op::OpLine)
        scope.line = i;
    else if (i.op == spv::Op::OpNoLine)
        scope.line.reset();
    if (i.op != spv::Op::OpExtInst || (i.id(0) != m_set && i.id(0) != m_otherSet))
        return i;
    const uint32_t number = i.literal(1);
    if (i.id(0) == m_set && number == kLine)
        scope.line = i;
    else if (i.id(0) == m_set && number == kNoLine)
        scope.line.reset();
    if (number == kScope)
        return copiedScope(scope, i);
    if (number == kNoScope)
        scope.scope.reset();
    const bool isOfTheFunction =
        number == kFunctionDefinition || (i.id(0) == m_otherSet && (number == kDeclare || number == kValue));
    return scope.isInlined && isOfTheFunction ? std::optional<Instruction>() : i;
}

std::optional<Instruction> InlinedDebug::copiedScope(InlinedScope& scope, const Instruction& i)
{
    Instruction own = i;
    if (scope.isInlined) {
        if (!scope.inlinedAt)
            return std::nullopt;
        own = instruction(i.op, i.type, i.result).add(i.id(0)).add(i.literal(1)).add(i.id(2));
        own.add(i.operandCount() > 3 ? chain(scope, i.id(3)) : scope.inlinedAt);
    }
    scope.scope = own;
    return own;
}

Id InlinedDebug::chain(InlinedScope& scope, Id inlinedAt)
{
    std::vector<Id> open;
    Id last = inlinedAt;
    while (last && !scope.chained.contains(last.value)) {
        const Instruction* i = m_module.findDefinition(last);
        const bool isInlinedAt = i && i->op == spv::Op::OpExtInst && i->operandCount() > 3;
        open.push_back(last);
        last = isInlinedAt && i->operandCount() > 4 ? i->id(4) : Id{};
        if (open.size() > m_module.bound)
            return scope.inlinedAt;
    }
    Id outer = last ? scope.chained.at(last.value) : scope.inlinedAt;
    for (; !open.empty(); open.pop_back()) {
        const Instruction* i = m_module.findDefinition(open.back());
        if (i && i->op == spv::Op::OpExtInst && i->operandCount() > 3)
            outer = add(this->inlinedAt(i->id(2), i->id(3), outer));
        scope.chained[open.back().value] = outer;
    }
    return outer;
}

Instruction InlinedDebug::inlinedAt(Id line, Id scope, Id outer)
{
    if (!m_void)
        m_void = m_module.getVoidType();
    Instruction i = instruction(spv::Op::OpExtInst, m_void, m_module.newId());
    i.add(m_set).add(static_cast<uint32_t>(kInlinedAt)).add(line).add(scope);
    if (outer)
        i.add(outer);
    return i;
}

Id InlinedDebug::add(Instruction i)
{
    const Id id = i.result;
    m_module.section(Section::Globals).push_back(std::move(i));
    return id;
}

Id InlinedDebug::lineOf(const InlinedScope& scope)
{
    if (scope.line && scope.line->op != spv::Op::OpLine)
        return scope.line->id(3);
    const uint32_t number = scope.line ? scope.line->literal(1) : 0;
    Id& line = m_lines[number];
    if (!line)
        line = m_module.getConstant(number);
    return line;
}

}  // namespace millrace::spirv
