// SPDX-License-Identifier: Apache-2.0
// Arithmetic that DXIL has as operations.
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::instruction;

namespace {

// Numbers of operations that share a function here.

}  // namespace

Val Emitter::mapParts(const Value& i, const Type& operandType, const Val& operand, Id (Emitter::*map)(Id, Id))
{
    Val out;
    for (size_t p = 0; p < partCount(*i.type); ++p)
        out.parts.push_back((this->*map)(partType(operandType, p), operand.parts.at(p)));
    return out;
}

void Emitter::opUnary(const Value& call)
{
    // From FAbs to Round_z.
    static constexpr std::array<GLSLstd450, 24> kOps = {
        GLSLstd450FAbs, GLSLstd450Bad,         GLSLstd450Bad,       GLSLstd450Bad,   GLSLstd450Bad,   GLSLstd450Bad,
        GLSLstd450Cos,  GLSLstd450Sin,         GLSLstd450Tan,       GLSLstd450Acos,  GLSLstd450Asin,  GLSLstd450Atan,
        GLSLstd450Cosh, GLSLstd450Sinh,        GLSLstd450Tanh,      GLSLstd450Exp2,  GLSLstd450Fract, GLSLstd450Log2,
        GLSLstd450Sqrt, GLSLstd450InverseSqrt, GLSLstd450RoundEven, GLSLstd450Floor, GLSLstd450Ceil,  GLSLstd450Trunc};
    const GLSLstd450 op = kOps.at(opcodeOf(call) - opcode::FAbs);
    const Val value = get(call.operands[1]);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p)
        out.parts.push_back(m_b.ext(op, partType(*call.type, p), {value.parts.at(p)}));
    set(call, std::move(out));
}

// NaN becomes 0.
void Emitter::opSaturate(const Value& call)
{
    const Val value = get(call.operands[1]);
    const uint32_t bits = registerBits(call.type->scalar());
    const uint64_t one = bits == 16 ? 0x3c00 : bits == 32 ? 0x3f800000 : 0x3ff0000000000000;
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        const Id type = partType(*call.type, p);
        const Id low = m_b.ext(GLSLstd450NMax, type, {value.parts.at(p), m_b.constant(type, 0)});
        out.parts.push_back(m_b.ext(GLSLstd450NMin, type, {low, m_b.constant(type, one)}));
    }
    set(call, std::move(out));
}

// By bits, since compilers may assume that there are no such numbers.
void Emitter::opSpecialFloat(const Value& call)
{
    const Type& operand = *call.operands[1]->type;
    const Val value = get(call.operands[1]);
    const uint32_t bits = registerBits(operand.scalar());
    const uint64_t exponent = bits == 16 ? 0x7c00 : 0x7f800000;
    const uint64_t magnitude = bits == 16 ? 0x7fff : 0x7fffffff;
    Val out;
    for (size_t p = 0; p < partCount(operand); ++p) {
        const Id from = partType(operand, p);
        const Id number = like(m_b.intType(bits), from);
        const Id boolean = partType(*call.type, p);
        const Id pattern = m_b.emit(spv::Op::OpBitcast, number, {value.parts.at(p)});
        const bool wantsMagnitude = opcodeOf(call) <= opcode::IsInf;
        const Id masked = m_b.emit(spv::Op::OpBitwiseAnd, number,
                                   {pattern, m_b.constant(number, wantsMagnitude ? magnitude : exponent)});
        const Id limit = m_b.constant(number, exponent);
        if (opcodeOf(call) == opcode::IsNaN) {
            out.parts.push_back(m_b.emit(spv::Op::OpUGreaterThan, boolean, {masked, limit}));
        } else if (opcodeOf(call) == opcode::IsInf) {
            out.parts.push_back(m_b.emit(spv::Op::OpIEqual, boolean, {masked, limit}));
        } else {
            const Id finite = m_b.emit(spv::Op::OpINotEqual, boolean, {masked, limit});
            const Id some = m_b.emit(spv::Op::OpINotEqual, boolean, {masked, m_b.constant(number, 0)});
            out.parts.push_back(
                opcodeOf(call) == opcode::IsFinite ? finite : m_b.emit(spv::Op::OpLogicalAnd, boolean, {finite, some}));
        }
    }
    set(call, std::move(out));
}

Id Emitter::toUint(Id type, Id value)
{
    const Id number = like(m_b.uintType(), type);
    return type == number ? value : m_b.emit(spv::Op::OpUConvert, number, {value});
}

