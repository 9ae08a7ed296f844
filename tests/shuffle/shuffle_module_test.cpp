// SPDX-License-Identifier: Apache-2.0
#include "shuffle/shuffle_module.h"

#include <gtest/gtest.h>

#include "shuffle/dispatch_order.h"
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

// Stores to one word of a buffer, and then does `behind`, which may use two others.
std::string storing(const std::string& behind)
{
    const auto words = spirv::assemble(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %buffer\n"
        "OpExecutionMode %main LocalSize 4 1 1\nOpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n"
        "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\nOpMemberDecorate %Block 1 Offset 4\n"
        "%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%Block = OpTypeStruct %uint %uint\n"
        "%to_block = OpTypePointer StorageBuffer %Block\n%to_uint = OpTypePointer StorageBuffer %uint\n"
        "%type = OpTypeFunction %void\n%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n"
        "%u42 = OpConstant %uint 42\n%release = OpConstant %uint 68\n%buffer = OpVariable %to_block StorageBuffer\n"
        "%main = OpFunction %void None %type\n%label = OpLabel\n%first = OpAccessChain %to_uint %buffer %u0\n"
        "%second = OpAccessChain %to_uint %buffer %u1\nOpStore %first %u42\n" +
        behind + "\nOpReturn\nOpFunctionEnd\n");
    EXPECT_TRUE(words) << words.error().text();
    const auto shuffled = shuffleModule(*words, 0, Dispatch::Direct);
    const Status valid = spirv::validate(shuffled);
    EXPECT_TRUE(valid) << valid.error().text();
    return *spirv::disassemble(shuffled);
}

bool isStoredBehind(const std::string& text, const std::string& what)
{
    const size_t store = text.find("%uint_42\n", text.find("OpStore"));
    return text.rfind("OpStore", store) > text.find(what);
}

TEST(ShuffleModule, AtomicThatDoesNotRelease_ComesBeforeTheStoreInFrontOfIt)
{
    EXPECT_TRUE(isStoredBehind(storing("%old = OpAtomicIAdd %uint %second %u1 %u0 %u1"), "OpAtomicIAdd %uint"));
}

TEST(ShuffleModule, WhatOrdersTheStore_StaysBehindIt)
{
    for (const char* behind : {"%old = OpAtomicExchange %uint %second %u1 %release %u1",  // releases
                               "%old = OpAtomicExchange %uint %first %u1 %u0 %u1",        // is at the same place
                               "OpMemoryBarrier %u1 %release\n%old = OpAtomicExchange %uint %second %u1 %u0 %u1"})
        EXPECT_FALSE(isStoredBehind(storing(behind), "OpAtomicExchange")) << behind;
    EXPECT_FALSE(isStoredBehind(storing("%read = OpLoad %uint %first\nOpStore %second %read"), "OpLoad %uint %first"));
}

// Loads a number and a vector by address, the one from a member with `decoration`, and does `behind`.
std::string loading(const std::string& decoration, const std::string& behind, const std::string& model = "GLSL450")
{
    const auto words = spirv::assemble(
        "OpCapability Shader\nOpCapability PhysicalStorageBufferAddresses\n" +
        std::string(model == "Vulkan" ? "OpCapability VulkanMemoryModel\n" : "") +
        "OpMemoryModel PhysicalStorageBuffer64 " + model +
        "\nOpEntryPoint GLCompute %main \"main\" %push\nOpExecutionMode %main LocalSize 4 1 1\n"
        "OpDecorate %Push Block\nOpMemberDecorate %Push 0 Offset 0\nOpDecorate %Data Block\n"
        "OpMemberDecorate %Data 0 Offset 0\nOpMemberDecorate %Data 1 Offset 16\n" +
        decoration +
        "\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n%v2uint = OpTypeVector %uint 2\n"
        "%v4float = OpTypeVector %float 4\n%Push = OpTypeStruct %v2uint\n%Data = OpTypeStruct %uint %v4float\n"
        "%to_push = OpTypePointer PushConstant %Push\n%to_pair = OpTypePointer PushConstant %v2uint\n"
        "%to_data = OpTypePointer PhysicalStorageBuffer %Data\n%to_uint = OpTypePointer PhysicalStorageBuffer %uint\n"
        "%to_vector = OpTypePointer PhysicalStorageBuffer %v4float\n%type = OpTypeFunction %void\n"
        "%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n%release = OpConstant %uint 68\n"
        "%both = OpConstant %uint 72\n%push = OpVariable %to_push PushConstant\n"
        "%main = OpFunction %void None %type\n%label = OpLabel\n%where = OpAccessChain %to_pair %push %u0\n"
        "%address = OpLoad %v2uint %where\n%data = OpBitcast %to_data %address\n"
        "%number = OpAccessChain %to_uint %data %u0\n%vector = OpAccessChain %to_vector %data %u1\n"
        "%a = OpLoad %uint %number Aligned 4\n%b = OpLoad %v4float %vector Aligned 16\n" +
        behind + "\nOpReturn\nOpFunctionEnd\n");
    EXPECT_TRUE(words) << words.error().text();
    const auto shuffled = shuffleModule(*words, 64, Dispatch::Direct);
    const Status valid = spirv::validate(shuffled);
    EXPECT_TRUE(valid) << valid.error().text();
    return *spirv::disassemble(shuffled);
}

