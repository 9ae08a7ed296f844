// SPDX-License-Identifier: Apache-2.0
// simplify, removeUnused, keepExports and extractEntryPoint: what goes, what stays.
#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

std::string cleaned(std::string_view source)
{
    const auto clean = simplify(assembled(source));
    if (!clean) {
        ADD_FAILURE() << clean.error().text();
        return {};
    }
    EXPECT_TRUE(validate(*clean)) << validate(*clean).error().text();
    const auto again = simplify(*clean);
    EXPECT_TRUE(again && *again == *clean) << "simplifying twice changes something";
    return text(*clean);
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// Writes to a buffer, so that something is alive.
constexpr const char* kBuffer = R"(
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %words = OpTypeRuntimeArray %uint
        %Out = OpTypeStruct %words
        %ptr_Out = OpTypePointer StorageBuffer %Out
        %ptr_word = OpTypePointer StorageBuffer %uint
        %out = OpVariable %ptr_Out StorageBuffer
)";
constexpr const char* kBufferAnnotations = R"(
        OpName %out "the_buffer"
        OpDecorate %words ArrayStride 4
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
)";

std::string withBuffer(const std::string& globals, const std::string& body, const std::string& annotations = {})
{
    std::string text = compute(kBuffer + globals, body, kBufferAnnotations + annotations);
    return text.replace(text.find("\"main\""), 6, "\"main\" %out");
}

// Whether the module declares the capability once those that nothing needs are gone.
bool keeps(const std::string& source, spv::Capability capability)
{
    Module module = moduleOf(source);
    module.addCapability(capability);
    removeUnusedSubgroupCapabilities(module);
    return module.hasCapability(capability);
}

TEST(SubgroupCapabilities, StayWhereSomethingNeedsThem)
{
    using enum spv::Capability;
    const auto code = [](const std::string& operation, const std::string& annotations = {}) {
        return withBuffer(
            "%u3 = OpConstant %uint 3\n%yes = OpConstantTrue %bool\n%v4 = OpTypeVector %uint 4\n"
            "%in = OpTypePointer Input %uint\n%lane = OpVariable %in Input\n",
            operation + "\n%p = OpAccessChain %ptr_word %out %u0 %u1\nOpStore %p %u1", annotations);
    };
    const std::string nothing = code("");
    for (const spv::Capability capability :
         {GroupNonUniform, GroupNonUniformBallot, GroupNonUniformArithmetic, GroupNonUniformShuffle})
        EXPECT_FALSE(keeps(nothing, capability)) << static_cast<uint32_t>(capability);
    EXPECT_TRUE(keeps(nothing, GroupNonUniformVote)) << "not one of those that are looked at";
    const std::string shuffle = code("%b = OpGroupNonUniformShuffle %uint %u3 %u1 %u0");
    EXPECT_TRUE(keeps(shuffle, GroupNonUniformShuffle));
    EXPECT_FALSE(keeps(shuffle, GroupNonUniformBallot));
    const std::string ballot = code("%b = OpGroupNonUniformBallot %v4 %u3 %yes");
    EXPECT_TRUE(keeps(ballot, GroupNonUniformBallot));
    EXPECT_TRUE(keeps(ballot, GroupNonUniform));
    EXPECT_FALSE(keeps(ballot, GroupNonUniformArithmetic));
    const std::string sum = code("%b = OpGroupNonUniformIAdd %uint %u3 Reduce %u1");
    EXPECT_TRUE(keeps(sum, GroupNonUniformArithmetic));
    EXPECT_FALSE(keeps(sum, GroupNonUniformBallot));
    EXPECT_TRUE(keeps(code("", "OpDecorate %lane BuiltIn SubgroupLocalInvocationId\n"), GroupNonUniform));
    EXPECT_FALSE(keeps(code("", "OpDecorate %lane BuiltIn LocalInvocationIndex\n"), GroupNonUniform));
}