// Vulkan counts bits of 32-bit integers only.
Id Emitter::bitCount(Id type, Id value)
{
    const Id number = like(m_b.uintType(), type);
    if (m_b.bitsOf(type) != 64)
        return m_b.emit(spv::Op::OpBitCount, number, {toUint(type, value)});
    const Id high = m_b.emit(spv::Op::OpShiftRightLogical, type, {value, m_b.constant(type, 32)});
    const Id a = m_b.emit(spv::Op::OpBitCount, number, {toUint(type, value)});
    const Id b = m_b.emit(spv::Op::OpBitCount, number, {toUint(type, high)});
    return m_b.emit(spv::Op::OpIAdd, number, {a, b});
}

Id Emitter::reverseBits(Id type, Id value)
{
    const Id number = like(m_b.uintType(), type);
    const uint32_t bits = m_b.bitsOf(type);
    if (bits == 32)
        return m_b.emit(spv::Op::OpBitReverse, type, {value});
    if (bits == 16) {
        const Id wide = m_b.emit(spv::Op::OpBitReverse, number, {toUint(type, value)});
        const Id high = m_b.emit(spv::Op::OpShiftRightLogical, number, {wide, m_b.constant(number, 16)});
        return m_b.emit(spv::Op::OpUConvert, type, {high});
    }
    const Id shift = m_b.constant(type, 32);
    const Id high = m_b.emit(spv::Op::OpShiftRightLogical, type, {value, shift});
    const Id newHigh =
        m_b.emit(spv::Op::OpUConvert, type, {m_b.emit(spv::Op::OpBitReverse, number, {toUint(type, value)})});
    const Id newLow =
        m_b.emit(spv::Op::OpUConvert, type, {m_b.emit(spv::Op::OpBitReverse, number, {toUint(type, high)})});
    const Id placed = m_b.emit(spv::Op::OpShiftLeftLogical, type, {newHigh, shift});
    return m_b.emit(spv::Op::OpBitwiseOr, type, {placed, newLow});
}

// ~0 if no bit is set.
Id Emitter::lowestBit(Id type, Id value)
{
    const Id number = like(m_b.uintType(), type);
    if (m_b.bitsOf(type) != 64)
        return m_b.ext(GLSLstd450FindILsb, number, {toUint(type, value)});
    const Id boolean = like(m_b.boolType(), type);
    const Id low = toUint(type, value);
    const Id high = toUint(type, m_b.emit(spv::Op::OpShiftRightLogical, type, {value, m_b.constant(type, 32)}));
    const Id none = m_b.constant(number, ~0u);
    const Id inLow = m_b.ext(GLSLstd450FindILsb, number, {low});
    const Id inHigh = m_b.ext(GLSLstd450FindILsb, number, {high});
    const Id moved = m_b.emit(spv::Op::OpIAdd, number, {inHigh, m_b.constant(number, 32)});
    const Id hasHigh = m_b.emit(spv::Op::OpINotEqual, boolean, {high, m_b.constant(number, 0)});
    const Id hasLow = m_b.emit(spv::Op::OpINotEqual, boolean, {low, m_b.constant(number, 0)});
    const Id rest = m_b.emit(spv::Op::OpSelect, number, {hasHigh, moved, none});
    return m_b.emit(spv::Op::OpSelect, number, {hasLow, inLow, rest});
}

// DXIL counts from the top, SPIR-V from the bottom; ~0 if there is none.
Id Emitter::highestBit(Id type, Id value, bool isSigned)
{
    const Id number = like(m_b.uintType(), type);
    const Id boolean = like(m_b.boolType(), type);
    const uint32_t bits = m_b.bitsOf(type);
    const Id none = m_b.constant(number, ~0u);
    if (isSigned) {
        // The highest bit that differs from the sign.
        const Id sign = m_b.emit(spv::Op::OpShiftRightArithmetic, type, {value, m_b.constant(type, bits - 1)});
        value = m_b.emit(spv::Op::OpBitwiseXor, type, {value, sign});
    }
    Id found;
    if (bits == 64) {
        const Id low = toUint(type, value);
        const Id high = toUint(type, m_b.emit(spv::Op::OpShiftRightLogical, type, {value, m_b.constant(type, 32)}));
        const Id hasHigh = m_b.emit(spv::Op::OpINotEqual, boolean, {high, m_b.constant(number, 0)});
        const Id inHigh = m_b.ext(GLSLstd450FindUMsb, number, {high});
        const Id moved = m_b.emit(spv::Op::OpIAdd, number, {inHigh, m_b.constant(number, 32)});
        found = m_b.emit(spv::Op::OpSelect, number, {hasHigh, moved, m_b.ext(GLSLstd450FindUMsb, number, {low})});
    } else {
        found = m_b.ext(GLSLstd450FindUMsb, number, {toUint(type, value)});
    }
    const Id fromTop = m_b.emit(spv::Op::OpISub, number, {m_b.constant(number, bits - 1), found});
    const Id isNone = m_b.emit(spv::Op::OpIEqual, boolean, {found, none});
    return m_b.emit(spv::Op::OpSelect, number, {isNone, none, fromTop});
}

