// SPDX-License-Identifier: Apache-2.0
#include "spirv/long_arithmetic.h"

#include <bit>
#include <optional>
#include <utility>

namespace millrace::spirv {

namespace {

std::optional<uint32_t> fold(spv::Op op, uint32_t a, uint32_t b)
{
    switch (op) {
        case spv::Op::OpIAdd:
            return a + b;
        case spv::Op::OpISub:
            return a - b;
        case spv::Op::OpIMul:
            return a * b;
        case spv::Op::OpBitwiseAnd:
            return a & b;
        case spv::Op::OpBitwiseOr:
            return a | b;
        case spv::Op::OpBitwiseXor:
            return a ^ b;
        default:
            return std::nullopt;
    }
}

}  // namespace

LongArithmetic::LongArithmetic(Module& module)
    : m_module(module), m_wordType(module.getIntType(32, false)), m_boolType(module.getBoolType())
{
}

Id LongArithmetic::constant(uint32_t value)
{
    const auto [found, isNew] = m_constants.emplace(value, 0);
    if (isNew) {
        found->second = m_module.getConstant(value).value;
        m_known.emplace(found->second, value);
    }
    return Id{found->second};
}

bool LongArithmetic::isKnown(Id word, uint32_t& value) const
{
    const auto found = m_known.find(word.value);
    if (found != m_known.end())
        value = found->second;
    return found != m_known.end();
}

bool LongArithmetic::isConstant(Id word, uint32_t value) const
{
    uint32_t known = 0;
    return isKnown(word, known) && known == value;
}

Id LongArithmetic::binary(Emitter& out, spv::Op op, Id a, Id b)
{
    uint32_t first = 0, second = 0;
    if (isKnown(a, first) && isKnown(b, second)) {
        if (const auto value = fold(op, first, second))
            return constant(*value);
    }
    const bool isSum = op == spv::Op::OpIAdd || op == spv::Op::OpBitwiseOr || op == spv::Op::OpBitwiseXor;
    const bool isProduct = op == spv::Op::OpIMul || op == spv::Op::OpBitwiseAnd;
    if ((isSum && isConstant(a, 0)) || (isProduct && isConstant(b, 0)) ||
        (op == spv::Op::OpBitwiseAnd && isConstant(a, ~0u)) || (op == spv::Op::OpIMul && isConstant(a, 1)))
        return b;
    if (((isSum || op == spv::Op::OpISub) && isConstant(b, 0)) || (isProduct && isConstant(a, 0)) ||
        (op == spv::Op::OpBitwiseAnd && isConstant(b, ~0u)) || (op == spv::Op::OpIMul && isConstant(b, 1)))
        return a;
    return out.emit(op, m_wordType, {a, b});
}

// 1 where `smaller` is below `larger`.
Id LongArithmetic::carry(Emitter& out, Id smaller, Id larger)
{
    uint32_t first = 0, second = 0;
    if (isConstant(larger, 0))
        return constant(0);
    if (isKnown(smaller, first) && isKnown(larger, second))
        return constant(first < second ? 1 : 0);
    const Id isBelow = out.emit(spv::Op::OpULessThan, m_boolType, {smaller, larger});
    return out.emit(spv::Op::OpSelect, m_wordType, {isBelow, constant(1), constant(0)});
}

LongWords LongArithmetic::add(Emitter& out, LongWords a, LongWords b)
{
    const Id low = binary(out, spv::Op::OpIAdd, a.low, b.low);
    // Of something and 0 there is none.
    const Id carried = low == a.low || low == b.low ? constant(0) : carry(out, low, b.low);
    return {low, binary(out, spv::Op::OpIAdd, binary(out, spv::Op::OpIAdd, a.high, b.high), carried)};
}

LongWords LongArithmetic::subtract(Emitter& out, LongWords a, LongWords b)
{
    const Id borrowed = carry(out, a.low, b.low);
    return {binary(out, spv::Op::OpISub, a.low, b.low),
            binary(out, spv::Op::OpISub, binary(out, spv::Op::OpISub, a.high, b.high), borrowed)};
}

LongWords LongArithmetic::multiply(Emitter& out, LongWords a, LongWords b)
{
    uint32_t known = 0;
    if (isKnown(a.low, known))
        std::swap(a, b);
    if (isKnown(b.low, known) && isConstant(b.high, 0) && std::has_single_bit(known))
        return shiftLeftBy(out, a, static_cast<uint32_t>(std::countr_zero(known)));
    if (!m_productType) {
        m_productType = m_module.newId();
        m_module.section(Section::Globals)
            .push_back(instruction(spv::Op::OpTypeStruct, {}, m_productType).add(m_wordType).add(m_wordType));
    }
    const Id product = out.emit(spv::Op::OpUMulExtended, m_productType, {a.low, b.low});
    LongWords words{m_module.newId(), m_module.newId()};
    out.keep(instruction(spv::Op::OpCompositeExtract, m_wordType, words.low).add(product).add(0u));
    out.keep(instruction(spv::Op::OpCompositeExtract, m_wordType, words.high).add(product).add(1u));
    const Id first = binary(out, spv::Op::OpIMul, a.high, b.low);
    const Id second = binary(out, spv::Op::OpIMul, a.low, b.high);
    words.high = binary(out, spv::Op::OpIAdd, words.high, binary(out, spv::Op::OpIAdd, first, second));
    return words;
}

Id LongArithmetic::shift(Emitter& out, spv::Op op, Id word, uint32_t count)
{
    uint32_t known = 0;
    if (count == 0 || isConstant(word, 0))
        return word;
    if (isKnown(word, known) && op != spv::Op::OpShiftRightArithmetic)
        return constant(op == spv::Op::OpShiftLeftLogical ? known << count : known >> count);
    return out.emit(op, m_wordType, {word, constant(count)});
}

LongWords LongArithmetic::shiftLeftBy(Emitter& out, LongWords a, uint32_t count)
{
    constexpr auto kLeft = spv::Op::OpShiftLeftLogical;
    if (count == 0)
        return a;
    if (count >= 32)
        return {constant(0), count < 64 ? shift(out, kLeft, a.low, count - 32) : constant(0)};
    const Id over = shift(out, spv::Op::OpShiftRightLogical, a.low, 32 - count);
    return {shift(out, kLeft, a.low, count), binary(out, spv::Op::OpBitwiseOr, shift(out, kLeft, a.high, count), over)};
}

LongWords LongArithmetic::shiftRightBy(Emitter& out, LongWords a, uint32_t count, bool isArithmetic)
{
    const auto right = isArithmetic ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftRightLogical;
    if (count == 0)
        return a;
    const Id fill = isArithmetic ? shift(out, right, a.high, 31) : constant(0);
    if (count >= 32)
        return {count < 64 ? shift(out, right, a.high, count - 32) : fill, fill};
    const Id under = shift(out, spv::Op::OpShiftLeftLogical, a.high, 32 - count);
    const Id low = shift(out, spv::Op::OpShiftRightLogical, a.low, count);
    return {binary(out, spv::Op::OpBitwiseOr, low, under), shift(out, right, a.high, count)};
}

LongWords LongArithmetic::shiftLeft(Emitter& out, LongWords a, Id count)
{
    constexpr auto kLeft = spv::Op::OpShiftLeftLogical;
    constexpr auto kRight = spv::Op::OpShiftRightLogical;
    uint32_t known = 0;
    if (isKnown(count, known))
        return shiftLeftBy(out, a, known);
    // A word must not be shifted by 32.
    const Id inside = binary(out, spv::Op::OpBitwiseAnd, count, constant(31));
    const Id rest = binary(out, spv::Op::OpISub, constant(31), inside);
    const Id shifted = out.emit(kLeft, m_wordType, {a.low, inside});
    const Id over = out.emit(kRight, m_wordType, {shift(out, kRight, a.low, 1), rest});
    const Id high = out.emit(kLeft, m_wordType, {a.high, inside});
    const Id isFar = out.emit(spv::Op::OpUGreaterThanEqual, m_boolType, {count, constant(32)});
    return select(out, isFar, {constant(0), shifted}, {shifted, binary(out, spv::Op::OpBitwiseOr, high, over)});
}

LongWords LongArithmetic::shiftRight(Emitter& out, LongWords a, Id count, bool isArithmetic)
{
    constexpr auto kLeft = spv::Op::OpShiftLeftLogical;
    const auto right = isArithmetic ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftRightLogical;
    uint32_t known = 0;
    if (isKnown(count, known))
        return shiftRightBy(out, a, known, isArithmetic);
    const Id inside = binary(out, spv::Op::OpBitwiseAnd, count, constant(31));
    const Id rest = binary(out, spv::Op::OpISub, constant(31), inside);
    const Id shifted = out.emit(right, m_wordType, {a.high, inside});
    const Id under = out.emit(kLeft, m_wordType, {shift(out, kLeft, a.high, 1), rest});
    const Id low = out.emit(spv::Op::OpShiftRightLogical, m_wordType, {a.low, inside});
    const Id isFar = out.emit(spv::Op::OpUGreaterThanEqual, m_boolType, {count, constant(32)});
    const Id fill = isArithmetic ? shift(out, right, a.high, 31) : constant(0);
    return select(out, isFar, {shifted, fill}, {binary(out, spv::Op::OpBitwiseOr, low, under), shifted});
}

LongWords LongArithmetic::bitwise(Emitter& out, spv::Op op, LongWords a, LongWords b)
{
    return {binary(out, op, a.low, b.low), binary(out, op, a.high, b.high)};
}

LongWords LongArithmetic::complement(Emitter& out, LongWords a)
{
    return bitwise(out, spv::Op::OpBitwiseXor, a, {constant(~0u), constant(~0u)});
}

LongWords LongArithmetic::select(Emitter& out, Id condition, LongWords a, LongWords b)
{
    const auto one = [&](Id first, Id second) {
        return first == second ? first : out.emit(spv::Op::OpSelect, m_wordType, {condition, first, second});
    };
    return {one(a.low, b.low), one(a.high, b.high)};
}

Id LongArithmetic::isEqual(Emitter& out, LongWords a, LongWords b)
{
    const Id low = out.emit(spv::Op::OpIEqual, m_boolType, {a.low, b.low});
    if (a.high == b.high)
        return low;
    const Id high = out.emit(spv::Op::OpIEqual, m_boolType, {a.high, b.high});
    return out.emit(spv::Op::OpLogicalAnd, m_boolType, {low, high});
}

Id LongArithmetic::isLess(Emitter& out, LongWords a, LongWords b, bool isSigned)
{
    const Id low = out.emit(spv::Op::OpULessThan, m_boolType, {a.low, b.low});
    if (a.high == b.high)
        return low;
    const Id same = out.emit(spv::Op::OpIEqual, m_boolType, {a.high, b.high});
    const Id high = out.emit(isSigned ? spv::Op::OpSLessThan : spv::Op::OpULessThan, m_boolType, {a.high, b.high});
    return out.emit(spv::Op::OpSelect, m_boolType, {same, low, high});
}

Id LongArithmetic::negate(Emitter& out, Id condition)
{
    return out.emit(spv::Op::OpLogicalNot, m_boolType, {condition});
}

}  // namespace millrace::spirv