TEST(Simplify, NoModify_NothingDead)
{
    const std::string source = withBuffer("", "%p = OpAccessChain %ptr_word %out %u0 %u1\nOpStore %p %u1");
    // But for types that compute() declares always.
    Module module = moduleOf(cleaned(source));
    EXPECT_EQ(cleaned(text(module)), text(module));
}

TEST(Simplify, DeadThings_GoWithTheirNames)
{
    const std::string out =
        cleaned(withBuffer(R"(
        %dead = OpConstant %uint 4242
        %ptr_private = OpTypePointer Private %uint
        %unused = OpVariable %ptr_private Private
        %deadFunctionType = OpTypeFunction %uint)",
                           R"(
        %p = OpAccessChain %ptr_word %out %u0 %u1
        %q = OpAccessChain %ptr_word %out %u0 %u0
        %lost = OpLoad %uint %q
        OpStore %p %u1)",
                           "OpName %dead \"dead\"\nOpName %unused \"unused\"\nOpName %lost \"lost\"\n"
                           "OpName %p \"kept\"\nOpDecorate %lost RelaxedPrecision\n"));
    EXPECT_TRUE(contains(out, "the_buffer"));
    EXPECT_TRUE(contains(out, "kept"));
    for (const char* gone : {"dead", "unused", "lost", "4242", "Private", "OpLoad", "RelaxedPrecision"})
        EXPECT_FALSE(contains(out, gone)) << gone << "\n" << out;
}

TEST(Simplify, ConstantBranches_Fold)
{
    const std::string out = cleaned(withBuffer(R"(
        %u3 = OpConstant %uint 3
        %kind = OpConstant %uint 2
        %x = OpConstant %uint 1111
        %y = OpConstant %uint 2222)",
                                               R"(
        %p = OpAccessChain %ptr_word %out %u0 %u1
        %is3 = OpIEqual %bool %kind %u3
        OpSelectionMerge %after None
        OpBranchConditional %is3 %yes %no
        %yes = OpLabel
        OpStore %p %x
        OpBranch %after
        %no = OpLabel
        OpStore %p %y
        OpBranch %after
        %after = OpLabel)"));
    EXPECT_FALSE(contains(out, "1111"));
    EXPECT_TRUE(contains(out, "2222"));
    EXPECT_FALSE(contains(out, "OpSelectionMerge"));
}

TEST(Simplify, Arithmetic_IsNotRearranged)
{
    // (v * 3) * 5 rounds otherwise than v * 15.
    const std::string out = cleaned(withBuffer(R"(
        %float = OpTypeFloat 32
        %three = OpConstant %float 3
        %five = OpConstant %float 5)",
                                               R"(
        %p = OpAccessChain %ptr_word %out %u0 %u1
        %bits = OpLoad %uint %p
        %v = OpBitcast %float %bits
        %a = OpFMul %float %v %three
        %b = OpFMul %float %a %five
        %result = OpBitcast %uint %b
        OpStore %p %result)"));
    EXPECT_TRUE(contains(out, "%float_3"));
    EXPECT_TRUE(contains(out, "%float_5"));
}

TEST(Simplify, Exports_StayInLibraries)
{
    const auto clean = simplify(shaders::link_library);
    ASSERT_TRUE(clean) << clean.error().text();
    const std::string out = text(*clean);
    EXPECT_TRUE(contains(out, "\"test_unused\" Export"));
    EXPECT_TRUE(contains(out, "999"));
}

TEST(RemoveUnused, NodePrograms_KeepDecorationsThatTakeIds)
{
    for (const auto& file : nodePrograms()) {
        SCOPED_TRACE(file.string());
        const Words words = assembled(load(file));
        const auto clean = removeUnused(words);
        ASSERT_TRUE(clean) << clean.error().text();
        EXPECT_EQ(bool(validate(*clean)), bool(validate(words)));
    }
}

TEST(RemoveUnused, CodeIsNotChanged)
{
    const auto clean =
        removeUnused(assembled(compute("%dead = OpConstant %uint 4242", "%x = OpIAdd %uint %bool %bool")));
    ASSERT_TRUE(clean);
    EXPECT_FALSE(contains(text(*clean), "4242"));
    EXPECT_TRUE(contains(text(*clean), "OpIAdd"));
}