void Emitter::opBits(const Value& call)
{
    const Type& operand = *call.operands[1]->type;
    const Val value = get(call.operands[1]);
    Val out;
    for (size_t p = 0; p < partCount(operand); ++p) {
        const Id type = partType(operand, p);
        const Id part = value.parts.at(p);
        switch (opcodeOf(call)) {
            case opcode::Bfrev:
                out.parts.push_back(reverseBits(type, part));
                break;
            case opcode::Countbits:
                out.parts.push_back(bitCount(type, part));
                break;
            case opcode::FirstbitLo:
                out.parts.push_back(lowestBit(type, part));
                break;
            default:
                out.parts.push_back(highestBit(type, part, opcodeOf(call) == opcode::FirstbitSHi));
                break;
        }
    }
    set(call, std::move(out));
}

void Emitter::opBinary(const Value& call)
{
    static constexpr std::array<GLSLstd450, 6> kOps = {GLSLstd450NMax, GLSLstd450NMin, GLSLstd450SMax,
                                                       GLSLstd450SMin, GLSLstd450UMax, GLSLstd450UMin};
    const GLSLstd450 op = kOps.at(opcodeOf(call) - opcode::FMax);
    const Val a = get(call.operands[1]);
    const Val b = get(call.operands[2]);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p)
        out.parts.push_back(m_b.ext(op, partType(*call.type, p), {a.parts.at(p), b.parts.at(p)}));
    set(call, std::move(out));
}

// High half first; quotient, remainder.
void Emitter::opTwoOuts(const Value& call)
{
    const Id number = m_b.uintType();
    const Id a = getId(call.operands[1]);
    const Id b = getId(call.operands[2]);
    Val out;
    if (opcodeOf(call) == opcode::UDiv) {
        // D3D gives ~0 for both where the divisor is 0.
        const Id isZero = m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {b, m_b.uintConstant(0)});
        const Id quotient = m_b.emit(spv::Op::OpUDiv, number, {a, b});
        const Id rest = m_b.emit(spv::Op::OpUMod, number, {a, b});
        out.fields.emplace_back(m_b.emit(spv::Op::OpSelect, number, {isZero, m_b.uintConstant(~0u), quotient}));
        out.fields.emplace_back(m_b.emit(spv::Op::OpSelect, number, {isZero, m_b.uintConstant(~0u), rest}));
    } else {
        const std::array<Id, 2> members = {number, number};
        const Id pair = m_b.structType(members);
        const Id product =
            m_b.emit(opcodeOf(call) == opcode::IMul ? spv::Op::OpSMulExtended : spv::Op::OpUMulExtended, pair, {a, b});
        out.fields.emplace_back(m_b.extract(number, product, 1));
        out.fields.emplace_back(m_b.extract(number, product, 0));
    }
    set(call, std::move(out));
}

void Emitter::opCarry(const Value& call)
{
    const Id number = m_b.uintType();
    const std::array<Id, 2> members = {number, number};
    const Id sum = m_b.emit(opcodeOf(call) == opcode::UAddc ? spv::Op::OpIAddCarry : spv::Op::OpISubBorrow,
                            m_b.structType(members), {getId(call.operands[1]), getId(call.operands[2])});
    Val out;
    out.fields.emplace_back(m_b.extract(number, sum, 0));
    const Id carry = m_b.extract(number, sum, 1);
    out.fields.emplace_back(m_b.emit(spv::Op::OpINotEqual, m_b.boolType(), {carry, m_b.uintConstant(0)}));
    set(call, std::move(out));
}

