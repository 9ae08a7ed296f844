// SPDX-License-Identifier: Apache-2.0
#include "spirv/scalar_values.h"

#include <algorithm>

#include "spirv/fold.h"

namespace millrace::spirv {

namespace {

constexpr uint32_t kAllOnes = UINT32_MAX;

uint64_t keyOf(Id type, uint32_t value)
{
    return uint64_t{type.value} << 32 | value;
}

}  // namespace

ScalarValues::ScalarValues(Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::NonUniform))
            m_isFixed.insert(i.id(0));
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.result) {
            addType(i);
            define(i);
            addConstant(i);
        }
    }
    for (const Function& function : module.functions)
        for (const Instruction& parameter : function.parameters)
            define(parameter);
}

void ScalarValues::addType(const Instruction& i)
{
    if (i.op == spv::Op::OpTypeBool)
        m_kinds.at(i.result.value) = Kind::Boolean;
    else if (i.op == spv::Op::OpTypeInt && i.literal(0) == 32)
        m_kinds.at(i.result.value) = Kind::Integer;
    else if (i.op == spv::Op::OpTypeVector)
        m_lengths.at(i.result.value) = i.literal(1);
}

void ScalarValues::addConstant(const Instruction& i)
{
    const Kind kind = kindOf(i.type);
    const bool isNull = i.op == spv::Op::OpConstantNull;
    const bool isInteger = kind == Kind::Integer && (i.op == spv::Op::OpConstant || isNull);
    const bool isTrue = i.op == spv::Op::OpConstantTrue;
    const bool isBoolean = kind == Kind::Boolean && (isTrue || i.op == spv::Op::OpConstantFalse || isNull);
    if (isInteger || isBoolean) {
        const uint32_t value = i.op == spv::Op::OpConstant ? i.literal(0) : isTrue;
        m_isConstant.insert(i.result);
        m_values.at(i.result.value) = value;
        m_made.emplace(keyOf(i.type, value), i.result);
    }
}

std::optional<uint32_t> ScalarValues::constant(Id id) const
{
    id = resolved(id);
    return m_isConstant.contains(id) ? std::optional(m_values.get(id.value)) : std::nullopt;
}

Id ScalarValues::resolved(Id id) const
{
    while (const Id same = m_same.get(id.value))
        id = same;
    return id;
}

void ScalarValues::replace(Id id, Id value)
{
    m_same.at(id.value) = resolved(value);
}

void ScalarValues::define(const Instruction& i)
{
    if (!i.result)
        return;
    m_types.at(i.result.value) = i.type;
    if (i.op != spv::Op::OpCompositeConstruct && i.op != spv::Op::OpConstantComposite)
        return;
    // A vector may be made of shorter ones.
    const uint32_t length = m_lengths.get(i.type.value);
    if (length == 0 || length == i.operandCount()) {
        m_partsAt.at(i.result.value) = static_cast<uint32_t>(m_parts.size()) + 1;
        m_parts.push_back(static_cast<uint32_t>(i.operandCount()));
        for (size_t o = 0; o < i.operandCount(); ++o)
            m_parts.push_back(i.id(o).value);
    }
}

Id ScalarValues::makeConstant(Id type, uint32_t value)
{
    Id& constant = m_made[keyOf(type, value)];
    if (!constant) {
        constant = m_module.newId();
        const bool isBoolean = kindOf(type) == Kind::Boolean;
        const spv::Op op = !isBoolean ? spv::Op::OpConstant
                           : value    ? spv::Op::OpConstantTrue
                                      : spv::Op::OpConstantFalse;
        Instruction made = instruction(op, type, constant);
        if (!isBoolean)
            made.add(value);
        define(made);
        m_isConstant.insert(constant);
        m_values.at(constant.value) = value;
        m_module.section(Section::Globals).push_back(std::move(made));
    }
    return constant;
}

Id ScalarValues::extracted(const Instruction& i) const
{
    Id object = resolved(i.id(0));
    for (size_t o = 1; o < i.operandCount(); ++o) {
        const uint32_t at = m_partsAt.get(object.value);
        if (at == 0 || i.literal(o) >= m_parts[at - 1])
            return {};
        object = resolved(Id{m_parts[at + i.literal(o)]});
    }
    return ifSameType(i, object);
}

Id ScalarValues::selected(const Instruction& i) const
{
    const Id ifTrue = resolved(i.id(1));
    const Id ifFalse = resolved(i.id(2));
    if (ifTrue == ifFalse)
        return ifTrue;
    if (const std::optional<uint32_t> condition = constant(i.id(0)))
        return *condition != 0 ? ifTrue : ifFalse;
    const bool isCondition = kindOf(i.type) == Kind::Boolean && constant(ifTrue) == std::optional(1u) &&
                             constant(ifFalse) == std::optional(0u);
    return isCondition ? ifSameType(i, resolved(i.id(0))) : Id{};
}