TEST(Simplify, DebugInformation_OfWhatRemainsStays)
{
    const auto clean = simplify(shaders::early_returns_debug);
    ASSERT_TRUE(clean) << clean.error().text();
    EXPECT_TRUE(validate(*clean)) << validate(*clean).error().text();
    EXPECT_TRUE(contains(text(*clean), "DebugGlobalVariable"));
    EXPECT_TRUE(contains(text(*clean), "DebugFunctionDefinition"));
}

TEST(Simplify, IsDeterministic)
{
    const auto once = simplify(shaders::early_returns);
    ASSERT_TRUE(once);
    for (int run = 0; run < 5; ++run) {
        const auto again = simplify(shaders::early_returns);
        ASSERT_TRUE(again);
        EXPECT_EQ(*again, *once);
    }
}

constexpr const char* kTwoEntryPoints = R"(
               OpCapability Shader
               OpCapability ShaderEnqueueAMDX
               OpExtension "SPV_AMDX_shader_enqueue"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %first "first" %inputA
               OpEntryPoint GLCompute %second "second" %inputB
               OpExecutionMode %first LocalSize 1 1 1
               OpExecutionMode %second LocalSize 2 1 1
               OpExecutionModeId %first StaticNumWorkgroupsAMDX %u11 %u1 %u1
               OpExecutionModeId %second StaticNumWorkgroupsAMDX %u22 %u1 %u1
               OpName %helperA "helper_a"
               OpName %helperB "helper_b"
               OpName %A "payload_a"
               OpName %B "payload_b"
               OpMemberDecorate %A 0 Offset 0
               OpMemberDecorate %B 0 Offset 0
               OpDecorateId %ArrayA NodeMaxPayloadsAMDX %u33
               OpDecorateId %ArrayA PayloadNodeNameAMDX %nameA
               OpDecorateId %ArrayB NodeMaxPayloadsAMDX %u44
               OpDecorateId %ArrayB PayloadNodeNameAMDX %nameB
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
         %u1 = OpConstant %uint 1
        %u11 = OpConstant %uint 11
        %u22 = OpConstant %uint 22
        %u33 = OpConstant %uint 33
        %u44 = OpConstant %uint 44
      %nameA = OpConstantStringAMDX "to_a"
      %nameB = OpConstantStringAMDX "to_b"
          %A = OpTypeStruct %uint
          %B = OpTypeStruct %uint
     %ArrayA = OpTypeNodePayloadArrayAMDX %A
     %ArrayB = OpTypeNodePayloadArrayAMDX %B
       %ptrA = OpTypePointer NodePayloadAMDX %ArrayA
       %ptrB = OpTypePointer NodePayloadAMDX %ArrayB
     %inputA = OpVariable %ptrA NodePayloadAMDX
     %inputB = OpVariable %ptrB NodePayloadAMDX
    %helperA = OpFunction %void None %function
         %a0 = OpLabel
               OpReturn
               OpFunctionEnd
    %helperB = OpFunction %void None %function
         %b0 = OpLabel
               OpReturn
               OpFunctionEnd
      %first = OpFunction %void None %function
         %a1 = OpLabel
         %a2 = OpFunctionCall %void %helperA
               OpReturn
               OpFunctionEnd
     %second = OpFunction %void None %function
         %b1 = OpLabel
         %b2 = OpFunctionCall %void %helperB
               OpReturn
               OpFunctionEnd
)";

TEST(ExtractEntryPoint, KeepsOneWithInterfaceModesAndDecorations)
{
    const auto words = extractEntryPoint(assembled(kTwoEntryPoints), "second");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    const std::string out = text(*words);
    for (const char* kept : {"\"second\"", "helper_b", "payload_b", "to_b", "%uint_22", "%uint_44", "LocalSize 2"})
        EXPECT_TRUE(contains(out, kept)) << kept << "\n" << out;
    for (const char* gone : {"\"first\"", "helper_a", "payload_a", "to_a", "%uint_11", "%uint_33", "LocalSize 1"})
        EXPECT_FALSE(contains(out, gone)) << gone << "\n" << out;
}

