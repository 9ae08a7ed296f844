// SPDX-License-Identifier: Apache-2.0
// Code of variants of compute shaders.
#include "commands_shaders/variant_text.h"
#include "spirv/module.h"
#include "spirv/same_code.h"

namespace millrace::commands {

namespace {

using spirv::isSameCode;

constexpr uint32_t kCompute = 0x20;

// A record: e's value at 4, d[1] and d[2] at 8, the command at 16.
Layout layoutOf(std::vector<PushRange> ranges)
{
    return {.action = Action::Dispatch,
            .stride = 28,
            .actionOffset = 16,
            .executionSet = {},
            .pushRanges = std::move(ranges),
            .stages = kCompute};
}

PushRange fromStream(uint32_t destination, uint32_t size, uint32_t offset)
{
    return {PushRange::Source::Stream, destination, size, kCompute, offset};
}

PushRange index(uint32_t destination)
{
    return {PushRange::Source::SequenceIndex, destination, 4, kCompute, 0};
}

ShaderText storing(const std::string& load)
{
    ShaderText shader;
    shader.body = load + R"(
        %where = OpAccessChain %sb_uint %out %u0
        OpStore %where %value)";
    return shader;
}

// Loads member `number` of the block, an unsigned integer.
ShaderText storingMember(const std::string& number)
{
    return storing("%p = OpAccessChain %pc_uint %push " + number + "\n%value = OpLoad %uint %p");
}

spirv::Words variantOf(const ShaderText& shader, const Layout& layout)
{
    const auto variant = makeDispatchVariant(shader.words(), "main", layout);
    EXPECT_TRUE(variant) << variant.error().text();
    return variant ? *variant : spirv::Words();
}

std::string codeOf(const ShaderText& shader, const Layout& layout)
{
    return functionText(variantOf(shader, layout), "application_main");
}

}  // namespace

constexpr const char* kStoreAndEnd = R"(
        %where = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0
        OpStore %where %value
        OpReturn
        OpFunctionEnd)";

constexpr const char* kBegin = R"(
        %application_main = OpFunction %void None %func
        %entry = OpLabel)";

// Address and pointer of what the application pushed.
constexpr const char* kPushedAddress = R"(
        %pushedp = OpAccessChain %_ptr_PushConstant_v2uint %sequence_arguments %uint_1
        %pushed = OpLoad %v2uint %pushedp
        %pushedlow = OpCompositeExtract %uint %pushed 0
        %pushedhigh = OpCompositeExtract %uint %pushed 1)";
constexpr const char* kPushedPointer = R"(
        %pushedpair = OpCompositeConstruct %v2uint %pushedlow %pushedhigh
        %pushedblock = OpBitcast %_ptr_PhysicalStorageBuffer_Push_0 %pushedpair)";

// Address of the sequence's record. Where its numbers are not named, ids of structures are the disassembler's.
constexpr const char* kRecord = R"(
        %s = OpLoad %uint %sequence
        %streamp = OpAccessChain %_ptr_PushConstant_v2uint %sequence_arguments %uint_0
        %stream = OpLoad %v2uint %streamp
        %slow = OpCompositeExtract %uint %stream 0
        %shigh = OpCompositeExtract %uint %stream 1
        %stridep = OpAccessChain %_ptr_PushConstant_uint %sequence_arguments %uint_3
        %stride = OpLoad %uint %stridep
        %product = OpIMul %uint %s %stride
        %rlow = OpIAdd %uint %slow %product
        %isc = OpULessThan %bool %rlow %product
        %carry = OpSelect %uint %isc %uint_1 %uint_0
        %rhigh = OpIAdd %uint %shigh %carry)";
// It, plus what a piece lies in front of where it goes: `bytes` below 2^32 as the disassembler writes them.
std::string recordMinus(const std::string& bytes)
{
    return "\n%blow = OpIAdd %uint %rlow %uint_" + bytes + "\n%bisc = OpULessThan %bool %blow %uint_" + bytes + R"(
        %bcarry = OpSelect %uint %bisc %uint_1 %uint_0
        %bsum = OpIAdd %uint %rhigh %uint_4294967295
        %bhigh = OpIAdd %uint %bsum %bcarry)";
}
constexpr const char* kRecordPointer = R"(
        %bpair = OpCompositeConstruct %v2uint %blow %bhigh
        %bblock = OpBitcast %_ptr_PhysicalStorageBuffer_Push_0 %bpair)";

