// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

const std::string kSet = "OpSetMeshOutputsEXT %uint_1 %uint_1\n";
const std::string kNone = "OpSetMeshOutputsEXT %uint_0 %uint_0\n";

// A mesh shader: the body of "main" and functions behind it. %x is a number of the workgroup, %lane of the invocation;
// %isFirst and %isLane compare them with zero.
std::string textOf(const std::string& body, const std::string& functions = {})
{
    return R"(
        OpCapability MeshShadingEXT
        OpExtension "SPV_EXT_mesh_shader"
        OpMemoryModel Logical GLSL450
        OpEntryPoint MeshEXT %main "main" %group %index
        OpExecutionMode %main LocalSize 8 1 1
        OpExecutionMode %main OutputVertices 4
        OpExecutionMode %main OutputPrimitivesEXT 4
        OpExecutionMode %main OutputPoints
        OpDecorate %group BuiltIn WorkgroupId
        OpDecorate %index BuiltIn LocalInvocationIndex
        %void = OpTypeVoid
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %uvec3 = OpTypeVector %uint 3
        %vectors = OpTypePointer Input %uvec3
        %numbers = OpTypePointer Input %uint
        %plain = OpTypeFunction %void
        %uint_0 = OpConstant %uint 0
        %uint_1 = OpConstant %uint 1
        %group = OpVariable %vectors Input
        %index = OpVariable %numbers Input
        %main = OpFunction %void None %plain
        %entry = OpLabel
        %groups = OpLoad %uvec3 %group
        %x = OpCompositeExtract %uint %groups 0
        %lane = OpLoad %uint %index
        %isFirst = OpIEqual %bool %x %uint_0
        %isLane = OpIEqual %bool %lane %uint_0
        )" +
           body + R"(
        OpReturn
        OpFunctionEnd
        )" +
           functions;
}

struct Result {
    std::string before;
    std::string after;
};

// The functions, as text with the names above; the module is valid before and behind the pass.
Result setIn(const std::string& text)
{
    auto words = assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text() << text;
    auto module = read(*words);
    EXPECT_TRUE(module);
    const auto textOfModule = [&] {
        const Words out = write(*module);
        const Status valid = validate(out);
        const auto text = disassemble(out);
        EXPECT_TRUE(valid) << valid.error().text() << *text;
        return text->substr(text->find("OpFunction %void"));
    };
    Result result{.before = textOfModule(), .after = {}};
    setForgottenOutputs(*module);
    result.after = textOfModule();
    return result;
}

size_t count(const std::string& text, const std::string& what)
{
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

void expectUnchanged(const std::string& text)
{
    const Result result = setIn(text);
    EXPECT_EQ(result.before, result.after);
}

}  // namespace

