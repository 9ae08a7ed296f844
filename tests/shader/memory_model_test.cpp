// SPDX-License-Identifier: Apache-2.0
#include "shader/memory_model.h"

#include <gtest/gtest.h>

#include <string>

#include "spirv/module.h"
#include "spirv/same_code.h"
#include "spirv/tools.h"

namespace millrace::shader {

namespace {

spirv::Module moduleOf(const std::string& annotations, const std::string& body)
{
    const auto words = spirv::assemble(R"(
        OpCapability Shader
        OpCapability StorageImageReadWithoutFormat
        OpCapability StorageImageWriteWithoutFormat
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %out %shared %image %own
        OpExecutionMode %main LocalSize 8 1 1
        OpName %out "out"
        OpName %shared "shared"
        OpName %image "image"
        OpName %own "own"
        OpDecorate %words ArrayStride 4
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        OpDecorate %image DescriptorSet 0
        OpDecorate %image Binding 1)" + annotations +
                                       R"(
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %uint2 = OpTypeVector %uint 2
        %uint4 = OpTypeVector %uint 4
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u2 = OpConstant %uint 2
        %acqrel = OpConstant %uint 264
        %sequential = OpConstant %uint 80
        %at = OpConstantComposite %uint2 %u1 %u2
        %words = OpTypeRuntimeArray %uint
        %Out = OpTypeStruct %words
        %sb_Out = OpTypePointer StorageBuffer %Out
        %sb_uint = OpTypePointer StorageBuffer %uint
        %wg_uint = OpTypePointer Workgroup %uint
        %pr_uint = OpTypePointer Private %uint
        %Image = OpTypeImage %uint 2D 0 0 0 2 Unknown
        %uc_Image = OpTypePointer UniformConstant %Image
        %out = OpVariable %sb_Out StorageBuffer
        %shared = OpVariable %wg_uint Workgroup
        %image = OpVariable %uc_Image UniformConstant
        %own = OpVariable %pr_uint Private
        %main = OpFunction %void None %func
        %entry = OpLabel
        )" + body + "\nOpReturn\nOpFunctionEnd\n");
    EXPECT_TRUE(words) << words.error().text();
    auto module = spirv::read(words ? *words : spirv::Words());
    EXPECT_TRUE(module);
    return module ? std::move(*module) : spirv::Module();
}

}  // namespace

TEST(MemoryModel, AccessesThatOthersSee_AreNotPrivate)
{
    spirv::Module module = moduleOf("", R"(
        %word = OpAccessChain %sb_uint %out %u0 %u1
        %a = OpLoad %uint %word
        OpStore %shared %a
        OpStore %own %a
        OpControlBarrier %u2 %u2 %acqrel
        OpMemoryBarrier %u1 %sequential
        %b = OpAtomicIAdd %uint %word %u1 %sequential %a
        %held = OpLoad %Image %image
        %texel = OpImageRead %uint4 %held %at
        OpImageWrite %held %at %texel)");
    ASSERT_TRUE(mayUseVulkanMemoryModel(module));
    useVulkanMemoryModel(module);
    const spirv::Words words = spirv::write(module);
    const Status valid = spirv::validate(words);
    EXPECT_TRUE(valid) << valid.error().text();
    const std::string text = *spirv::disassemble(words);
    const size_t begin = text.find("OpLabel") + 7;
    EXPECT_TRUE(spirv::isSameCode(text.substr(begin, text.find("OpReturn") - begin), R"(
        %word = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1
        %a = OpLoad %uint %word NonPrivatePointer
        OpStore %shared %a NonPrivatePointer
        OpStore %own %a
        OpControlBarrier %uint_2 %uint_2 %uint_24840
        OpMemoryBarrier %uint_1 %uint_24648
        %b = OpAtomicIAdd %uint %word %uint_1 %uint_72 %a
        %held = OpLoad %19 %image
        %texel = OpImageRead %v4uint %held %at NonPrivateTexel
        OpImageWrite %held %at %texel NonPrivateTexel)"))
        << text;
    useVulkanMemoryModel(module);
    EXPECT_EQ(spirv::write(module), words) << "a second time changes nothing";
}

// Where that order is not allowed, the strongest that is.
TEST(MemoryModel, SequentialAtomics)
{
    spirv::Module module = moduleOf("", R"(
        %word = OpAccessChain %sb_uint %out %u0 %u1
        %a = OpAtomicLoad %uint %word %u1 %sequential
        OpAtomicStore %word %u1 %sequential %a
        %b = OpAtomicCompareExchange %uint %word %u1 %sequential %sequential %a %u2)");
    useVulkanMemoryModel(module);
    const spirv::Words words = spirv::write(module);
    const Status valid = spirv::validate(words);
    EXPECT_TRUE(valid) << valid.error().text();
    const std::string text = *spirv::disassemble(words);
    const size_t begin = text.find("OpAtomicLoad %uint");
    EXPECT_TRUE(spirv::isSameCode(text.substr(begin, text.find("OpReturn") - begin), R"(
        OpAtomicLoad %uint %word %uint_1 %uint_66
        OpAtomicStore %word %uint_1 %uint_68 %a
        %b = OpAtomicCompareExchange %uint %word %uint_1 %uint_72 %uint_66 %a %uint_2)"))
        << text;
}

TEST(MemoryModel, WhatIsDeclaredCoherentOrVolatile_StaysWhatItIs)
{
    EXPECT_FALSE(mayUseVulkanMemoryModel(moduleOf("\nOpMemberDecorate %Out 0 Coherent", "")));
    EXPECT_FALSE(mayUseVulkanMemoryModel(moduleOf("\nOpDecorate %image Coherent", "")));
    EXPECT_FALSE(mayUseVulkanMemoryModel(moduleOf("\nOpDecorate %image Volatile", "")));
    EXPECT_FALSE(mayUseVulkanMemoryModel(moduleOf("", "%a = OpLoad %uint %shared Volatile")));
}

}  // namespace millrace::shader