// The number of an unnamed structure says nothing.
std::string withoutNumber(std::string text)
{
    const size_t at = text.find("%_struct_");
    if (at != std::string::npos)
        text.replace(at, text.find(' ', at) - at, "%_struct");
    return text;
}

TEST(DispatchText, MemberWithoutToken_IsReadFromWhatWasPushed)
{
    EXPECT_TRUE(isSameCode(codeOf(storingMember("%u4"), layoutOf({fromStream(0, 48, 0)})), std::string(kBegin) +
                                                                                               kPushedAddress +
                                                                                               kPushedPointer + R"(
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pushedblock %uint_4
        %value = OpLoad %uint %p Aligned 4)" + kStoreAndEnd));
}

TEST(DispatchText, MemberOfToken_IsReadFromTheRecord)
{
    // 4 - 48 = -44.
    EXPECT_TRUE(isSameCode(withoutNumber(codeOf(storingMember("%u4"), layoutOf({fromStream(48, 4, 4)}))),
                           std::string(kBegin) + kRecord + recordMinus("4294967252") + kRecordPointer + R"(
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %bblock %uint_4
        %value = OpLoad %uint %p Aligned 4)" +
                               kStoreAndEnd));
}

TEST(DispatchText, MemberOfAnotherStagesToken_IsReadFromWhatWasPushed)
{
    Layout layout = layoutOf({fromStream(48, 4, 4)});
    layout.pushRanges[0].stages = 0x11;
    EXPECT_EQ(codeOf(storingMember("%u4"), layout), codeOf(storingMember("%u4"), layoutOf({})));
}

TEST(DispatchText, SequenceIndex_IsNoLoad)
{
    EXPECT_TRUE(isSameCode(codeOf(storingMember("%u4"), layoutOf({index(48)})), std::string(kBegin) + R"(
        %s = OpLoad %uint %sequence
        %value = OpCopyObject %uint %s)" + kStoreAndEnd));
}

TEST(DispatchText, SequenceIndexAsFloat_IsItsBits)
{
    const ShaderText shader = storing(R"(
        %p = OpAccessChain %pc_float %push %u5
        %f = OpLoad %float %p
        %value = OpBitcast %uint %f)");
    EXPECT_TRUE(isSameCode(codeOf(shader, layoutOf({index(52)})), std::string(kBegin) + R"(
        %s = OpLoad %uint %sequence
        %f = OpBitcast %float %s
        %value = OpBitcast %uint %f)" + kStoreAndEnd));
}

TEST(DispatchText, VectorFromTwoPlaces_IsPutTogether)
{
    const ShaderText shader = storing(R"(
        %p = OpAccessChain %pc_v4uint %push %u2
        %v = OpLoad %v4uint %p
        %value = OpCompositeExtract %uint %v 3)");
    // 4 - 24 = -20.
    EXPECT_TRUE(isSameCode(withoutNumber(codeOf(shader, layoutOf({fromStream(24, 4, 4)}))),
                           std::string(kBegin) + kPushedAddress + kPushedPointer + kRecord + recordMinus("4294967276") +
                               kRecordPointer + R"(
        %p0 = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pushedblock %uint_2 %uint_0
        %v0 = OpLoad %uint %p0 Aligned 4
        %p1 = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pushedblock %uint_2 %uint_1
        %v1 = OpLoad %uint %p1 Aligned 4
        %p2 = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %bblock %uint_2 %uint_2
        %v2 = OpLoad %uint %p2 Aligned 4
        %p3 = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pushedblock %uint_2 %uint_3
        %v3 = OpLoad %uint %p3 Aligned 4
        %v = OpCompositeConstruct %v4uint %v0 %v1 %v2 %v3
        %value = OpCompositeExtract %uint %v 3)" +
                               kStoreAndEnd));
}

TEST(DispatchText, UnknownIndexInSeveralPlaces_LooksWhereItIs)
{
    ShaderText shader = storing(R"(
        %i = OpLoad %uint %lidx
        %p = OpAccessChain %pc_uint %push %u3 %i
        %value = OpLoad %uint %p)");
    shader.interface += " %lidx";
    shader.annotations = "OpDecorate %lidx BuiltIn LocalInvocationIndex";
    shader.globals = "%lidx = OpVariable %in_uint Input";
    // 8 - 36 = -28.
    EXPECT_TRUE(isSameCode(withoutNumber(codeOf(shader, layoutOf({fromStream(36, 8, 8), index(44)}))),
                           std::string(kBegin) + kPushedAddress + kRecord + recordMinus("4294967268") + R"(
        %i = OpLoad %uint %gl_LocalInvocationIndex
        %bytes = OpIMul %uint %i %uint_4
        %offset = OpIAdd %uint %uint_32 %bytes
        %from = OpISub %uint %offset %uint_36
        %in = OpULessThan %bool %from %uint_8
        %low = OpSelect %uint %in %blow %pushedlow
        %high = OpSelect %uint %in %bhigh %pushedhigh
        %alow = OpIAdd %uint %low %offset
        %aisc = OpULessThan %bool %alow %offset
        %acarry = OpSelect %uint %aisc %uint_1 %uint_0
        %ahigh = OpIAdd %uint %high %acarry
        %apair = OpCompositeConstruct %v2uint %alow %ahigh
        %address = OpBitcast %_ptr_PhysicalStorageBuffer_uint %apair
        %word = OpLoad %uint %address Aligned 4
        %ifrom = OpISub %uint %offset %uint_44
        %isi = OpULessThan %bool %ifrom %uint_4
        %chosen = OpSelect %uint %isi %s %word
        %value = OpCopyObject %uint %chosen)" +
                               kStoreAndEnd));
}

