// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

size_t count(const Module& module, spv::Op op)
{
    size_t n = 0;
    module.forEachInstruction([&](const Instruction& i) { n += i.op == op ? 1 : 0; });
    return n;
}

void expectInlined(std::span<const uint32_t> words)
{
    const auto inlined = inlineAll(words);
    ASSERT_TRUE(inlined) << inlined.error().text();
    const auto module = read(*inlined);
    ASSERT_TRUE(module) << module.error().text();
    EXPECT_EQ(count(*module, spv::Op::OpFunctionCall), 0u);
    EXPECT_EQ(module->functions.size(), 1u);
    EXPECT_TRUE(validate(*inlined)) << validate(*inlined).error().text();
}

TEST(InlineAll, NoModify_NoCalls)
{
    const Words words = assembled(programs()[3].text);
    const auto inlined = inlineAll(words);
    ASSERT_TRUE(inlined);
    EXPECT_EQ(*inlined, words);
}

TEST(InlineAll, NodePrograms_KeepTheirInstructions)
{
    for (const auto& file : nodePrograms()) {
        SCOPED_TRACE(file.string());
        const Words words = assembled(load(file));
        const auto inlined = inlineAll(words);
        ASSERT_TRUE(inlined) << inlined.error().text();
        const Module before = *read(words);
        const Module after = *read(*inlined);
        for (const spv::Op op : {spv::Op::OpAllocateNodePayloadsAMDX, spv::Op::OpEnqueueNodePayloadsAMDX,
                                 spv::Op::OpIsNodePayloadValidAMDX, spv::Op::OpFinishWritingNodePayloadAMDX,
                                 spv::Op::OpStore, spv::Op::OpDecorateId, spv::Op::OpConstantStringAMDX}) {
            EXPECT_EQ(count(after, op), count(before, op)) << opName(op);
        }
    }
}

TEST(InlineAll, PayloadParameters_BecomeValid)
{
    const Words words = assembled(programs()[4].text);
    EXPECT_FALSE(validate(words));
    expectInlined(words);
}

TEST(InlineAll, SwitchesAndLoops)
{
    expectInlined(assembled(programs()[2].text));
}

TEST(InlineAll, ReturnsFromLoops)
{
    expectInlined(shaders::early_returns);
}

TEST(InlineAll, ReturnsFromLoops_DebugInformationStaysValid)
{
    expectInlined(shaders::early_returns_debug);
}

TEST(InlineAll, DeclarationOfAnArgumentThatIsNoVariable_Goes)
{
    std::string source = programs()[4].text;
    const auto insert = [&](std::string_view before, std::string_view line) {
        source.insert(source.find(before), std::string(line) + "\n");
    };
    insert("OpExtension", "OpExtension \"SPV_KHR_non_semantic_info\"");
    insert("OpMemoryModel", "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"");
    insert("%fill = OpFunction", "%none = OpExtInst %void %debug DebugInfoNone");
    insert("%member = ", "%declare = OpExtInst %void %debug DebugDeclare %none %array %none");
    const auto inlined = inlineAll(assembled(source));
    ASSERT_TRUE(inlined) << inlined.error().text();
    EXPECT_NE(text(*inlined).find("OpStore"), std::string::npos);
    EXPECT_EQ(text(*inlined).find("DebugDeclare"), std::string::npos);
}

TEST(InlineAll, Recursion_IsRefused)
{
    const Words words = assembled(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %main = OpFunction %void None %function
      %entry = OpLabel
          %x = OpFunctionCall %void %again
               OpReturn
               OpFunctionEnd
      %again = OpFunction %void None %function
    %begin = OpLabel
          %y = OpFunctionCall %void %again
               OpReturn
               OpFunctionEnd)");
    const auto inlined = inlineAll(words);
    ASSERT_FALSE(inlined);
    EXPECT_NE(inlined.error().text().find("recursion"), std::string::npos);
}

}  // namespace
}  // namespace millrace::spirv::test