TEST(ExtractEntryPoint, WithoutTheInputsOfOthers)
{
    std::string both = kTwoEntryPoints;
    for (const char* own : {"\"first\" %inputA", "\"second\" %inputB"}) {
        const size_t end = both.find(own) + std::string(own).size();
        both.insert(end, own[1] == 'f' ? " %inputB %inputC" : " %inputA %inputC");
    }
    both.insert(both.find("OpName"),
                "OpName %inputA \"read_a\"\nOpName %inputB \"read_b\"\nOpName %inputC \"unread\"\n");
    both.insert(both.find("%helperA = OpFunction"), "%inputC = OpVariable %ptrA NodePayloadAMDX\n");
    both.insert(both.find("%a2 ="), "%lengthA = OpNodePayloadArrayLengthAMDX %uint %inputA\n");
    both.insert(both.find("%b2 ="), "%lengthB = OpNodePayloadArrayLengthAMDX %uint %inputB\n");
    const auto words = extractEntryPoint(assembled(both), "second");
    ASSERT_TRUE(words) << words.error().text();
    const std::string out = text(*words);
    EXPECT_TRUE(contains(out, "\"second\" %read_b %unread\n")) << out;
    EXPECT_FALSE(contains(out, "read_a")) << out;
}

// One variable may be the input of several; and what reads it may be code that nobody calls.
TEST(ExtractEntryPoint, WithAnInputThatOthersReadAsWell)
{
    std::string shared = kTwoEntryPoints;
    shared.replace(shared.find("\"second\" %inputB"), 17, "\"second\" %inputA");
    shared.insert(shared.find("%a2 ="), "%length = OpNodePayloadArrayLengthAMDX %uint %inputA\n");
    const auto second = extractEntryPoint(assembled(shared), "second");
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_TRUE(contains(text(*second), "payload_a")) << text(*second);

    std::string idle = kTwoEntryPoints;
    idle.insert(idle.find("%first = OpFunction"), R"(%idle = OpFunction %void None %function
                    %c0 = OpLabel
                %length = OpNodePayloadArrayLengthAMDX %uint %inputA
                          OpReturn
                          OpFunctionEnd
                )");
    const auto first = extractEntryPoint(assembled(idle), "first");
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_TRUE(contains(text(*first), "payload_a")) << text(*first);
}

// It counts whether code uses it or not.
TEST(ExtractEntryPoint, KeepsTheSizeOfWorkgroups)
{
    std::string sized = kTwoEntryPoints;
    sized.insert(sized.find("OpName"), "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %u11 SpecId 3\n");
    sized.replace(sized.find("%u11 = OpConstant"), 17, "%u11 = OpSpecConstant");
    sized.insert(sized.find("%nameA ="),
                 "%uint3 = OpTypeVector %uint 3\n%size = OpSpecConstantComposite %uint3 %u11 %u1 %u1\n");
    const auto words = extractEntryPoint(assembled(sized), "second");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(contains(text(*words), "BuiltIn WorkgroupSize"));
    const auto tidy = removeUnused(*words);
    ASSERT_TRUE(tidy) << tidy.error().text();
    EXPECT_TRUE(contains(text(*tidy), "BuiltIn WorkgroupSize"));
}

// Before SPIR-V 1.4 interfaces have no payloads.
TEST(ExtractEntryPoint, KeepsInputsThatCannotBeListed)
{
    std::string old = kTwoEntryPoints;
    for (const char* input : {" %inputA\n", " %inputB\n"})
        old.erase(old.find(input), std::string(input).size() - 1);
    old.insert(old.find("%a2 ="), "%length = OpNodePayloadArrayLengthAMDX %uint %inputA\n");
    Words words = assembled(old);
    words[1] = 0x00010300;
    const auto first = extractEntryPoint(words, "first"), second = extractEntryPoint(words, "second");
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(contains(text(*second), "payload_b"));
    EXPECT_FALSE(contains(text(*second), "payload_a"));
    words[1] = 0x00010400;
    const auto current = extractEntryPoint(words, "second");
    ASSERT_TRUE(current);
    EXPECT_FALSE(contains(text(*current), "payload_b"));
}

