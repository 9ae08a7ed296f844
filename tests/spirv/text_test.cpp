// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

TEST(Assemble, NumericIds_AreKept)
{
    const Words words = assembled("%7 = OpTypeVoid\n%3 = OpTypeFunction %7");
    const auto module = read(words);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->section(Section::Globals)[0].result.value, 7u);
    EXPECT_EQ(module->bound, 8u);
}

TEST(Assemble, BadText_SaysWhere)
{
    const auto words = assemble("%1 = OpTypeVoid\n%2 = OpTypeNonsense\n");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().component, "spirv");
    EXPECT_NE(words.error().where.find("line 2"), std::string::npos) << words.error().text();
    EXPECT_NE(words.error().message.find("OpTypeNonsense"), std::string::npos) << words.error().text();
}

TEST(Disassemble, RoundTrip)
{
    for (const Program& program : programs()) {
        const std::string once = text(assembled(program.text));
        EXPECT_EQ(text(assembled(once)), once);
        EXPECT_EQ(once.find("; SPIR-V"), std::string::npos);
    }
    EXPECT_FALSE(disassemble(Words{1, 2, 3, 4, 5, 6}));
}

TEST(Validate, NamesTheReason)
{
    const Words good = assembled(compute("", ""));
    EXPECT_TRUE(validate(good)) << validate(good).error().text();
    const Words bad = assembled(compute("", "%x = OpIAdd %uint %bool %bool"));
    const Status status = validate(bad);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("OpIAdd"), std::string::npos) << status.error().text();
    EXPECT_FALSE(validate(Words{}));
}

TEST(Validate, ScalarLayoutAndLocalSizeId_AreAllowed)
{
    const Words words = assembled(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %buffer
               OpExecutionModeId %main LocalSizeId %u4 %u4 %u4
               OpDecorate %Block Block
               OpMemberDecorate %Block 0 Offset 0
               OpMemberDecorate %Block 1 Offset 4
               OpDecorate %buffer DescriptorSet 0
               OpDecorate %buffer Binding 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %uvec3 = OpTypeVector %uint 3
         %u4 = OpConstant %uint 4
      %Block = OpTypeStruct %uint %uvec3
    %pointer = OpTypePointer StorageBuffer %Block
     %buffer = OpVariable %pointer StorageBuffer
       %main = OpFunction %void None %function
      %entry = OpLabel
               OpReturn
               OpFunctionEnd)");
    EXPECT_TRUE(validate(words)) << validate(words).error().text();
}

}  // namespace
}  // namespace millrace::spirv::test
