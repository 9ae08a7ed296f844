// SPDX-License-Identifier: Apache-2.0
// Which modules are taken, and what is said of others.
#include <gtest/gtest.h>

#include <string>

#include "advisor/advised.h"
#include "spirv/tools.h"

namespace millrace::advisor::test {
namespace {

// A task and two mesh shaders of which the second has its workgroup's size in a constant, beside a compute shader.
constexpr std::string_view kSeveral = R"(
OpCapability Shader
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %task "task"
OpEntryPoint MeshEXT %first "first" %position %lane
OpEntryPoint MeshEXT %second "second" %position %lane
OpEntryPoint GLCompute %other "other"
OpExecutionMode %task LocalSize 32 1 1
OpExecutionMode %first LocalSize 8 2 1
OpExecutionMode %first OutputVertices 16
OpExecutionMode %first OutputPrimitivesEXT 8
OpExecutionMode %first OutputLinesEXT
OpExecutionModeId %second LocalSizeId %size %u1 %u1
OpExecutionMode %second OutputVertices 16
OpExecutionMode %second OutputPrimitivesEXT 8
OpExecutionMode %second OutputPoints
OpExecutionMode %other LocalSize 1 1 1
OpDecorate %size SpecId 7
OpDecorate %lane BuiltIn LocalInvocationIndex
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn Position
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u16 = OpConstant %uint 16
%size = OpSpecConstant %uint 16
%zero = OpConstantNull %vec4
%block = OpTypeStruct %vec4
%blocks = OpTypeArray %block %u16
%blocks_out = OpTypePointer Output %blocks
%vec4_out = OpTypePointer Output %vec4
%uint_in = OpTypePointer Input %uint
%position = OpVariable %blocks_out Output
%lane = OpVariable %uint_in Input
%task = OpFunction %void None %function
%task_begin = OpLabel
OpEmitMeshTasksEXT %u1 %u1 %u1
OpFunctionEnd
%first = OpFunction %void None %function
%first_begin = OpLabel
OpSetMeshOutputsEXT %u16 %u1
%first_to = OpAccessChain %vec4_out %position %u1 %u0
OpStore %first_to %zero
OpReturn
OpFunctionEnd
%second = OpFunction %void None %function
%second_begin = OpLabel
OpSetMeshOutputsEXT %u16 %u1
%second_lane = OpLoad %uint %lane
%second_to = OpAccessChain %vec4_out %position %second_lane %u0
OpStore %second_to %zero
OpReturn
OpFunctionEnd
%other = OpFunction %void None %function
%other_begin = OpLabel
OpReturn
OpFunctionEnd
)";

spirv::Words assembled(std::string_view text)
{
    const auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    return words ? *words : spirv::Words();
}

std::string errorOf(std::span<const uint32_t> words, const Options& options = {})
{
    const auto shaders = advise(words, options);
    return shaders ? "" : shaders.error().text();
}

TEST(Prepare, SeveralEntryPoints_AreShadersInOrder)
{
    const auto shaders = advise(assembled(kSeveral), {});
    ASSERT_TRUE(shaders) << shaders.error().text();
    ASSERT_EQ(shaders->size(), 3u);
    EXPECT_EQ((*shaders)[0].facts.stage, Stage::Task);
    EXPECT_EQ((*shaders)[1].facts.entryPoint, "first");
    EXPECT_EQ((*shaders)[1].facts.invocations(), 16u);
    EXPECT_EQ((*shaders)[1].facts.verticesPerPrimitive, 2u);
    EXPECT_TRUE((*shaders)[1].facts.outputs[0].isForeign());  // vertex 1, whoever writes it
    EXPECT_EQ((*shaders)[2].facts.verticesPerPrimitive, 1u);
    EXPECT_FALSE((*shaders)[2].facts.outputs[0].isForeign());
}

TEST(Prepare, NamelessMembersWithoutLines_HaveTheirNumber)
{
    const Advice advice = adviceOn(assembled(kSeveral), {"first", {}});
    EXPECT_TRUE(advice.facts.outputs[0].name.ends_with(".0")) << advice.facts.outputs[0].name;
    EXPECT_EQ(advice.facts.outputs[0].foreignStores[0], Place());
    for (const Finding& finding : advice.findings) {
        EXPECT_TRUE(finding.places.empty());
    }
}

TEST(Prepare, OneByName_Specialized)
{
    const Options options{"second", {{7, {48, 0, 0, 0}}}};
    EXPECT_EQ(adviceOn(assembled(kSeveral), options).facts.invocations(), 48u);
}

TEST(Prepare, AlwaysTheSameLaunch_IsTold)
{
    const Advice advice = adviceOn(assembled(kSeveral), {"task", {}});
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_EQ(advice.findings[0].topic, "constant-launch");
}

TEST(Prepare, OtherShaders_AreRefusedByName)
{
    EXPECT_NE(errorOf(assembled(kSeveral), {"other", {}}).find("named \"other\""), std::string::npos);
    EXPECT_NE(errorOf(assembled(kSeveral), {"nobody", {}}).find("named \"nobody\""), std::string::npos);
    EXPECT_NE(errorOf(shaders::own_lane_frag).find("no mesh or task shader"), std::string::npos);
}

TEST(Prepare, WhatIsNotValid_IsRefusedBeforeItIsLookedAt)
{
    EXPECT_NE(errorOf({}), "");
    std::string broken(kSeveral);
    broken.replace(broken.find("OpStore %second_to %zero"), 24, "OpStore %second_to %u1  ");
    EXPECT_NE(errorOf(assembled(broken)), "");
}

TEST(Prepare, NoWorkgroupHasThisSize)
{
    EXPECT_NE(errorOf(assembled(kSeveral), {"second", {{7, {0, 16, 0, 0}}}}).find("workgroups of this size"),
              std::string::npos);
}

// Words that were changed anywhere are refused or advised on, and never more than that.
TEST(Prepare, ChangedWords_DoNoHarm)
{
    const spirv::Words original = assembled(kSeveral);
    for (size_t w = 5; w < original.size(); w++) {
        for (const uint32_t change : {1u, 0x10000u, 0xffffu}) {
            spirv::Words words = original;
            words[w] ^= change;
            (void)advise(words, {});
        }
    }
}

}  // namespace
}  // namespace millrace::advisor::test
