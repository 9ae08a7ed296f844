// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reflect_node.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

using graph::LaunchMode;

namespace {

constexpr const char* kCoalescing = "OpExecutionMode %main CoalescingAMDX\n";

class ReflectNode : public PassTest {
protected:
    const graph::Node& reflect(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        return shader.node;
    }

    std::string failure(const ModuleText& module)
    {
        load(module);
        return runAndFail(reflectNode);
    }

    // A module whose input is a structure of the given members.
    static ModuleText withInput(const std::string& members, const std::string& annotations,
                                const std::string& modes = "OpExecutionMode %main LocalSize 1 1 1")
    {
        ModuleText module;
        module.capabilities = "OpCapability Int64\nOpCapability Int16\nOpCapability Int8\nOpCapability Float16";
        module.modes = modes;
        module.annotations = annotations;
        module.globals = R"(
            %ulong = OpTypeInt 64 0
            %ushort = OpTypeInt 16 0
            %uchar = OpTypeInt 8 0
            %float3 = OpTypeVector %float 3
            %mat2x3 = OpTypeMatrix %float3 2
            %Inner = OpTypeStruct %uint %uint2
            %bytes3 = OpTypeArray %uchar %u3
            %Outer = OpTypeStruct %uint %bytes3
            %grids = OpTypeArray %uint %u3
            %inners = OpTypeArray %Inner %u2
            %In = OpTypeStruct )" +
                         members + R"(
            %np_In = OpTypePointer NodePayloadAMDX %In
            %in = OpVariable %np_In NodePayloadAMDX)";
        module.interface = "%in";
        return module;
    }
};

}  // namespace

TEST_F(ReflectNode, NoModify)
{
    load({});
    const std::string before = text();
    run(reflectNode);
    EXPECT_EQ(text(), before);
}

TEST_F(ReflectNode, Static_HasItsGrid)
{
    const graph::Node& node = reflect({});
    EXPECT_EQ(node.declared.id, (graph::NodeId{"main", 0}));
    EXPECT_EQ(node.declared.entryPoint, "main");
    EXPECT_EQ(node.declared.mode, LaunchMode::Static);
    EXPECT_EQ(node.declared.staticGrid[0], 4u);
    EXPECT_EQ(node.declared.staticGrid[1], 1u);
    EXPECT_EQ(node.declared.localSize[0], 8u);
    EXPECT_TRUE(node.declared.declaresPayload);
    EXPECT_EQ(node.declared.payloadBytes, 8u);
    EXPECT_EQ(node.declared.payloadAlignment, 4u);
    EXPECT_EQ(node.declared.maxInputPayloads, 1u);
    EXPECT_TRUE(node.declared.apiEntry);
    EXPECT_FALSE(node.declared.writesInput);
    EXPECT_FALSE(node.declared.usesFinishWriting);
    EXPECT_EQ(node.decided.packWidth, 0u);
}

TEST_F(ReflectNode, NameAndIndex_ComeFromTheApiFirst)
{
    ModuleText module;
    module.modes += "\nOpExecutionModeId %main ShaderIndexAMDX %u5";
    EXPECT_EQ(reflect(module).declared.id, (graph::NodeId{"main", 5}));
    options.request.nodeName = "renamed";
    EXPECT_EQ(reflect(module).declared.id, (graph::NodeId{"renamed", 5}));
    options.request.shaderIndex = 0;
    EXPECT_EQ(reflect(module).declared.id, (graph::NodeId{"renamed", 0}));
}

TEST_F(ReflectNode, OtherModes_AreRead)
{
    ModuleText module;
    module.globals = "%base = OpConstantStringAMDX \"base\"";
    module.modes =
        "OpExecutionModeId %main LocalSizeId %u2 %u3 %u4\n"
        "OpExecutionModeId %main MaxNodeRecursionAMDX %u6\n"
        "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u2 %u3\n"
        "OpExecutionModeId %main SharesInputWithAMDX %base %u7";
    const graph::Node& node = reflect(module);
    EXPECT_EQ(node.declared.localSize[2], 4u);
    EXPECT_EQ(node.declared.maxRecursion, 6u);
    EXPECT_EQ(node.declared.sharesInputWith, (graph::NodeId{"base", 7}));
    EXPECT_FALSE(node.declared.apiEntry) << "by rule, although IsApiEntryAMDX is missing";
}

TEST_F(ReflectNode, IsApiEntryFalse_ForbidsDispatch)
{
    ModuleText module;
    module.modes += "\nOpExecutionModeId %main IsApiEntryAMDX %false";
    EXPECT_FALSE(reflect(module).declared.apiEntry);
}

TEST_F(ReflectNode, WorkgroupSizeConstant_WinsOverTheMode)
{
    ModuleText module;
    module.annotations = "OpDecorate %size BuiltIn WorkgroupSize";
    module.globals = "%size = OpConstantComposite %uint3 %u2 %u3 %u1";
    const graph::Node& node = reflect(module);
    EXPECT_EQ(node.declared.localSize[0], 2u);
    EXPECT_EQ(node.declared.localSize[1], 3u);
}