void Emitter::opMad(const Value& call)
{
    const Val a = get(call.operands[1]);
    const Val b = get(call.operands[2]);
    const Val c = get(call.operands[3]);
    const uint32_t opcode = opcodeOf(call);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        const Id type = partType(*call.type, p);
        if (opcode == opcode::Fma) {
            out.parts.push_back(m_b.ext(GLSLstd450Fma, type, {a.parts.at(p), b.parts.at(p), c.parts.at(p)}));
            noContraction(out.parts.back(), call.precise);
            continue;
        }
        // Drivers fuse what they may; `precise` forbids it.
        const bool isFloat = opcode == opcode::FMad;
        const Id product = m_b.emit(isFloat ? spv::Op::OpFMul : spv::Op::OpIMul, type, {a.parts.at(p), b.parts.at(p)});
        out.parts.push_back(m_b.emit(isFloat ? spv::Op::OpFAdd : spv::Op::OpIAdd, type, {product, c.parts.at(p)}));
        noContraction(product, isFloat && call.precise);
        noContraction(out.parts.back(), isFloat && call.precise);
    }
    set(call, std::move(out));
}

// Adds the differences of the bytes of two words to a third, where the reference's byte is not 0.
void Emitter::opMsad(const Value& call)
{
    const Id number = m_b.uintType();
    const Id reference = getId(call.operands[1]);
    const Id source = getId(call.operands[2]);
    Id sum = getId(call.operands[3]);
    for (uint32_t byte = 0; byte < 4; ++byte) {
        const Id offset = m_b.uintConstant(8 * byte);
        const Id count = m_b.uintConstant(8);
        const Id a = m_b.emit(spv::Op::OpBitFieldUExtract, number, {reference, offset, count});
        const Id b = m_b.emit(spv::Op::OpBitFieldUExtract, number, {source, offset, count});
        const Id high = m_b.ext(GLSLstd450UMax, number, {a, b});
        const Id low = m_b.ext(GLSLstd450UMin, number, {a, b});
        const Id difference = m_b.emit(spv::Op::OpISub, number, {high, low});
        const Id masked = m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {a, m_b.uintConstant(0)});
        const Id term = m_b.emit(spv::Op::OpSelect, number, {masked, m_b.uintConstant(0), difference});
        sum = m_b.emit(spv::Op::OpIAdd, number, {sum, term});
    }
    set(call, sum);
}

// ibfe and ubfe of D3D: width and offset modulo 32; a field that reaches beyond the top is shifted down.
void Emitter::opBitField(const Value& call)
{
    const Id number = m_b.uintType();
    const Id boolean = m_b.boolType();
    const Id mask = m_b.uintConstant(31);
    const Id width = m_b.emit(spv::Op::OpBitwiseAnd, number, {getId(call.operands[1]), mask});
    const Id offset = m_b.emit(spv::Op::OpBitwiseAnd, number, {getId(call.operands[2]), mask});
    const Id value = getId(call.operands[3]);
    const Id end = m_b.emit(spv::Op::OpIAdd, number, {width, offset});
    const Id fits = m_b.emit(spv::Op::OpULessThan, boolean, {end, m_b.uintConstant(32)});
    const spv::Op down =
        opcodeOf(call) == opcode::Ibfe ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftRightLogical;
    // Up so that the field ends at the top, then down; shift counts stay below 32.
    const Id up = m_b.emit(spv::Op::OpISub, number, {m_b.uintConstant(32), end});
    const Id upCount = m_b.emit(spv::Op::OpBitwiseAnd, number, {up, mask});
    const Id raised = m_b.emit(spv::Op::OpShiftLeftLogical, number, {value, upCount});
    const Id back = m_b.emit(spv::Op::OpISub, number, {m_b.uintConstant(32), width});
    const Id backCount = m_b.emit(spv::Op::OpBitwiseAnd, number, {back, mask});
    const Id inside = m_b.emit(down, number, {raised, backCount});
    const Id beyond = m_b.emit(down, number, {value, offset});
    const Id field = m_b.emit(spv::Op::OpSelect, number, {fits, inside, beyond});
    const Id isEmpty = m_b.emit(spv::Op::OpIEqual, boolean, {width, m_b.uintConstant(0)});
    set(call, m_b.emit(spv::Op::OpSelect, number, {isEmpty, m_b.uintConstant(0), field}));
}

