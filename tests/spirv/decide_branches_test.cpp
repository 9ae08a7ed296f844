// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

// A module of one function, or of several: the body of "main" and what stands in front of it. %x is an unknown number.
std::string textOf(const std::string& body, const std::string& functions = {})
{
    return R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %in %out
        OpExecutionMode %main LocalSize 1 1 1
        OpName %in "in"
        OpName %out "out"
        OpDecorate %in DescriptorSet 0
        OpDecorate %in Binding 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 1
        OpDecorate %Block Block
        OpMemberDecorate %Block 0 Offset 0
        %void = OpTypeVoid
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %Block = OpTypeStruct %uint
        %block = OpTypePointer StorageBuffer %Block
        %word = OpTypePointer StorageBuffer %uint
        %plain = OpTypeFunction %void
        %number = OpTypeFunction %uint
        %yes = OpConstantTrue %bool
        %no = OpConstantFalse %bool
        %c0 = OpConstant %uint 0
        %c1 = OpConstant %uint 1
        %c2 = OpConstant %uint 2
        %c7 = OpConstant %uint 7
        %in = OpVariable %block StorageBuffer
        %out = OpVariable %block StorageBuffer
        )" +
           functions +
           R"(
        %main = OpFunction %void None %plain
        %entry = OpLabel
        %to = OpAccessChain %word %out %c0
        %from = OpAccessChain %word %in %c0
        %x = OpLoad %uint %from
        )" +
           body +
           R"(
        OpReturn
        OpFunctionEnd)";
}

// The functions behind decideBranches(), as text without names of ids; the module is valid before and behind it.
std::string decided(const std::string& text)
{
    auto words = assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text() << text;
    auto module = read(*words);
    EXPECT_TRUE(module);
    decideBranches(*module, 0);
    removeUnused(*module);
    const Words out = write(*module);
    auto result = disassemble(out);
    EXPECT_TRUE(result);
    const Status valid = validate(out);
    EXPECT_TRUE(valid) << valid.error().text() << *result;
    return result->substr(result->find("OpFunction %void"));
}

