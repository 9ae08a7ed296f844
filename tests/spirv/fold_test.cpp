// SPDX-License-Identifier: Apache-2.0
// Constant expressions, one line each: expression, type, expected words.
#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

constexpr const char* kGlobals = R"(
        %int = OpTypeInt 32 1
        %byte = OpTypeInt 8 1
        %ubyte = OpTypeInt 8 0
        %ushort = OpTypeInt 16 0
        %long = OpTypeInt 64 1
        %ulong = OpTypeInt 64 0
        %float = OpTypeFloat 32
        %double = OpTypeFloat 64
        %uvec2 = OpTypeVector %uint 2
        %bvec2 = OpTypeVector %bool 2
        %pair = OpTypeStruct %uint %uvec2
        %true = OpConstantTrue %bool
        %false = OpConstantFalse %bool
        %u0 = OpConstant %uint 0
        %u2 = OpConstant %uint 2
        %u7 = OpConstant %uint 7
        %u33 = OpConstant %uint 33
        %umax = OpConstant %uint 0xffffffff
        %im7 = OpConstant %int -7
        %i3 = OpConstant %int 3
        %im1 = OpConstant %int -1
        %imin = OpConstant %int 0x80000000
        %bm2 = OpConstant %byte -2
        %l5 = OpConstant %long -5000000000
        %lm1 = OpConstant %long -1
        %lmin = OpConstant %long -9223372036854775808
        %ul = OpConstant %ulong 0x100000000
        %f = OpConstant %float 1.5
        %d = OpConstant %double 2.5
        %v27 = OpConstantComposite %uvec2 %u2 %u7
        %v00 = OpConstantNull %uvec2
        %b10 = OpConstantComposite %bvec2 %true %false
        %p = OpConstantComposite %pair %u33 %v27
        %pn = OpConstantNull %pair
)";

struct Case {
    const char* type;
    const char* expression;
    const char* expected;  // as it is disassembled, names replaced
};

class Fold : public testing::TestWithParam<Case> {};

