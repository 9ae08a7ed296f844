// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

// Calls test_add(address from push constants, test_kind(its index)).
std::string host(const std::string& addType = "%void %ulong %uint")
{
    return R"(
               OpCapability Shader
               OpCapability Int64
               OpCapability Linkage
               OpCapability PhysicalStorageBufferAddresses
               OpMemoryModel PhysicalStorageBuffer64 GLSL450
               OpEntryPoint GLCompute %main "main" %index %push
               OpExecutionMode %main LocalSize 8 1 1
               OpName %main "the_entry_point"
               OpDecorate %add LinkageAttributes "test_add" Import
               OpDecorate %kind LinkageAttributes "test_kind" Import
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %Push Block
               OpMemberDecorate %Push 0 Offset 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
    %addType = OpTypeFunction )" +
           addType + R"(
   %kindType = OpTypeFunction %uint %uint
         %u0 = OpConstant %uint 0
   %ptrInput = OpTypePointer Input %uint
      %index = OpVariable %ptrInput Input
       %Push = OpTypeStruct %ulong
    %ptrPush = OpTypePointer PushConstant %Push
       %push = OpVariable %ptrPush PushConstant
   %ptrUlong = OpTypePointer PushConstant %ulong
        %add = OpFunction %void None %addType
          %a = OpFunctionParameter %ulong
          %v = OpFunctionParameter %uint
               OpFunctionEnd
       %kind = OpFunction %uint None %kindType
          %k = OpFunctionParameter %uint
               OpFunctionEnd
       %main = OpFunction %void None %function
      %entry = OpLabel
          %i = OpLoad %uint %index
     %member = OpAccessChain %ptrUlong %push %u0
    %address = OpLoad %ulong %member
      %value = OpFunctionCall %uint %kind %i
    %nothing = OpFunctionCall %void %add %address %value
               OpReturn
               OpFunctionEnd
)";
}

Result<Words> linked(std::span<const uint32_t> first)
{
    const std::span<const uint32_t> modules[] = {first, shaders::link_library};
    return link(modules);
}

TEST(Link, GlslFunctions_AreResolved)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    const auto module = read(*words);
    ASSERT_TRUE(module);
    EXPECT_FALSE(module->hasCapability(spv::Capability::Linkage));
    for (const Function& function : module->functions) {
        EXPECT_FALSE(function.blocks.empty());
    }
    EXPECT_NE(text(*words).find("the_entry_point"), std::string::npos);
}

TEST(Link, FunctionsThatNobodyImports_AreLeftOut)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ(read(*words)->functions.size(), 3u);
    EXPECT_EQ(text(*words).find("test_unused"), std::string::npos);
}

TEST(Link, BuiltinInputs_AreMerged)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    const auto module = read(*words);
    const auto isIndex = [](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.literal(1) == uint32_t(spv::Decoration::BuiltIn) &&
               i.literal(2) == uint32_t(spv::BuiltIn::LocalInvocationIndex);
    };
    EXPECT_EQ(std::ranges::count_if(module->section(Section::Annotations), isIndex), 1);
    // index, push, shared memory and the private variable, each once
    EXPECT_EQ(module->section(Section::EntryPoints)[0].operandCount(), 3u + 4u);
}

TEST(Link, ThenSpecializeAndCleanUp_LeavesOneKind)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    const SpecializationValue two{7, {2, 0, 0, 0}};
    const auto special = specialize(*words, {&two, 1});
    ASSERT_TRUE(special);
    const auto clean = cleanUp(*special);
    ASSERT_TRUE(clean) << clean.error().text();
    EXPECT_TRUE(validate(*clean)) << validate(*clean).error().text();
    const std::string out = text(*clean);
    EXPECT_NE(out.find("54321"), std::string::npos);
    EXPECT_EQ(out.find("12345"), std::string::npos);
    EXPECT_EQ(out.find("999"), std::string::npos);  // of the function that nobody calls
}

TEST(Link, MissingFunction_IsNamed)
{
    std::string text = host();
    text.replace(text.find("\"test_kind\""), 11, "\"test_other\"");
    const auto words = linked(assembled(text));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("test_other"), std::string::npos) << words.error().text();
}

TEST(Link, DifferentTypes_AreRefused)
{
    std::string text = host("%void %ulong %ulong");
    text.replace(text.find("%v = OpFunctionParameter %uint"), 30, "%v = OpFunctionParameter %ulong");
    text.replace(text.find("%add %address %value"), 20, "%add %address %address");
    const auto words = linked(assembled(text));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("test_add"), std::string::npos) << words.error().text();
}

TEST(Link, NothingAndNonsense_AreRefused)
{
    EXPECT_FALSE(link({}));
    EXPECT_FALSE(linked(Words{1, 2, 3}));
}

}  // namespace
}  // namespace millrace::spirv::test