TEST(ForgottenOutputs, ReturnInFront_GivesNothingOut)
{
    const Result result = setIn(textOf(R"(
        OpSelectionMerge %stays None
        OpBranchConditional %isFirst %leaves %stays
        %leaves = OpLabel
        OpReturn
        %stays = OpLabel
        )" + kSet));
    EXPECT_EQ(count(result.after, kNone), 1u) << result.after;
    const size_t none = result.after.find(kNone);
    EXPECT_LT(none, result.after.find("OpReturn")) << result.after;
    EXPECT_LT(none, result.after.find(kSet)) << result.after;
}

// The way past the branch has a block of its own then, which the number that both ways bring knows.
TEST(ForgottenOutputs, BranchThatOthersPass_HasOneForThem)
{
    const Result result = setIn(textOf(R"(
        OpSelectionMerge %both None
        OpBranchConditional %isFirst %some %both
        %some = OpLabel
        )" + kSet + R"(
        OpBranch %both
        %both = OpLabel
        %which = OpPhi %uint %uint_0 %entry %uint_1 %some
        )"));
    EXPECT_EQ(count(result.after, kNone), 1u) << result.after;
    EXPECT_EQ(count(result.after, "OpLabel"), count(result.before, "OpLabel") + 1) << result.after;
}

TEST(ForgottenOutputs, CasesOfASwitch_HaveOneEach)
{
    const Result result = setIn(textOf(R"(
        OpSelectionMerge %all None
        OpSwitch %x %all 1 %one 2 %two 3 %all
        %one = OpLabel
        )" + kSet + R"(
        OpBranch %all
        %two = OpLabel
        OpBranch %all
        %all = OpLabel
        )"));
    EXPECT_EQ(count(result.after, kNone), 2u) << result.after;
}

TEST(ForgottenOutputs, CaseThatAnotherFallsInto_Stays)
{
    const Result result = setIn(textOf(R"(
        OpSelectionMerge %all None
        OpSwitch %x %all 1 %one 2 %two
        %one = OpLabel
        )" + kSet + R"(
        OpBranch %two
        %two = OpLabel
        OpBranch %all
        %all = OpLabel
        )"));
    EXPECT_EQ(count(result.after, kNone), 1u) << result.after;
}

TEST(ForgottenOutputs, NeverSet_GivesNothingOut)
{
    const Result result = setIn(textOf(R"(
        OpSelectionMerge %both None
        OpBranchConditional %isFirst %some %both
        %some = OpLabel
        OpBranch %both
        %both = OpLabel
        )"));
    EXPECT_EQ(count(result.after, kNone), 1u) << result.after;
    EXPECT_LT(result.after.find(kNone), result.after.find("OpSelectionMerge")) << result.after;
}

TEST(ForgottenOutputs, SetOnEveryWay_Stays)
{
    expectUnchanged(textOf(kSet));
    expectUnchanged(textOf(R"(
        OpSelectionMerge %both None
        OpBranchConditional %isFirst %some %others
        %some = OpLabel
        )" + kSet + R"(
        OpBranch %both
        %others = OpLabel
        )" + kSet + R"(
        OpBranch %both
        %both = OpLabel
        )"));
}

// SPIR-V forbids it, drivers take it: one invocation sets the counts for all.
TEST(ForgottenOutputs, WhatOneInvocationSets_Stays)
{
    expectUnchanged(textOf(R"(
        OpSelectionMerge %both None
        OpBranchConditional %isLane %some %both
        %some = OpLabel
        )" + kSet + R"(
        OpBranch %both
        %both = OpLabel
        )"));
}

TEST(ForgottenOutputs, SetInAnotherFunction_Stays)
{
    expectUnchanged(textOf(R"(
        OpSelectionMerge %both None
        OpBranchConditional %isFirst %some %both
        %some = OpLabel
        %done = OpFunctionCall %void %sets
        OpBranch %both
        %both = OpLabel
        )",
                           R"(
        %sets = OpFunction %void None %plain
        %only = OpLabel
        )" + kSet + R"(
        OpReturn
        OpFunctionEnd
        )"));
}

// A block on such a way would have to be a selection's.
TEST(ForgottenOutputs, WaysOutOfLoops_Stay)
{
    for (const std::string head : {"%isIn = OpULessThan %bool %i %x\n OpLoopMerge %out %again None\n"
                                   "OpBranchConditional %isIn %body %out\n",
                                   "OpLoopMerge %out %again None\n OpBranch %body\n"}) {
        for (const std::string end :
             {"OpBranch %loop", "%isLong = OpULessThan %bool %more %x\n OpBranchConditional %isLong %loop %out"}) {
            expectUnchanged(textOf("OpBranch %loop\n %loop = OpLabel\n %i = OpPhi %uint %uint_0 %entry %more %again\n" +
                                   head + R"(
                %body = OpLabel
                %isEnd = OpIEqual %bool %i %uint_1
                OpSelectionMerge %goes None
                OpBranchConditional %isEnd %ends %goes
                %ends = OpLabel
                )" + kSet + R"(
                OpBranch %out
                %goes = OpLabel
                OpBranch %again
                %again = OpLabel
                %more = OpIAdd %uint %i %uint_1
                )" + end + R"(
                %out = OpLabel
                )"));
        }
    }
}

}  // namespace millrace::spirv
