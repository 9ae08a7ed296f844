// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/inlined_size.h"
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

// A chain of functions, each of which calls the next one twice: the last is called 2^length times.
Words doubling(uint32_t length)
{
    const auto name = [](uint32_t i) { return "%f" + std::to_string(i); };
    std::string text = R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "busy" %out
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %Out = OpTypeStruct %uint
        %sb_Out = OpTypePointer StorageBuffer %Out
        %sb_uint = OpTypePointer StorageBuffer %uint
        %out = OpVariable %sb_Out StorageBuffer
        %main = OpFunction %void None %func
        %entry = OpLabel
        %called = OpFunctionCall %void %f0
        OpReturn
        OpFunctionEnd
    )";
    for (uint32_t i = 0; i < length; ++i) {
        const std::string number = std::to_string(i), callee = name(i + 1);
        text += name(i) + " = OpFunction %void None %func\n%l" + number + " = OpLabel\n%a" + number +
                " = OpFunctionCall %void " + callee + "\n%b" + number + " = OpFunctionCall %void " + callee +
                "\nOpReturn\nOpFunctionEnd\n";
    }
    text += name(length) + R"( = OpFunction %void None %func
        %last = OpLabel
        %at = OpAccessChain %sb_uint %out %zero
        OpStore %at %zero
        OpReturn
        OpFunctionEnd
    )";
    return assembled(text);
}

// What cannot be had is refused before anybody tries: no length takes longer than the longest that is done.
TEST(InlineAll, CallsThatDouble_AreCountedBefore)
{
    uint64_t before = 0;
    for (const uint32_t length : {0u, 4u, 8u, 9u, 10u}) {
        const Words words = doubling(length);
        const Module module = *read(words);
        const uint64_t size = inlinedSize(module, module.section(Section::EntryPoints)[0].id(1));
        EXPECT_GT(size, before);
        before = size;
        const auto inlined = inlineAll(words);
        ASSERT_TRUE(inlined) << inlined.error().text();
        const Module after = *read(*inlined);
        EXPECT_EQ(count(after, spv::Op::OpStore), size_t{1} << length);
        size_t instructions = 0;
        for (const Block& block : after.functions[0].blocks)
            instructions += block.body.size() + 1;
        EXPECT_LE(instructions, size);
        EXPECT_GE(instructions, size / 4);
    }
    for (const uint32_t length : {16u, 40u, 64u, 1000u}) {
        const auto refused = inlineAll(doubling(length));
        ASSERT_FALSE(refused) << length;
        EXPECT_NE(refused.error().text().find("'busy'"), std::string::npos) << refused.error().text();
        EXPECT_NE(refused.error().text().find("instructions, more than 65536"), std::string::npos);
    }
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
                                 spv::Op::OpStore, spv::Op::OpDecorateId, spv::Op::OpConstantStringAMDX})
            EXPECT_EQ(count(after, op), count(before, op)) << opName(op);
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