TEST(ExtractEntryPoint, OnlyOneAndAllUsed_ChangesNothing)
{
    for (const auto& file : nodePrograms()) {
        SCOPED_TRACE(file.string());
        const Words words = assembled(load(file));
        const Module module = *read(words);
        if (module.section(Section::EntryPoints).size() == 1) {
            const auto same = extractEntryPoint(words, module.section(Section::EntryPoints)[0].string(2));
            ASSERT_TRUE(same) << same.error().text();
            EXPECT_EQ(bool(validate(*same)), bool(validate(words)));
            EXPECT_EQ(write(*read(*same)).size(), same->size());
        }
    }
    const Words node = assembled(programs()[3].text);
    EXPECT_EQ(*extractEntryPoint(node, "main"), node);
}

TEST(ExtractEntryPoint, OtherNameOrModel_IsRefused)
{
    EXPECT_FALSE(extractEntryPoint(assembled(kTwoEntryPoints), "third"));
    EXPECT_FALSE(extractEntryPoint(assembled(kTwoEntryPoints), ""));
    std::string vertex = compute("", "");
    vertex.replace(vertex.find("GLCompute"), 9, "Vertex");
    const auto none = extractEntryPoint(assembled(vertex), "main");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text().find("\"main\""), std::string::npos);
}

TEST(ExtractEntryPoint, NonSemanticInstructions_FollowWhatTheyDescribe)
{
    const auto words = extractEntryPoint(assembled(programs()[0].text), "main");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    EXPECT_EQ(read(*words)->functions.size(), 1u);
}

// "wanted" calls a function that is exported as well.
constexpr const char* kLibrary = R"(
        OpCapability Shader
        OpCapability Linkage
        OpMemoryModel Logical GLSL450
        OpDecorate %wanted LinkageAttributes "wanted" Export
        OpDecorate %called LinkageAttributes "called" Export
        OpDecorate %other LinkageAttributes "other" Export
        OpDecorate %imported LinkageAttributes "imported" Import
        %uint = OpTypeInt 32 0
        %type = OpTypeFunction %uint
        %u2 = OpConstant %uint 2
        %u3 = OpConstant %uint 3
        %imported = OpFunction %uint None %type
        OpFunctionEnd
        %called = OpFunction %uint None %type
        %l0 = OpLabel
        %value = OpFunctionCall %uint %imported
        OpReturnValue %value
        OpFunctionEnd
        %wanted = OpFunction %uint None %type
        %l1 = OpLabel
        %result = OpFunctionCall %uint %called
        %sum = OpIAdd %uint %result %u2
        OpReturnValue %sum
        OpFunctionEnd
        %other = OpFunction %uint None %type
        %l2 = OpLabel
        OpReturnValue %u3
        OpFunctionEnd
)";

TEST(KeepExports, NotWanted_StayOnlyWhereTheyAreCalled)
{
    Module module = moduleOf(kLibrary);
    keepExports(module, [](std::string_view name) { return name == "wanted"; });
    const std::string left = text(module);
    EXPECT_TRUE(validate(write(module))) << left;
    EXPECT_EQ(module.functions.size(), 3u) << left;
    EXPECT_TRUE(contains(left, "\"wanted\" Export")) << left;
    EXPECT_TRUE(contains(left, "\"imported\" Import")) << left;
    EXPECT_FALSE(contains(left, "\"called\"")) << left;
    EXPECT_FALSE(contains(left, "\"other\"")) << left;
    EXPECT_FALSE(contains(left, "OpConstant %uint 3")) << left;
}

}  // namespace
}  // namespace millrace::spirv::test
