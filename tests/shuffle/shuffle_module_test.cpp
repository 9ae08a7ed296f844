// SPDX-License-Identifier: Apache-2.0
#include "shuffle/shuffle_module.h"

#include <gtest/gtest.h>

#include "spirv/tools.h"

namespace millrace::shuffle {

namespace {

// Reads the three built-ins and adds to a buffer.
std::string shader(const std::string& model)
{
    return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
           "OpEntryPoint " +
           model +
           " %main \"main\" %count %group %position %buffer\n"
           "OpExecutionMode %main " +
           (model == "GLCompute" ? "LocalSize 4 1 1" : "OriginUpperLeft") +
           "\n"
           "OpDecorate %count BuiltIn NumWorkgroups\nOpDecorate %group BuiltIn WorkgroupId\n"
           "OpDecorate %position BuiltIn GlobalInvocationId\n"
           "OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n"
           "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n"
           "%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%triple = OpTypeVector %uint 3\n%Block = OpTypeStruct %uint\n"
           "%in = OpTypePointer Input %triple\n%in_uint = OpTypePointer Input %uint\n"
           "%to_block = OpTypePointer StorageBuffer %Block\n%to_uint = OpTypePointer StorageBuffer %uint\n"
           "%type = OpTypeFunction %void\n%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n"
           "%count = OpVariable %in Input\n%group = OpVariable %in Input\n%position = OpVariable %in Input\n"
           "%buffer = OpVariable %to_block StorageBuffer\n"
           "%main = OpFunction %void None %type\n%label = OpLabel\n"
           "%count_x = OpAccessChain %in_uint %count %u0\n%x = OpLoad %uint %count_x\n"
           "%group_all = OpLoad %triple %group\n%position_all = OpLoad %triple %position\n"
           "%where = OpAccessChain %to_uint %buffer %u0\n%old = OpAtomicIAdd %uint %where %u1 %u0 %x\n"
           "OpReturn\nOpFunctionEnd\n";
}

std::string shuffledText(uint32_t seed, Dispatch dispatch)
{
    const auto words = spirv::assemble(shader("GLCompute"));
    EXPECT_TRUE(words) << words.error().text();
    const auto shuffled = shuffleModule(*words, seed, dispatch);
    const Status valid = spirv::validate(shuffled);
    EXPECT_TRUE(valid) << valid.error().text();
    return *spirv::disassemble(shuffled);
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST(ShuffleModule, Direct_CodeReadsTheRealNumberOfWorkgroups)
{
    EXPECT_TRUE(contains(shuffledText(0, Dispatch::Direct), "OpAccessChain %_ptr_Input_uint %gl_NumWorkGroups"));
}

TEST(ShuffleModule, Indirect_CodeReadsAnOldNumberOfWorkgroups)
{
    EXPECT_FALSE(contains(shuffledText(0, Dispatch::Indirect), "OpAccessChain %_ptr_Input_uint %gl_NumWorkGroups"));
    EXPECT_TRUE(contains(shuffledText(8, Dispatch::Indirect), "OpConstant %uint 4096"));
}

TEST(ShuffleModule, Seeds_GiveOtherOrders)
{
    EXPECT_NE(shuffledText(1, Dispatch::Direct), shuffledText(2, Dispatch::Direct));
}

TEST(ShuffleModule, AtomicOnABuffer_WaitsInFront)
{
    const std::string text = shuffledText(0, Dispatch::Direct);
    uint32_t calls = 0;  // one at the beginning, one in front of the atomic
    for (size_t at = text.find("OpFunctionCall %void"); at != std::string::npos;
         at = text.find("OpFunctionCall", at + 1))
        ++calls;
    EXPECT_EQ(calls, 2u);
}

TEST(ShuffleModule, NoComputeShader_ComesBackAsItIs)
{
    const auto words = spirv::assemble(shader("Fragment"));
    ASSERT_TRUE(words);
    EXPECT_EQ(shuffleModule(*words, 1, Dispatch::Indirect), *words);
}

}  // namespace

}  // namespace millrace::shuffle