uint32_t countOf(const std::string& text, const std::string& part)
{
    uint32_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

// One call is that at the beginning, which waits.
uint32_t callsIn(const std::string& text)
{
    return countOf(text, "OpFunctionCall %void") - 1;
}

TEST(OldLoads, EachWordOfALoad_GoesThroughTheCache)
{
    EXPECT_EQ(callsIn(loading("", "")), 5u);
    EXPECT_EQ(callsIn(shuffledText(64, Dispatch::Direct)), 1u) << "that in front of the atomic: nothing is by address";
}

TEST(OldLoads, WhatIsCoherentOrVolatile_IsLoadedAnew)
{
    EXPECT_EQ(callsIn(loading("OpMemberDecorate %Data 1 Coherent", "")), 1u);
    EXPECT_EQ(callsIn(loading("OpMemberDecorate %Data 0 Volatile", "")), 4u);
    EXPECT_EQ(callsIn(loading("", "%c = OpLoad %uint %number Volatile|Aligned 4")), 5u);
    EXPECT_EQ(callsIn(loading("", "%c = OpLoad %uint %number Aligned|NonPrivatePointer 4", "Vulkan")), 0u);
}

TEST(OldLoads, WhatAcquiresOrWrites_MakesThemNew)
{
    EXPECT_EQ(callsIn(loading("", "OpMemoryBarrier %u1 %both")), 6u);
    EXPECT_EQ(callsIn(loading("", "OpMemoryBarrier %u1 %release")), 5u);
    EXPECT_EQ(callsIn(loading("", "OpStore %number %u1 Aligned 4")), 6u);
    EXPECT_EQ(callsIn(loading("", "OpStore %vector %b Aligned 16")), 9u);
    // The one that waits, and the one that looks at the word.
    EXPECT_EQ(callsIn(loading("", "%old = OpAtomicIAdd %uint %number %u1 %u0 %u1")), 7u);
}

TEST(DispatchOrder, FromTheLastToTheFirst_EachWithItsState)
{
    std::string done;
    const auto note = [&](const char* what) { return [&done, what] { done += what; }; };
    DispatchOrder order(true);
    order.set(0, note("a"));
    order.dispatch(note("1"));
    order.set(0, note("b"));
    order.set(1, note("c"));
    order.dispatch(note("2"));
    EXPECT_EQ(done, "abc") << "put off";
    done.clear();
    order.flush();
    EXPECT_EQ(done, "bc2a1bc") << "and then the state is as before";
    done.clear();
    order.giveUp();
    order.dispatch(note("3"));
    EXPECT_EQ(done, "3");
}

TEST(ShuffleModule, NoComputeShader_ComesBackAsItIs)
{
    const auto words = spirv::assemble(shader("Fragment"));
    ASSERT_TRUE(words);
    EXPECT_EQ(shuffleModule(*words, 1, Dispatch::Indirect), *words);
}

}  // namespace

}  // namespace millrace::shuffle
