// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_push_constants.h"

#include "nodes/pass_test.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

class LowerPushConstants : public PassTest {
protected:
    void prepare(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(lowerPayloads);
    }

    void lower(const ModuleText& module)
    {
        prepare(module);
        run(lowerPushConstants);
    }

    static ModuleText withBlock(const std::string& body)
    {
        ModuleText module;
        module.names = "OpName %Push \"Push\"\nOpMemberName %Push 0 \"a\"\nOpName %push \"push\"";
        module.annotations = R"(
            OpDecorate %Push Block
            OpMemberDecorate %Push 0 Offset 0
            OpMemberDecorate %Push 1 Offset 16)";
        module.globals = R"(
            %Push = OpTypeStruct %uint %uint4
            %pc_Push = OpTypePointer PushConstant %Push
            %pc_uint = OpTypePointer PushConstant %uint
            %push = OpVariable %pc_Push PushConstant)";
        module.interface += " %push";
        module.body = body;
        return module;
    }
};

constexpr const char* kReadMember = R"(
    %p = OpAccessChain %pc_uint %push %u1 %u2
    %v = OpLoad %uint %p)";
constexpr const char* kReadWhole = "%v = OpLoad %Push %push";

}  // namespace

TEST_F(LowerPushConstants, NoModifyOtherCode_AddsABlock)
{
    options.request.argumentsOffsetBytes = 24;
    ModuleText module;
    prepare(module);
    const std::string before = functions();
    run(lowerPushConstants);
    EXPECT_EQ(functions(), before);
    EXPECT_TRUE(has("OpDecorate %NodeArguments Block"));
    EXPECT_TRUE(has("OpMemberDecorate %NodeArguments 0 Offset 24"));
    EXPECT_TRUE(has("OpMemberDecorate %NodeArguments 3 Offset 48"));
    EXPECT_EQ(shader.argumentsMember, 0u);
    EXPECT_EQ(shader.module.name(shader.arguments), "node_arguments");
}

TEST_F(LowerPushConstants, ApplicationsBlock_GrowsAtItsEnd)
{
    options.request.argumentsOffsetBytes = 32;
    lower(withBlock(kReadMember));
    EXPECT_EQ(shader.argumentsMember, 2u);
    EXPECT_EQ(shader.module.name(shader.arguments), "push");
    const spirv::Id type = shader.module.pointee(shader.module.typeOf(shader.arguments));
    EXPECT_EQ(shader.module.findDefinition(type)->operandCount(), 6u);
    EXPECT_EQ(shader.module.findMemberDecoration(type, 1, spv::Decoration::Offset)->literal(3), 16u);
    EXPECT_EQ(shader.module.findMemberDecoration(type, 2, spv::Decoration::Offset)->literal(3), 32u);
    EXPECT_EQ(shader.module.findMemberDecoration(type, 5, spv::Decoration::Offset)->literal(3), 56u);
    EXPECT_NE(shader.module.findDecoration(type, spv::Decoration::Block), nullptr);
    EXPECT_EQ(shader.module.name(type), "Push");
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %p = OpAccessChain %_ptr_PushConstant_uint %push %uint_1 %uint_2
        %v = OpLoad %uint %p
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPushConstants, WholeLoad_IsMemberwise)
{
    options.request.argumentsOffsetBytes = 32;
    lower(withBlock(kReadWhole));
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %p0 = OpAccessChain %_ptr_PushConstant_uint %push %uint_0
        %v0 = OpLoad %uint %p0
        %p1 = OpAccessChain %_ptr_PushConstant_v4uint %push %uint_1
        %v1 = OpLoad %v4uint %p1
        %v = OpCompositeConstruct %Push %v0 %v1
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPushConstants, InMemory_ReadsThroughTheAddress)
{
    options.request.pushConstantsInMemory = true;
    lower(withBlock(kReadMember));
    EXPECT_TRUE(has("OpMemberDecorate %NodeArguments 0 Offset 0"));
    EXPECT_EQ(text().find("OpVariable %_ptr_PushConstant_Push"), std::string::npos);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %where = OpAccessChain %_ptr_PushConstant_v2uint %node_arguments %uint_2
        %pair = OpLoad %v2uint %where
        %address = OpBitcast %ulong %pair
        %push = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Push %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %push %uint_1 %uint_2
        %v = OpLoad %uint %p Aligned 4
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPushConstants, InMemoryWhole_IsOneLoad)
{
    options.request.pushConstantsInMemory = true;
    lower(withBlock(kReadWhole));
    EXPECT_NE(functions().find("= OpLoad %Push"), std::string::npos);
    EXPECT_NE(functions().find("Aligned 4"), std::string::npos);
}

TEST_F(LowerPushConstants, UnusedBlock_IsIgnored)
{
    options.request.argumentsOffsetBytes = 0;
    ModuleText module = withBlock("");
    lower(module);
    EXPECT_EQ(shader.argumentsMember, 0u);
}

TEST_F(LowerPushConstants, BlockThatReachesIntoOurs_IsRefused)
{
    options.request.argumentsOffsetBytes = 24;
    prepare(withBlock(kReadMember));
    EXPECT_NE(runAndFail(lowerPushConstants).find("has 32 bytes, more than the 24"), std::string::npos);
}

TEST_F(LowerPushConstants, TwoBlocks_AreRefused)
{
    ModuleText module = withBlock(std::string(kReadMember) + R"(
        %q = OpAccessChain %pc_uint %push2 %u0
        %w = OpLoad %uint %q)");
    module.globals += "\n%push2 = OpVariable %pc_Push PushConstant";
    module.interface += " %push2";
    const spirv::Words words = module.words();
    auto read = spirv::read(words);
    ASSERT_TRUE(read);
    shader.module = std::move(*read);
    shader.entry = shader.module.section(spirv::Section::EntryPoints)[0].id(1);
    EXPECT_NE(runAndFail(lowerPushConstants).find("a second push constant block"), std::string::npos);
}

}  // namespace millrace::nodes