size_t count(const std::string& text, const std::string& what)
{
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

TEST(DecideBranches, ConstantCondition_OtherSideGoes)
{
    const std::string text = decided(textOf(R"(
        %sum = OpIAdd %uint %c1 %c1
        %is = OpIEqual %bool %sum %c2
        OpSelectionMerge %m None
        OpBranchConditional %is %a %b
        %a = OpLabel
        OpStore %to %c1
        OpBranch %m
        %b = OpLabel
        OpStore %to %c7
        OpBranch %m
        %m = OpLabel)"));
    EXPECT_EQ(count(text, "OpLabel"), 1u) << text;
    EXPECT_NE(text.find("OpStore"), std::string::npos);
    EXPECT_NE(text.find("%uint_1"), std::string::npos) << text;
    EXPECT_EQ(text.find("%uint_7"), std::string::npos) << text;
    EXPECT_EQ(text.find("OpIAdd"), std::string::npos) << text;
    EXPECT_EQ(text.find("OpLoad"), std::string::npos) << "nobody uses what was read: " << text;
}

TEST(DecideBranches, PhiOfOneExecutedEdge_IsItsValue)
{
    const std::string text = decided(textOf(R"(
        OpSelectionMerge %m None
        OpBranchConditional %no %a %m
        %a = OpLabel
        OpBranch %m
        %m = OpLabel
        %p = OpPhi %uint %c7 %a %x %entry
        OpStore %to %p)"));
    EXPECT_EQ(text.find("OpPhi"), std::string::npos) << text;
    EXPECT_EQ(count(text, "OpLabel"), 1u) << text;
    EXPECT_EQ(count(text, "OpLoad"), 1u) << text;
}

TEST(DecideBranches, UnknownCondition_Stays)
{
    const std::string text = decided(textOf(R"(
        %is = OpIEqual %bool %x %c2
        OpSelectionMerge %m None
        OpBranchConditional %is %a %m
        %a = OpLabel
        OpStore %to %c1
        OpBranch %m
        %m = OpLabel)"));
    EXPECT_EQ(count(text, "OpLabel"), 3u) << text;
    EXPECT_EQ(count(text, "OpSelectionMerge"), 1u) << text;
}

// Algebra that needs no constant result: both sides equal, or one of them neutral.
TEST(DecideBranches, ValuesThatAreOthers)
{
    const std::string text = decided(textOf(R"(
        %a = OpIAdd %uint %x %c0
        %b = OpBitwiseOr %uint %a %a
        %d = OpISub %uint %b %x
        %is = OpULessThan %bool %x %c0
        %e = OpSelect %uint %is %c7 %d
        %f = OpIAdd %uint %e %x
        OpStore %to %f)"));
    EXPECT_NE(text.find("OpStore %"), std::string::npos);
    for (const char* gone : {"OpIAdd", "OpBitwiseOr", "OpISub", "OpULessThan", "OpSelect"})
        EXPECT_EQ(text.find(gone), std::string::npos) << gone << text;
}

TEST(DecideBranches, LoopThatNeverRuns_Goes)
{
    const std::string text = decided(textOf(R"(
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %c0 %entry %next %again
        OpLoopMerge %m %again None
        OpBranch %test
        %test = OpLabel
        %more = OpULessThan %bool %i %c0
        OpBranchConditional %more %body %m
        %body = OpLabel
        OpStore %to %i
        OpBranch %again
        %again = OpLabel
        %next = OpIAdd %uint %i %c1
        OpBranch %head
        %m = OpLabel
        OpStore %to %x)"));
    EXPECT_EQ(count(text, "OpLabel"), 1u) << text;
    EXPECT_EQ(text.find("OpLoopMerge"), std::string::npos) << text;
    EXPECT_EQ(count(text, "OpStore"), 1u) << text;
}

// do { } while (false): a loop must have a way back.
TEST(DecideBranches, LoopThatRunsOnce_KeepsItsWayBack)
{
    for (const char* condition : {"%no", "%yes"}) {
        const std::string text = decided(textOf(std::string(R"(
        OpBranch %head
        %head = OpLabel
        OpLoopMerge %m %again None
        OpBranch %body
        %body = OpLabel
        OpStore %to %x
        OpBranch %again
        %again = OpLabel
        OpBranchConditional )") + condition + R"( %head %m
        %m = OpLabel)"));
        EXPECT_EQ(count(text, "OpLoopMerge"), 1u) << text;
        EXPECT_EQ(count(text, "OpStore"), 1u) << text;
    }
}

// A loop that is left from within a choice stays one, whatever becomes of its way back.
TEST(DecideBranches, LoopLeftFromWithin_StaysAndIsWhole)
{
    const std::string text = decided(textOf(R"(
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %c0 %entry %next %again
        OpLoopMerge %m %again None
        OpBranch %body
        %body = OpLabel
        %is = OpIEqual %bool %x %c2
        OpSelectionMerge %rest None
        OpBranchConditional %is %leave %rest
        %leave = OpLabel
        OpStore %to %c1
        OpBranch %m
        %rest = OpLabel
        OpStore %to %i
        OpSelectionMerge %never None
        OpBranchConditional %no %never %leave2
        %leave2 = OpLabel
        OpBranch %m
        %never = OpLabel
        OpBranch %again
        %again = OpLabel
        %next = OpIAdd %uint %i %c1
        OpBranch %head
        %m = OpLabel)"));
    EXPECT_EQ(count(text, "OpLoopMerge"), 1u) << text;
    EXPECT_EQ(count(text, "OpStore"), 2u) << text;
    EXPECT_EQ(text.find("OpIAdd"), std::string::npos) << text;
}

// A branch that leaves a construct within another is allowed by the construct's merge instruction alone.
TEST(DecideBranches, ChoiceThatIsLeftByAChoice_Stays)
{
    const std::string text = decided(textOf(R"(
        OpSelectionMerge %m None
        OpSwitch %c1 %other 1 %one
        %one = OpLabel
        %is = OpIEqual %bool %x %c2
        OpSelectionMerge %rest None
        OpBranchConditional %is %leave %rest
        %leave = OpLabel
        OpBranch %m
        %rest = OpLabel
        OpStore %to %c1
        OpBranch %m
        %other = OpLabel
        OpStore %to %c7
        OpBranch %m
        %m = OpLabel)"));
    EXPECT_EQ(count(text, "OpSwitch"), 1u) << text;
}

TEST(DecideBranches, Switch_KnownCase)
{
    const std::string text = decided(textOf(R"(
        OpSelectionMerge %m None
        OpSwitch %c2 %other 1 %one 2 %two
        %one = OpLabel
        OpStore %to %c1
        OpBranch %m
        %two = OpLabel
        OpStore %to %c2
        OpBranch %m
        %other = OpLabel
        OpStore %to %c7
        OpBranch %m
        %m = OpLabel)"));
    EXPECT_EQ(count(text, "OpStore"), 1u) << text;
    EXPECT_NE(text.find("%uint_2"), std::string::npos) << text;
}

TEST(DecideBranches, CallsOfConstantAndOfEmptyFunctions_Go)
{
    const std::string functions = R"(
        %seven = OpFunction %uint None %number
        %s0 = OpLabel
        OpSelectionMerge %s2 None
        OpBranchConditional %yes %s1 %s2
        %s1 = OpLabel
        OpReturnValue %c7
        %s2 = OpLabel
        OpReturnValue %c1
        OpFunctionEnd
        %nothing = OpFunction %void None %plain
        %n0 = OpLabel
        OpReturn
        OpFunctionEnd)";
    const std::string text = decided(textOf(R"(
        %v = OpFunctionCall %uint %seven
        %n = OpFunctionCall %void %nothing
        OpStore %to %v)",
                                            functions));
    EXPECT_EQ(text.find("OpFunctionCall"), std::string::npos) << text;
    EXPECT_EQ(count(text, "OpFunction "), 1u) << text;
    EXPECT_NE(text.find("%uint_7"), std::string::npos) << text;
}

TEST(DecideBranches, VolatileLoadsAndCallsWithEffects_Stay)
{
    const std::string functions = R"(
        %store = OpFunction %uint None %number
        %s0 = OpLabel
        %there = OpAccessChain %word %out %c0
        OpStore %there %c7
        OpReturnValue %c1
        OpFunctionEnd)";
    const std::string text = decided(textOf(R"(
        %again = OpLoad %uint %from Volatile
        %v = OpFunctionCall %uint %store
        OpStore %to %v)",
                                            functions));
    EXPECT_EQ(count(text, "OpFunctionCall"), 1u) << text;
    EXPECT_EQ(count(text, "Volatile"), 1u) << text;
}

// Functions in front of the first one named stay as they are.
TEST(DecideBranches, OthersFunctions_AreNotTouched)
{
    auto words = assemble(textOf("%a = OpIAdd %uint %c1 %c1\nOpStore %to %a"));
    ASSERT_TRUE(words) << words.error().text();
    auto module = read(*words);
    ASSERT_TRUE(module);
    decideBranches(*module, 1);
    EXPECT_EQ(write(*module), *words);
}

}  // namespace

}  // namespace millrace::spirv