void Emitter::opBitInsert(const Value& call)
{
    const Id number = m_b.uintType();
    const Id limit = m_b.uintConstant(31);
    const Id width = m_b.emit(spv::Op::OpBitwiseAnd, number, {getId(call.operands[1]), limit});
    const Id offset = m_b.emit(spv::Op::OpBitwiseAnd, number, {getId(call.operands[2]), limit});
    const Id one = m_b.uintConstant(1);
    const Id ones =
        m_b.emit(spv::Op::OpISub, number, {m_b.emit(spv::Op::OpShiftLeftLogical, number, {one, width}), one});
    const Id mask = m_b.emit(spv::Op::OpShiftLeftLogical, number, {ones, offset});
    const Id placed = m_b.emit(spv::Op::OpShiftLeftLogical, number, {getId(call.operands[3]), offset});
    const Id inside = m_b.emit(spv::Op::OpBitwiseAnd, number, {placed, mask});
    const Id outside =
        m_b.emit(spv::Op::OpBitwiseAnd, number, {getId(call.operands[4]), m_b.emit(spv::Op::OpNot, number, {mask})});
    set(call, m_b.emit(spv::Op::OpBitwiseOr, number, {inside, outside}));
}

// As products and sums in order, so that results do not depend on the driver's idea of a dot product.
void Emitter::opDot(const Value& call)
{
    const uint32_t count = opcodeOf(call) - opcode::Dot2 + 2;
    const Id type = partType(*call.type, 0);
    Id sum;
    for (uint32_t c = 0; c < count; ++c) {
        const Id product =
            m_b.emit(spv::Op::OpFMul, type, {getId(call.operands[1 + c]), getId(call.operands[1 + count + c])});
        noContraction(product, call.precise);
        sum = c == 0 ? product : m_b.emit(spv::Op::OpFAdd, type, {sum, product});
        noContraction(sum, call.precise && c > 0);
    }
    set(call, sum);
}

void Emitter::opVectorDot(const Value& call)
{
    const Type& vector = *call.operands[1]->type;
    const Val a = get(call.operands[1]);
    const Val b = get(call.operands[2]);
    const Id type = partType(*call.type, 0);
    Id sum;
    for (uint32_t e = 0; e < vector.count; ++e) {
        const Id product = m_b.emit(spv::Op::OpFMul, type, {element(vector, a, e), element(vector, b, e)});
        noContraction(product, call.precise);
        sum = e == 0 ? product : m_b.emit(spv::Op::OpFAdd, type, {sum, product});
        noContraction(sum, call.precise && e > 0);
    }
    set(call, sum);
}

void Emitter::opVectorReduce(const Value& call)
{
    const Type& vector = *call.operands[1]->type;
    const Val value = get(call.operands[1]);
    const Id type = partType(*call.type, 0);
    const bool isAnd = opcodeOf(call) == opcode::VectorReduceAnd;
    const bool isBool = vector.scalar().isInt(1);
    const spv::Op op = isBool ? (isAnd ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr)
                              : (isAnd ? spv::Op::OpBitwiseAnd : spv::Op::OpBitwiseOr);
    Id out = element(vector, value, 0);
    for (uint32_t e = 1; e < (vector.isVector() ? vector.count : 1); ++e)
        out = m_b.emit(op, type, {out, element(vector, value, e)});
    set(call, out);
}

void Emitter::opDot2AddHalf(const Value& call)
{
    const Id type = m_b.floatType(32);
    const auto wide = [&](size_t operand) {
        const Id from = partType(*call.operands[operand]->type, 0);
        const Id value = getId(call.operands[operand]);
        return from == type ? value : m_b.emit(spv::Op::OpFConvert, type, {value});
    };
    const Id x = m_b.emit(spv::Op::OpFMul, type, {wide(2), wide(4)});
    const Id y = m_b.emit(spv::Op::OpFMul, type, {wide(3), wide(5)});
    const Id sum = m_b.emit(spv::Op::OpFAdd, type, {x, y});
    set(call, m_b.emit(spv::Op::OpFAdd, type, {getId(call.operands[1]), sum}));
}

// By bytes: packed dot products are an optional feature of Vulkan 1.3 only in their accelerated forms, but the
// accumulation here wraps around, which the saturating forms do not.
void Emitter::opDot4Add(const Value& call)
{
    const Id number = m_b.uintType();
    const bool isSigned = opcodeOf(call) == opcode::Dot4AddI8Packed;
    const spv::Op extract = isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract;
    Id sum = getId(call.operands[1]);
    for (uint32_t byte = 0; byte < 4; ++byte) {
        const Id offset = m_b.uintConstant(8 * byte);
        const Id count = m_b.uintConstant(8);
        const Id a = m_b.emit(extract, number, {getId(call.operands[2]), offset, count});
        const Id b = m_b.emit(extract, number, {getId(call.operands[3]), offset, count});
        sum = m_b.emit(spv::Op::OpIAdd, number, {sum, m_b.emit(spv::Op::OpIMul, number, {a, b})});
    }
    set(call, sum);
}

