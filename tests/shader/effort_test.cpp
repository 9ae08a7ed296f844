// SPDX-License-Identifier: Apache-2.0
#include "shader/effort.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::shader {

namespace {

// Of %main, whose body this is.
std::optional<uint64_t> estimated(const std::string& body, const std::string& functions = "")
{
    const auto words = spirv::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %in
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %in BuiltIn LocalInvocationIndex
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %bool = OpTypeBool
        %true = OpConstantTrue %bool
        %uint = OpTypeInt 32 0
        %fn_uint = OpTypePointer Function %uint
        %in_uint = OpTypePointer Input %uint
        %in = OpVariable %in_uint Input
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u10 = OpConstant %uint 10
        %u1000000 = OpConstant %uint 1000000
        %main = OpFunction %void None %func
        %entry = OpLabel
        )" + body + "\nOpReturn\nOpFunctionEnd\n" +
                                       functions);
    EXPECT_TRUE(words) << words.error().text();
    const auto module = words ? spirv::read(*words) : Result<spirv::Module>(Diagnostic{});
    EXPECT_TRUE(module);
    return module ? estimateInstructions(*module, module->functions.front().id()) : std::nullopt;
}

// for (i = 0; i < bound; ++i) inside; seven instructions around it in each round.
std::string loop(const std::string& name, const std::string& bound, const std::string& inside)
{
    const auto id = [&](const char* what) { return "%" + name + "_" + what; };
    return "OpStore %" + name + " %u0\nOpBranch " + id("header") + "\n" + id("header") + " = OpLabel\nOpLoopMerge " +
           id("after") + " " + id("next") + " None\nOpBranch " + id("check") + "\n" + id("check") + " = OpLabel\n" +
           id("now") + " = OpLoad %uint %" + name + "\n" + id("more") + " = OpULessThan %bool " + id("now") + " " +
           bound + "\nOpBranchConditional " + id("more") + " " + id("body") + " " + id("after") + "\n" + id("body") +
           " = OpLabel\n" + inside + "OpBranch " + id("next") + "\n" + id("next") + " = OpLabel\n" + id("one") +
           " = OpIAdd %uint " + id("now") + " %u1\nOpStore %" + name + " " + id("one") + "\nOpBranch " + id("header") +
           "\n" + id("after") + " = OpLabel\n";
}

constexpr const char* kVariables = "%i = OpVariable %fn_uint Function\n%j = OpVariable %fn_uint Function\n";
constexpr uint64_t kAround = 9, kBefore = 5;  // of a loop: in each round; before and behind, variables included

}  // namespace

TEST(Effort, StraightCode)
{
    EXPECT_EQ(estimated(""), 1u);
    EXPECT_EQ(estimated("%a = OpLoad %uint %in\n%b = OpIAdd %uint %a %a"), 3u);
}

TEST(Effort, Loops_RunAsOftenAsAConstantSays)
{
    const std::string work = "%a = OpIAdd %uint %i_now %u1\n";
    EXPECT_EQ(estimated(kVariables + loop("i", "%u10", "")), kBefore + 10 * kAround);
    EXPECT_EQ(estimated(kVariables + loop("i", "%u10", work)), kBefore + 10 * (kAround + 1));
    EXPECT_EQ(estimated(kVariables + loop("i", "%u10", loop("j", "%u10", ""))),
              kBefore + 10 * (kAround + 2 + 10 * kAround));
}

TEST(Effort, LoopsOfUnknownLength_AreUnknown)
{
    EXPECT_EQ(estimated(std::string(kVariables) + "%bound = OpLoad %uint %in\n" + loop("i", "%bound", "")),
              std::nullopt);
    std::string endless = kVariables + loop("i", "%u10", "");
    const std::string counts = "OpStore %i %i_one\n";
    endless.replace(endless.find(counts), counts.size(), "OpStore %i %u0\n");
    EXPECT_EQ(estimated(endless), std::nullopt) << "it counts nothing";
}

TEST(Effort, Functions_CountAtEachCall)
{
    const std::string function =
        "%other = OpFunction %void None %func\n%start = OpLabel\n%a = OpLoad %uint %in\nOpReturn\nOpFunctionEnd\n";
    EXPECT_EQ(estimated("%x = OpFunctionCall %void %other\n%y = OpFunctionCall %void %other", function), 2u * 2 + 1);
}

TEST(Effort, HugeLoops_DoNotOverflow)
{
    const auto most = estimated(kVariables + loop("i", "%u1000000", loop("j", "%u1000000", "")));
    ASSERT_TRUE(most);
    EXPECT_EQ(*most, UINT32_MAX);
}

}  // namespace millrace::shader