TEST(DispatchText, BlockAsAWhole_IsLoadedOnceWhereItIsInOnePlace)
{
    const ShaderText shader = storing(R"(
        %v = OpLoad %Push %push
        %value = OpCompositeExtract %uint %v 4)");
    const spirv::Words pushed = variantOf(shader, layoutOf({}));
    EXPECT_NE(functionText(pushed, "application_main").find("OpLoad %Push "), std::string::npos);
    const spirv::Words mixed = variantOf(shader, layoutOf({fromStream(36, 8, 8), index(48)}));
    EXPECT_NE(functionText(mixed, "application_main").find("OpCompositeConstruct %Push "), std::string::npos);
}

TEST(DispatchText, CopyOfMemory_BecomesAStore)
{
    ShaderText shader;
    shader.body = R"(
        %p = OpAccessChain %pc_uint %push %u4
        %where = OpAccessChain %sb_uint %out %u0
        OpCopyMemory %where %p Volatile)";
    const std::string code = codeOf(shader, layoutOf({index(48)}));
    EXPECT_EQ(code.find("OpCopyMemory"), std::string::npos);
    EXPECT_NE(code.find("OpStore %"), std::string::npos);
    EXPECT_NE(code.find(" Volatile\n"), std::string::npos);
}

TEST(DispatchText, VariantHasOurPushConstantsAlone)
{
    const spirv::Words words = variantOf(storingMember("%u4"), layoutOf({index(48)}));
    const auto module = spirv::read(words);
    ASSERT_TRUE(module);
    size_t blocks = 0;
    for (const spirv::Instruction& i : module->section(spirv::Section::Globals))
        blocks += i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::PushConstant);
    EXPECT_EQ(blocks, 1u);
    EXPECT_TRUE(hasLine(words, "OpMemberDecorate %SequenceArguments 4 Offset 28"));
    EXPECT_FALSE(module->hasCapability(spv::Capability::Int64));
}

