// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <spirv/unified1/GLSL.std.450.h>

#include "oracle/arithmetic.h"
#include "oracle/half.h"
#include "oracle/machine.h"

namespace millrace::oracle {

namespace {

Type number(TypeKind kind, uint32_t width)
{
    Type type;
    type.kind = kind;
    type.width = width;
    return type;
}

const Type kBool = number(TypeKind::Bool, 0);

uint64_t apply(ArithmeticFunction function, std::initializer_list<uint64_t> operands)
{
    EXPECT_NE(function, nullptr);
    std::vector<uint64_t> slots(operands);
    slots.resize(5);
    function(slots.data(), {4, 0, 1, 2, 3, 1});
    return slots[4];
}

uint64_t integer(spv::Op op, uint32_t width, std::initializer_list<uint64_t> operands)
{
    const Type type = number(TypeKind::Int, width);
    return apply(arithmeticFunction(op, type, type), operands);
}

uint64_t bits(float value)
{
    return std::bit_cast<uint32_t>(value);
}

TEST(OracleArithmetic, Integers_WrapAtTheirWidth)
{
    EXPECT_EQ(integer(spv::OpIAdd, 32, {0xffffffff, 2}), 1u);
    EXPECT_EQ(integer(spv::OpIAdd, 16, {0xffff, 2}), 1u);
    EXPECT_EQ(integer(spv::OpIMul, 16, {0xffff, 0xffff}), 1u);
    EXPECT_EQ(integer(spv::OpISub, 8, {0, 1}), 0xffu);
    EXPECT_EQ(integer(spv::OpIMul, 64, {1ull << 63, 3}), 1ull << 63);
    EXPECT_EQ(integer(spv::OpSNegate, 32, {1}), 0xffffffffu);
    EXPECT_EQ(integer(spv::OpNot, 16, {0x00ff}), 0xff00u);
}

TEST(OracleArithmetic, SignedInstructions_SignExtend)
{
    EXPECT_EQ(integer(spv::OpSDiv, 32, {0xfffffff9, 2}), 0xfffffffdu);  // -7 / 2 = -3
    EXPECT_EQ(integer(spv::OpSRem, 32, {0xfffffff9, 2}), 0xffffffffu);  // -1
    EXPECT_EQ(integer(spv::OpSMod, 32, {0xfffffff9, 2}), 1u);
    EXPECT_EQ(integer(spv::OpShiftRightArithmetic, 16, {0x8000, 4}), 0xf800u);
    EXPECT_EQ(integer(spv::OpSLessThan, 8, {0xff, 0}), 1u);
    EXPECT_EQ(integer(spv::OpULessThan, 8, {0xff, 0}), 0u);
}

TEST(OracleArithmetic, UndefinedResults_AreErrors)
{
    EXPECT_THROW(integer(spv::OpUDiv, 32, {1, 0}), RuleError);
    EXPECT_THROW(integer(spv::OpSDiv, 32, {0x80000000, 0xffffffff}), RuleError);
    EXPECT_THROW(integer(spv::OpShiftLeftLogical, 32, {1, 32}), RuleError);
}

TEST(OracleArithmetic, BitFields)
{
    EXPECT_EQ(integer(spv::OpBitFieldInsert, 32, {0xffffffff, 0x5, 4, 4}), 0xffffff5fu);
    EXPECT_EQ(integer(spv::OpBitFieldUExtract, 32, {0xabcd, 4, 8}), 0xbcu);
    EXPECT_EQ(integer(spv::OpBitFieldSExtract, 32, {0xabcd, 4, 8}), 0xffffffbcu);
    EXPECT_EQ(integer(spv::OpBitReverse, 32, {1}), 0x80000000u);
    EXPECT_EQ(integer(spv::OpBitCount, 32, {0xf0f0}), 8u);
}

TEST(OracleArithmetic, Conversions)
{
    const Type i8 = number(TypeKind::Int, 8);
    const Type i32 = number(TypeKind::Int, 32);
    const Type f32 = number(TypeKind::Float, 32);
    const Type f16 = number(TypeKind::Float, 16);
    EXPECT_EQ(apply(arithmeticFunction(spv::OpSConvert, i8, i32), {0x80}), 0xffffff80u);
    EXPECT_EQ(apply(arithmeticFunction(spv::OpUConvert, i8, i32), {0x80}), 0x80u);
    EXPECT_EQ(apply(arithmeticFunction(spv::OpConvertSToF, i32, f32), {0xffffffff}), bits(-1.0f));
    EXPECT_EQ(apply(arithmeticFunction(spv::OpConvertUToF, i32, f32), {0x80000000}), bits(2147483648.0f));
    EXPECT_EQ(apply(arithmeticFunction(spv::OpConvertFToS, f32, i32), {bits(-2.75f)}), 0xfffffffeu);
    EXPECT_EQ(apply(arithmeticFunction(spv::OpFConvert, f32, f16), {bits(1.5f)}), 0x3e00u);
}

TEST(OracleArithmetic, NotANumber_ComparesAsSpecified)
{
    const Type f32 = number(TypeKind::Float, 32);
    const uint64_t nan = 0x7fc00000;
    const auto compare = [&](spv::Op op, uint64_t b) { return apply(arithmeticFunction(op, f32, kBool), {nan, b}); };
    EXPECT_EQ(compare(spv::OpFOrdEqual, nan), 0u);
    EXPECT_EQ(compare(spv::OpFOrdNotEqual, 0), 0u);
    EXPECT_EQ(compare(spv::OpFUnordNotEqual, 0), 1u);
    EXPECT_EQ(compare(spv::OpFUnordLessThan, 0), 1u);
    EXPECT_EQ(compare(spv::OpFOrdLessThan, 0), 0u);
}

TEST(OracleArithmetic, Half_RoundsToNearestEven)
{
    EXPECT_EQ(floatToHalf(0.0f), 0u);
    EXPECT_EQ(floatToHalf(-0.0f), 0x8000u);
    EXPECT_EQ(floatToHalf(65504.0f), 0x7bffu);
    EXPECT_EQ(floatToHalf(65520.0f), 0x7c00u);
    EXPECT_EQ(floatToHalf(1.0f + 1.0f / 2048), 0x3c00u);  // halfway, to even
    EXPECT_EQ(floatToHalf(5.960464477539063e-8f), 1u);    // least subnormal
    for (uint32_t i = 0; i < 0x7c00; ++i)
        ASSERT_EQ(floatToHalf(halfToFloat(static_cast<uint16_t>(i))), i);
}

TEST(OracleArithmetic, GlslInstructions)
{
    const Type f32 = number(TypeKind::Float, 32);
    const Type i32 = number(TypeKind::Int, 32);
    EXPECT_EQ(apply(glslFunction(GLSLstd450FClamp, f32), {bits(5), bits(0), bits(2)}), bits(2));
    EXPECT_EQ(apply(glslFunction(GLSLstd450SMin, i32), {0xffffffff, 1}), 0xffffffffu);
    EXPECT_EQ(apply(glslFunction(GLSLstd450UMin, i32), {0xffffffff, 1}), 1u);
    EXPECT_EQ(apply(glslFunction(GLSLstd450FindUMsb, i32), {0x00010000}), 16u);
    EXPECT_EQ(apply(glslFunction(GLSLstd450FindUMsb, i32), {0}), 0xffffffffu);
    EXPECT_EQ(apply(glslFunction(GLSLstd450FindILsb, i32), {0x50}), 4u);
    EXPECT_EQ(apply(glslFunction(GLSLstd450FindSMsb, i32), {0xffffffff}), 0xffffffffu);
}

TEST(OracleArithmetic, Atomics)
{
    EXPECT_EQ(applyAtomic(spv::OpAtomicIAdd, 32, 0xffffffff, 2, 0), 1u);
    EXPECT_EQ(applyAtomic(spv::OpAtomicSMin, 32, 1, 0xffffffff, 0), 0xffffffffu);
    EXPECT_EQ(applyAtomic(spv::OpAtomicUMin, 32, 1, 0xffffffff, 0), 1u);
    EXPECT_EQ(applyAtomic(spv::OpAtomicCompareExchange, 32, 5, 9, 5), 9u);
    EXPECT_EQ(applyAtomic(spv::OpAtomicCompareExchange, 32, 6, 9, 5), 6u);
    EXPECT_EQ(applyAtomic(spv::OpAtomicIIncrement, 64, 0xffffffff, 0, 0), 0x100000000u);
}

}  // namespace

}  // namespace millrace::oracle