TEST_F(ReflectNode, NoInput_IsTheImplicitGrid)
{
    ModuleText module;
    module.interface = "%out";
    module.modes = "OpExecutionMode %main LocalSize 1 1 1";
    const graph::Node& node = reflect(module);
    EXPECT_EQ(node.declared.mode, LaunchMode::Dynamic);
    EXPECT_FALSE(node.declared.declaresPayload);
    EXPECT_EQ(node.declared.grid.offsetBytes, 0u);
    EXPECT_EQ(node.declared.grid.components, 3u);
    EXPECT_EQ(node.declared.grid.componentBytes, 4u);
}

TEST_F(ReflectNode, NoInputStatic_IsEmpty)
{
    ModuleText module;
    module.interface = "%out";
    const graph::Node& node = reflect(module);
    EXPECT_EQ(node.declared.mode, LaunchMode::Static);
    EXPECT_FALSE(node.declared.declaresPayload);
    EXPECT_EQ(node.declared.payloadBytes, 0u);
}

TEST_F(ReflectNode, UnlistedInput_IsFoundByItsUse)
{
    ModuleText module;
    module.interface = "";
    module.body = "%n = OpNodePayloadArrayLengthAMDX %uint %input";
    // Before SPIR-V 1.4 interfaces list inputs and outputs alone.
    module.version = 0x00010300;
    EXPECT_TRUE(reflect(module).declared.declaresPayload);
}

TEST_F(ReflectNode, SeveralInputs_AreAnErrorThoughNothingReadsThem)
{
    ModuleText module;
    module.globals = "%second = OpVariable %np_InArr NodePayloadAMDX";
    module.interface = "%input %second";
    EXPECT_NE(failure(module).find("a second input payload"), std::string::npos);
}

TEST_F(ReflectNode, GridMember_ScalarOf16Bits)
{
    const graph::Node& node = reflect(withInput("%uint %ushort", R"(
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 6
        OpMemberDecorate %In 1 PayloadDispatchIndirectAMDX)"));
    EXPECT_EQ(node.declared.mode, LaunchMode::Dynamic);
    EXPECT_EQ(node.declared.grid.offsetBytes, 6u);
    EXPECT_EQ(node.declared.grid.components, 1u);
    EXPECT_EQ(node.declared.grid.componentBytes, 2u);
    EXPECT_EQ(node.declared.payloadBytes, 8u);
}

TEST_F(ReflectNode, GridMember_ArrayAndMaximum)
{
    const graph::Node& node = reflect(withInput("%uint %grids", R"(
        OpDecorate %grids ArrayStride 4
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 4
        OpMemberDecorate %In 1 PayloadDispatchIndirectAMDX)",
                                                "OpExecutionMode %main LocalSize 1 1 1\n"
                                                "OpExecutionModeId %main MaxNumWorkgroupsAMDX %u8 %u4 %u2"));
    EXPECT_EQ(node.declared.grid.offsetBytes, 4u);
    EXPECT_EQ(node.declared.grid.components, 3u);
    EXPECT_EQ(node.declared.payloadBytes, 16u);
    EXPECT_TRUE(node.declared.declaresMaxGrid);
    EXPECT_EQ(node.declared.maxGrid[1], 4u);
}

TEST_F(ReflectNode, GridMember_BytesInNestedStructure)
{
    const graph::Node& node = reflect(withInput("%uint %Outer", R"(
        OpDecorate %bytes3 ArrayStride 1
        OpMemberDecorate %Outer 0 Offset 0
        OpMemberDecorate %Outer 1 Offset 5
        OpMemberDecorate %Outer 1 PayloadDispatchIndirectAMDX
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 8)"));
    EXPECT_EQ(node.declared.grid.offsetBytes, 13u);
    EXPECT_EQ(node.declared.grid.components, 3u);
    EXPECT_EQ(node.declared.grid.componentBytes, 1u);
    EXPECT_EQ(node.declared.payloadBytes, 16u);
}

TEST_F(ReflectNode, PayloadSize_HasNoTailPadding)
{
    const char* mode = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_EQ(reflect(withInput("%float3", "OpMemberDecorate %In 0 Offset 0", mode)).declared.payloadBytes, 12u);
    EXPECT_EQ(reflect(withInput("%ulong %uint", R"(
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 8)",
                                mode))
                  .declared.payloadBytes,
              12u);
    EXPECT_EQ(shader.node.declared.payloadAlignment, 8u);
    // Members need not be in the order of their offsets.
    EXPECT_EQ(reflect(withInput("%uint %uint", R"(
        OpMemberDecorate %In 0 Offset 20
        OpMemberDecorate %In 1 Offset 0)",
                                mode))
                  .declared.payloadBytes,
              24u);
}