TEST(DispatchText, SignedBuiltIns_KeepTheirType)
{
    ShaderText shader = storing(R"(
        %g = OpLoad %v3int %gid
        %n = OpLoad %v3uint %groups
        %x = OpCompositeExtract %int %g 0
        %y = OpCompositeExtract %uint %n 1
        %ux = OpBitcast %uint %x
        %value = OpIAdd %uint %ux %y)");
    shader.interface += " %gid %groups";
    shader.annotations = "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %groups BuiltIn NumWorkgroups";
    shader.globals = "%gid = OpVariable %in_v3int Input\n%groups = OpVariable %in_v3uint Input";
    const spirv::Words words = variantOf(shader, layoutOf({}));
    EXPECT_EQ(functionText(words, "application_main").find("gl_"), std::string::npos);
    const std::string main = functionText(words, "main");
    EXPECT_NE(main.find("OpBitcast %v3int"), std::string::npos);
    EXPECT_NE(main.find("OpLoad %v3uint %gl_LocalInvocationID"), std::string::npos);
    EXPECT_EQ(main.find("gl_NumWorkGroups"), std::string::npos);
}

TEST(DispatchText, SpecializedSize_StaysOne)
{
    ShaderText shader = storing("%g = OpLoad %v3uint %gid\n%value = OpCompositeExtract %uint %g 0");
    shader.modes = "OpExecutionModeId %main LocalSizeId %sx %u2 %u1";
    shader.interface += " %gid";
    shader.annotations = "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %sx SpecId 3";
    shader.globals = "%sx = OpSpecConstant %uint 4\n%gid = OpVariable %in_v3uint Input";
    const spirv::Words words = variantOf(shader, layoutOf({}));
    const auto module = spirv::read(words);
    ASSERT_TRUE(module);
    size_t named = 0;
    for (const spirv::Instruction& i : module->section(spirv::Section::Annotations))
        named += i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
    EXPECT_EQ(named, 1u);
    EXPECT_NE(functionText(words, "main").find("OpCompositeConstruct %v3uint %"), std::string::npos);
}

TEST(DispatchText, OldModules_BecomeNewOnes)
{
    ShaderText shader = storingMember("%u4");
    shader.version = 0x00010000;
    shader.interface = "";
    shader.capabilities = "OpExtension \"SPV_KHR_storage_buffer_storage_class\"";
    const spirv::Words words = variantOf(shader, layoutOf({fromStream(48, 4, 4)}));
    ASSERT_GT(words.size(), 1u);
    EXPECT_EQ(words[1], 0x00010500u);
}

TEST(DispatchText, OtherEntryPoints_AreLeftOut)
{
    ShaderText shader = storingMember("%u4");
    shader.modes += "\nOpExecutionMode %other LocalSize 1 1 1";
    shader.interface += "\nOpEntryPoint GLCompute %other \"other\" %push";
    shader.functions = R"(
        %other = OpFunction %void None %func
        %entry2 = OpLabel
        %q = OpAccessChain %pc_uint %push %u0
        %w = OpLoad %uint %q
        OpReturn
        OpFunctionEnd)";
    const spirv::Words words = variantOf(shader, layoutOf({}));
    const auto module = spirv::read(words);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->section(spirv::Section::EntryPoints).size(), 1u);
    const auto missing = makeDispatchVariant(shader.words(), "third", layoutOf({}));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("entry point \"third\""), std::string::npos);
}

TEST(DispatchText, WhatCannotBeLowered_IsSaid)
{
    const auto words = spirv::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %a %b
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %Push Block
        OpMemberDecorate %Push 0 Offset 0
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %Push = OpTypeStruct %uint
        %pc = OpTypePointer PushConstant %Push
        %a = OpVariable %pc PushConstant
        %b = OpVariable %pc PushConstant
        %main = OpFunction %void None %func
        %entry = OpLabel
        %x = OpLoad %Push %a
        %y = OpLoad %Push %b
        OpReturn
        OpFunctionEnd)");
    ASSERT_TRUE(words) << words.error().text();
    const auto variant = makeDispatchVariant(*words, "main", layoutOf({}));
    ASSERT_FALSE(variant);
    EXPECT_NE(variant.error().text().find("a second push constant block"), std::string::npos);
    const auto nothing = makeDispatchVariant(spirv::Words{1, 2, 3}, "main", layoutOf({}));
    EXPECT_FALSE(nothing);
}

}  // namespace millrace::commands