Id ScalarValues::simplified(const Instruction& i)
{
    if (!i.result || isFixed(i.result))
        return {};
    switch (i.op) {
        case spv::Op::OpCopyObject:
            return resolved(i.id(0));
        case spv::Op::OpCompositeExtract:
            return extracted(i);
        case spv::Op::OpSelect:
            return selected(i);
        default:
            return kindOf(i.type) != Kind::Other ? folded(i) : Id{};
    }
}

// Of one or two scalar operands.
Id ScalarValues::folded(const Instruction& i)
{
    const size_t count = i.operandCount();
    if (count == 0 || count > 2 || !i.isId(0) || !i.isId(count - 1))
        return {};
    const Id a = resolved(i.id(0));
    const Id b = resolved(i.id(count - 1));
    const Kind kind = kindOf(typeOf(a));
    if (kind == Kind::Other || kindOf(typeOf(b)) != kind)
        return {};
    const std::optional<uint32_t> left = constant(a);
    const std::optional<uint32_t> right = constant(b);
    if (left && right) {
        const uint64_t arguments[] = {*left, *right};
        uint64_t result = *left;
        const bool isKnown = i.op == spv::Op::OpBitcast || foldScalar(i.op, kind == Kind::Boolean ? 1 : 32,
                                                                      std::span(arguments).first(count), result);
        return isKnown ? makeConstant(i.type, static_cast<uint32_t>(result)) : Id{};
    }
    if (count == 1)
        return i.op == spv::Op::OpBitcast ? ifSameType(i, a) : Id{};
    if (a == b)
        return withEqualSides(i, a);
    return left || right ? withOneConstant(i, left ? b : a, left ? *left : *right, left.has_value()) : Id{};
}

Id ScalarValues::withEqualSides(const Instruction& i, Id side)
{
    switch (i.op) {
        case spv::Op::OpLogicalAnd:
        case spv::Op::OpLogicalOr:
        case spv::Op::OpBitwiseAnd:
        case spv::Op::OpBitwiseOr:
            return ifSameType(i, side);
        case spv::Op::OpIEqual:
        case spv::Op::OpLogicalEqual:
        case spv::Op::OpULessThanEqual:
        case spv::Op::OpUGreaterThanEqual:
        case spv::Op::OpSLessThanEqual:
        case spv::Op::OpSGreaterThanEqual:
            return makeConstant(i.type, 1);
        case spv::Op::OpINotEqual:
        case spv::Op::OpLogicalNotEqual:
        case spv::Op::OpULessThan:
        case spv::Op::OpUGreaterThan:
        case spv::Op::OpSLessThan:
        case spv::Op::OpSGreaterThan:
        case spv::Op::OpISub:
        case spv::Op::OpBitwiseXor:
            return makeConstant(i.type, 0);
        default:
            return {};
    }
}

// `isLeft`: the constant is the first operand.
Id ScalarValues::withOneConstant(const Instruction& i, Id other, uint32_t value, bool isLeft)
{
    const auto same = [&](bool isSame) { return isSame ? ifSameType(i, other) : Id{}; };
    switch (i.op) {
        case spv::Op::OpLogicalAnd:
            return value != 0 ? other : makeConstant(i.type, 0);
        case spv::Op::OpLogicalOr:
            return value != 0 ? makeConstant(i.type, 1) : other;
        case spv::Op::OpLogicalEqual:
            return same(value != 0);
        case spv::Op::OpLogicalNotEqual:
            return same(value == 0);
        case spv::Op::OpIAdd:
        case spv::Op::OpBitwiseXor:
            return same(value == 0);
        case spv::Op::OpISub:
            return same(value == 0 && !isLeft);
        case spv::Op::OpShiftLeftLogical:
        case spv::Op::OpShiftRightLogical:
        case spv::Op::OpShiftRightArithmetic:
            return same(value == 0 && !isLeft);
        case spv::Op::OpBitwiseOr:
            return value == kAllOnes ? makeConstant(i.type, value) : same(value == 0);
        case spv::Op::OpBitwiseAnd:
            return value == 0 ? makeConstant(i.type, 0) : same(value == kAllOnes);
        case spv::Op::OpIMul:
            return value == 0 ? makeConstant(i.type, 0) : same(value == 1);
        case spv::Op::OpUDiv:
        case spv::Op::OpSDiv:
            return same(value == 1 && !isLeft);
        case spv::Op::OpUMod:
            return value == 1 && !isLeft ? makeConstant(i.type, 0) : Id{};
        case spv::Op::OpULessThan:  // x < 0, ~0 < x
            return value == (isLeft ? kAllOnes : 0) ? makeConstant(i.type, 0) : Id{};
        case spv::Op::OpUGreaterThan:
            return value == (isLeft ? 0 : kAllOnes) ? makeConstant(i.type, 0) : Id{};
        case spv::Op::OpULessThanEqual:
            return value == (isLeft ? 0 : kAllOnes) ? makeConstant(i.type, 1) : Id{};
        case spv::Op::OpUGreaterThanEqual:
            return value == (isLeft ? kAllOnes : 0) ? makeConstant(i.type, 1) : Id{};
        default:
            return {};
    }
}

}  // namespace millrace::spirv