TEST_F(ReflectNode, PayloadSize_OfMatricesAndArrays)
{
    const char* mode = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_EQ(reflect(withInput("%uint %mat2x3", R"(
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 16
        OpMemberDecorate %In 1 ColMajor
        OpMemberDecorate %In 1 MatrixStride 16)",
                                mode))
                  .declared.payloadBytes,
              48u);
    EXPECT_EQ(reflect(withInput("%mat2x3", R"(
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 0 RowMajor
        OpMemberDecorate %In 0 MatrixStride 8)",
                                mode))
                  .declared.payloadBytes,
              24u);
    EXPECT_EQ(reflect(withInput("%uint %inners", R"(
        OpMemberDecorate %Inner 0 Offset 0
        OpMemberDecorate %Inner 1 Offset 4
        OpDecorate %inners ArrayStride 16
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 1 Offset 4)",
                                mode))
                  .declared.payloadBytes,
              36u);
}

TEST_F(ReflectNode, EmptyPayload_HasSizeZero)
{
    const graph::Node& node =
        reflect(withInput("", "", "OpExecutionMode %main LocalSize 2 1 1\nOpExecutionMode %main CoalescingAMDX"));
    EXPECT_TRUE(node.declared.declaresPayload);
    EXPECT_EQ(node.declared.payloadBytes, 0u);
}

TEST_F(ReflectNode, CoalescingMaximum_IsTheInputsBudget)
{
    ModuleText module;
    module.modes = std::string(kCoalescing) + "OpExecutionMode %main LocalSize 16 1 1";
    const graph::Node& node = reflect(module);
    EXPECT_EQ(node.declared.mode, LaunchMode::Coalescing);
    EXPECT_EQ(node.declared.maxInputPayloads, 4u);
    EXPECT_EQ(node.decided.packWidth, 0u);
}

TEST_F(ReflectNode, StoreThroughCopyOfInput_WritesIt)
{
    ModuleText module;
    module.body = R"(
        %var = OpVariable %fn_InArr Function
        %v = OpLoad %InArr %input
        OpStore %var %v
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %p %u5)";
    EXPECT_TRUE(reflect(module).declared.writesInput);
}

TEST_F(ReflectNode, StoreToOutput_DoesNotWriteTheInput)
{
    ModuleText module;
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        %p = OpAccessChain %np_uint %a %u0 %u1
        %q = OpAccessChain %np_uint %input %u0 %u1
        %v = OpLoad %uint %q
        OpStore %p %v)";
    EXPECT_FALSE(reflect(module).declared.writesInput);
}

TEST_F(ReflectNode, AtomicOnInput_WritesIt)
{
    ModuleText module;
    module.body = R"(
        %q = OpAccessChain %np_uint %input %u0 %u1
        %v = OpAtomicIAdd %uint %q %u1 %u0 %u1)";
    EXPECT_TRUE(reflect(module).declared.writesInput);
    module.body = R"(
        %q = OpAccessChain %np_uint %input %u0 %u1
        %v = OpAtomicLoad %uint %q %u1 %u0)";
    EXPECT_FALSE(reflect(module).declared.writesInput);
}

TEST_F(ReflectNode, FinishWriting_IsSeen)
{
    ModuleText module;
    module.annotations = "OpDecorate %Rec TrackFinishWritingAMDX";
    module.body = "%last = OpFinishWritingNodePayloadAMDX %bool %input";
    EXPECT_TRUE(reflect(module).declared.usesFinishWriting);
}

TEST_F(ReflectNode, TwoInputs_AreRefused)
{
    ModuleText module;
    module.globals = "%second = OpVariable %np_InArr NodePayloadAMDX";
    module.interface += " %second";
    module.body = R"(
        %n = OpNodePayloadArrayLengthAMDX %uint %input
        %m = OpNodePayloadArrayLengthAMDX %uint %second)";
    EXPECT_NE(failure(module).find("a second input payload"), std::string::npos);
}

TEST_F(ReflectNode, DynamicWithoutGridMember_IsRefused)
{
    ModuleText module;
    module.modes = "OpExecutionMode %main LocalSize 1 1 1";
    EXPECT_NE(failure(module).find("PayloadDispatchIndirectAMDX"), std::string::npos);
}

TEST_F(ReflectNode, CoalescingAndStatic_IsRefused)
{
    ModuleText module;
    module.modes += "\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_NE(failure(module).find("StaticNumWorkgroupsAMDX"), std::string::npos);
}

TEST_F(ReflectNode, MemberWithoutOffset_IsRefused)
{
    const std::string message = failure(withInput("%uint %uint", "OpMemberDecorate %In 0 Offset 0",
                                                  "OpExecutionMode %main LocalSize 1 1 1\n"
                                                  "OpExecutionMode %main CoalescingAMDX"));
    EXPECT_NE(message.find("member 1 has no Offset"), std::string::npos) << message;
}

TEST_F(ReflectNode, GridOf64Bits_IsRefused)
{
    const std::string message = failure(withInput("%ulong", R"(
        OpMemberDecorate %In 0 Offset 0
        OpMemberDecorate %In 0 PayloadDispatchIndirectAMDX)"));
    EXPECT_NE(message.find("at most 32 bits"), std::string::npos) << message;
}

}  // namespace millrace::nodes