TEST_P(Fold, GivesTheConstant)
{
    const Case& c = GetParam();
    const std::string globals =
        std::string(kGlobals) + "%result = OpSpecConstantOp %" + c.type + " " + c.expression + "\n";
    // The name marks the result, wherever folding finds its value.
    const auto words = specialize(assembled(compute(globals, "", "OpName %result \"result\"")), {});
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    const auto module = read(*words);
    std::string found;
    for (const Instruction& i : module->section(Section::DebugNames)) {
        if (i.string(1) != "result")
            continue;
        const Instruction* constant = module->findDefinition(i.id(0));
        ASSERT_NE(constant, nullptr);
        found = opName(constant->op).substr(2);
        for (size_t o = 0; o < constant->operandCount(); ++o) {
            const bool isId = constant->isId(o);
            const Instruction* element = isId ? module->findDefinition(constant->id(o)) : constant;
            for (const uint32_t word : element->words)
                found += " " + std::to_string(word);
            found += element->words.empty() ? " " + opName(element->op).substr(2) : "";
        }
    }
    EXPECT_EQ(found, c.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Integers, Fold,
    testing::Values(
        Case{"uint", "IAdd %umax %u7", "Constant 6"}, Case{"uint", "ISub %u2 %u7", "Constant 4294967291"},
        Case{"uint", "IMul %umax %umax", "Constant 1"}, Case{"uint", "UDiv %umax %u7", "Constant 613566756"},
        Case{"uint", "UMod %umax %u7", "Constant 3"}, Case{"uint", "UDiv %u7 %u0", "Constant 0"},
        Case{"int", "SDiv %im7 %i3", "Constant 4294967294"}, Case{"int", "SDiv %imin %im1", "Constant 2147483648"},
        Case{"long", "SDiv %lmin %lm1", "Constant 0 2147483648"}, Case{"long", "SRem %lmin %lm1", "Constant 0 0"},
        Case{"int", "SRem %im7 %i3", "Constant 4294967295"}, Case{"int", "SMod %im7 %i3", "Constant 2"},
        Case{"int", "SNegate %im7", "Constant 7"}, Case{"uint", "Not %u0", "Constant 4294967295"},
        Case{"uint", "ShiftLeftLogical %u7 %u2", "Constant 28"},
        Case{"uint", "ShiftLeftLogical %u7 %u33", "Constant 0"},
        Case{"int", "ShiftRightArithmetic %im7 %u2", "Constant 4294967294"},
        Case{"uint", "ShiftRightLogical %umax %u7", "Constant 33554431"},
        Case{"uint", "BitwiseXor %umax %u7", "Constant 4294967288"}, Case{"uint", "BitwiseAnd %u33 %u7", "Constant 1"},
        Case{"uint", "BitwiseOr %u33 %u7", "Constant 39"}, Case{"ulong", "IMul %ul %ul", "Constant 0 0"},
        Case{"ulong", "IAdd %ul %ul", "Constant 0 2"}, Case{"byte", "IMul %bm2 %bm2", "Constant 4"},
        Case{"byte", "IAdd %bm2 %bm2", "Constant 4294967292"}));

INSTANTIATE_TEST_SUITE_P(Comparisons, Fold,
                         testing::Values(Case{"bool", "ULessThan %u7 %umax", "ConstantTrue"},
                                         Case{"bool", "SLessThan %im7 %i3", "ConstantTrue"},
                                         Case{"bool", "UGreaterThan %im7 %i3", "ConstantTrue"},
                                         Case{"bool", "SGreaterThanEqual %im7 %im7", "ConstantTrue"},
                                         Case{"bool", "IEqual %u7 %u2", "ConstantFalse"},
                                         Case{"bool", "INotEqual %u7 %u2", "ConstantTrue"},
                                         Case{"bool", "LogicalNot %true", "ConstantFalse"},
                                         Case{"bool", "LogicalAnd %true %false", "ConstantFalse"},
                                         Case{"bool", "LogicalOr %true %false", "ConstantTrue"},
                                         Case{"bool", "LogicalEqual %true %false", "ConstantFalse"},
                                         Case{"bool", "LogicalNotEqual %true %false", "ConstantTrue"}));

INSTANTIATE_TEST_SUITE_P(Conversions, Fold,
                         testing::Values(Case{"ulong", "UConvert %umax", "Constant 4294967295 0"},
                                         Case{"long", "SConvert %im7", "Constant 4294967289 4294967295"},
                                         Case{"ubyte", "UConvert %umax", "Constant 255"},
                                         Case{"byte", "SConvert %l5", "Constant 0"},
                                         Case{"ushort", "SConvert %im7", "Constant 65529"},
                                         Case{"double", "FConvert %f", "Constant 0 1073217536"},
                                         Case{"float", "FConvert %d", "Constant 1075838976"}));

INSTANTIATE_TEST_SUITE_P(Composites, Fold,
                         testing::Values(Case{"uint", "CompositeExtract %v27 1", "Constant 7"},
                                         Case{"uint", "CompositeExtract %p 1 0", "Constant 2"},
                                         Case{"uvec2", "CompositeExtract %p 1", "ConstantComposite 2 7"},
                                         Case{"uvec2", "CompositeExtract %pn 1", "ConstantNull"},
                                         Case{"uvec2", "CompositeInsert %u33 %v27 0", "ConstantComposite 33 7"},
                                         Case{"uvec2", "CompositeInsert %u33 %v00 1", "ConstantComposite 0 33"},
                                         Case{"uvec2", "VectorShuffle %v27 %v00 1 2", "ConstantComposite 7 0"},
                                         Case{"uvec2", "IAdd %v27 %v27", "ConstantComposite 4 14"},
                                         Case{"bvec2", "ULessThan %v27 %v00",
                                              "ConstantComposite ConstantFalse ConstantFalse"},
                                         Case{"uvec2", "Select %b10 %v27 %v00", "ConstantComposite 2 0"},
                                         Case{"uvec2", "Select %false %v00 %v27", "ConstantComposite 2 7"},
                                         Case{"uint", "Select %true %u33 %u7", "Constant 33"}));

TEST(FoldNot, OperandOfUnknownKind_StaysAnExpression)
{
    // A half has no conversion here; what depends on it stays too.
    const auto words = specialize(assembled(R"(
        OpCapability Shader
        OpCapability Float16
        OpMemoryModel Logical GLSL450
        %half = OpTypeFloat 16
        %float = OpTypeFloat 32
        %vec2 = OpTypeVector %float 2
        %one = OpConstant %half 1
        %wide = OpSpecConstantOp %float FConvert %one
        %both = OpSpecConstantComposite %vec2 %wide %wide)"),
                                  {});
    ASSERT_TRUE(words);
    EXPECT_NE(text(*words).find("OpSpecConstantOp"), std::string::npos);
    EXPECT_NE(text(*words).find("OpSpecConstantComposite"), std::string::npos);
}

}  // namespace
}  // namespace millrace::spirv::test