void Emitter::opMakeDouble(const Value& call)
{
    const std::array<Id, 2> words = {getId(call.operands[1]), getId(call.operands[2])};
    const Id pair = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
    set(call, m_b.emit(spv::Op::OpBitcast, m_b.floatType(64), {pair}));
}

void Emitter::opSplitDouble(const Value& call)
{
    const Id pair = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(m_b.uintType(), 2), {getId(call.operands[1])});
    Val out;
    out.fields.emplace_back(m_b.extract(m_b.uintType(), pair, 0));
    out.fields.emplace_back(m_b.extract(m_b.uintType(), pair, 1));
    set(call, std::move(out));
}

void Emitter::opBitcast(const Value& call)
{
    const Id to = partType(*call.type, 0);
    const Id from = partType(*call.operands[1]->type, 0);
    if (m_ir.minPrecision && call.type->bits == 16) {
        unsupported("a bitcast of a min-precision value");
        return;
    }
    set(call, m_b.bitcast(to, getId(call.operands[1]), from));
}

void Emitter::opLegacyHalf(const Value& call)
{
    const Id number = m_b.uintType();
    const Id pair = m_b.vectorType(m_b.floatType(32), 2);
    if (opcodeOf(call) == opcode::LegacyF32ToF16) {
        const std::array<Id, 2> parts = {getId(call.operands[1]), m_b.constant(m_b.floatType(32), 0)};
        set(call, m_b.ext(GLSLstd450PackHalf2x16, number, {m_b.construct(pair, parts)}));
    } else {
        const Id both = m_b.ext(GLSLstd450UnpackHalf2x16, pair, {getId(call.operands[1])});
        set(call, m_b.extract(m_b.floatType(32), both, 0));
    }
}

void Emitter::opLegacyDouble(const Value& call)
{
    const uint32_t opcode = opcodeOf(call);
    const spv::Op op = opcode == opcode::LegacyDoubleToFloat    ? spv::Op::OpFConvert
                       : opcode == opcode::LegacyDoubleToSInt32 ? spv::Op::OpConvertFToS
                                                                : spv::Op::OpConvertFToU;
    set(call, m_b.emit(op, partType(*call.type, 0), {getId(call.operands[1])}));
}

// Modes: 0 truncate, 1 clamp to unsigned, 2 clamp to signed.
void Emitter::opPack(const Value& call)
{
    const Id number = m_b.uintType();
    const uint64_t mode = constantOf(call.operands[1]).value_or(3);
    const Type& type = *call.operands[2]->type;
    Id packed = m_b.uintConstant(0);
    for (uint32_t c = 0; c < 4; ++c) {
        Id value = getId(call.operands[2 + c]);
        if (registerBits(type) != 32)
            value = m_b.emit(spv::Op::OpSConvert, number, {value});
        if (mode == 1) {
            value = m_b.ext(GLSLstd450SClamp, number, {value, m_b.uintConstant(0), m_b.uintConstant(255)});
        } else if (mode == 2) {
            value = m_b.ext(GLSLstd450SClamp, number,
                            {value, m_b.uintConstant(static_cast<uint32_t>(-128)), m_b.uintConstant(127)});
        } else if (mode != 0) {
            unsupported("this mode of packing");
        }
        packed =
            m_b.emit(spv::Op::OpBitFieldInsert, number, {packed, value, m_b.uintConstant(8 * c), m_b.uintConstant(8)});
    }
    set(call, packed);
}

// Modes: 0 unsigned, 1 signed.
void Emitter::opUnpack(const Value& call)
{
    const Id number = m_b.uintType();
    const uint64_t mode = constantOf(call.operands[1]).value_or(2);
    const Id packed = getId(call.operands[2]);
    const Type& type = *call.type->members.at(0);
    const Id to = partType(type, 0);
    Val out;
    for (uint32_t c = 0; c < 4; ++c) {
        const Id value = m_b.emit(mode == 1 ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract, number,
                                  {packed, m_b.uintConstant(8 * c), m_b.uintConstant(8)});
        out.fields.emplace_back(to == number ? value : m_b.emit(spv::Op::OpUConvert, to, {value}));
    }
    set(call, std::move(out));
}

}  // namespace millrace::dxil
