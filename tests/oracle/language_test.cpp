// SPDX-License-Identifier: Apache-2.0
// SPIR-V that has nothing to do with the extension: control flow, memory layouts, composites, calls.
#include <gtest/gtest.h>

#include "oracle/test_graph.h"

namespace millrace::oracle {

namespace {

constexpr const char* kOnce = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1\n";

// Runs one workgroup of a node without input.
std::vector<uint32_t> runOnce(NodeText node, size_t words = 10, Specialization specialization = {})
{
    node.modes += kOnce;
    return runGraph({{assemble(nodeText(node)), "main", std::nullopt, std::nullopt, std::move(specialization)}},
                    {{"main", 0, 1, {}, 0}}, words);
}

TEST(OracleLanguage, Phi_SwapsItsOperands)
{
    NodeText node;
    node.body =
        "OpBranch %head\n%head = OpLabel\n"
        "%i = OpPhi %uint %u0 %entry %next %tail\n"
        "%a = OpPhi %uint %u1 %entry %b %tail\n"
        "%b = OpPhi %uint %u2 %entry %a %tail\n"
        "%lt = OpULessThan %bool %i %u3\nOpLoopMerge %exit %tail None\nOpBranchConditional %lt %tail %exit\n"
        "%tail = OpLabel\n%next = OpIAdd %uint %i %u1\nOpBranch %head\n%exit = OpLabel\n" +
        storeResult("%a", 0) + storeResult("%b", 1);
    EXPECT_EQ(runOnce(node, 2), (std::vector<uint32_t>{2, 1}));
}

TEST(OracleLanguage, Switch_TakesItsCases)
{
    NodeText node;
    node.localSize = "5 1 1";
    node.interface = "%lid";
    node.decorations = "OpDecorate %lid BuiltIn LocalInvocationIndex\n";
    node.types = "%in_uint = OpTypePointer Input %uint\n%lid = OpVariable %in_uint Input\n";
    node.body =
        "%i = OpLoad %uint %lid\nOpSelectionMerge %join None\nOpSwitch %i %other 0 %zero 3 %three\n"
        "%zero = OpLabel\nOpBranch %join\n%three = OpLabel\nOpBranch %other\n%other = OpLabel\n"
        "%o = OpPhi %uint %u7 %entry %u8 %three\nOpBranch %join\n"
        "%join = OpLabel\n%v = OpPhi %uint %u5 %zero %o %other\n"
        "%p = OpAccessChain %word %out %u0 %i\nOpStore %p %v\n";
    EXPECT_EQ(runOnce(node, 5), (std::vector<uint32_t>{5, 7, 7, 8, 7}));
}

TEST(OracleLanguage, FunctionCalls_PassAndReturnValues)
{
    NodeText node;
    node.types = "%fn_uint = OpTypePointer Function %uint\n%sum_type = OpTypeFunction %uint %uint %fn_uint\n";
    node.body =
        "%v = OpVariable %fn_uint Function %u4\n"
        "%a = OpFunctionCall %uint %sum %u3 %v\n%b = OpFunctionCall %uint %sum %a %v\n" +
        storeResult("%a", 0) + storeResult("%b", 1);
    node.functions =
        "%sum = OpFunction %uint None %sum_type\n%x = OpFunctionParameter %uint\n"
        "%y = OpFunctionParameter %fn_uint\n%start = OpLabel\n%yv = OpLoad %uint %y\n"
        "%s = OpIAdd %uint %x %yv\nOpStore %y %s\nOpReturnValue %s\nOpFunctionEnd\n";
    EXPECT_EQ(runOnce(node, 2), (std::vector<uint32_t>{7, 14}));
}

TEST(OracleLanguage, NarrowAndWideMembers_LieAtTheirOffsets)
{
    NodeText node;
    node.capabilities = "OpCapability Int64\nOpCapability Int16\nOpCapability StorageBuffer16BitAccess\n";
    node.decorations =
        "OpDecorate %Mixed Block\nOpMemberDecorate %Mixed 0 Offset 2\nOpMemberDecorate %Mixed 1 Offset 8\n"
        "OpMemberDecorate %Mixed 2 Offset 16\nOpDecorate %mixed DescriptorSet 0\n"
        "OpDecorate %mixed Binding 0\n";
    node.types =
        "%ulong = OpTypeInt 64 0\n%ushort = OpTypeInt 16 0\n%Mixed = OpTypeStruct %ushort %ulong %uint3\n"
        "%ptr_Mixed = OpTypePointer StorageBuffer %Mixed\n%mixed = OpVariable %ptr_Mixed StorageBuffer\n"
        "%ptr_short = OpTypePointer StorageBuffer %ushort\n%ptr_long = OpTypePointer StorageBuffer %ulong\n"
        "%ptr_3 = OpTypePointer StorageBuffer %uint3\n%s = OpConstant %ushort 0x1234\n"
        "%l = OpConstant %ulong 0x123456789abcdef0\n%v3 = OpConstantComposite %uint3 %u1 %u2 %u3\n";
    node.body =
        "%p0 = OpAccessChain %ptr_short %mixed %u0\nOpStore %p0 %s\n"
        "%p1 = OpAccessChain %ptr_long %mixed %u1\nOpStore %p1 %l\n"
        "%p2 = OpAccessChain %ptr_3 %mixed %u2\nOpStore %p2 %v3\n";
    EXPECT_EQ(runOnce(node, 7), (std::vector<uint32_t>{0x12340000, 0, 0x9abcdef0, 0x12345678, 1, 2, 3}));
}

TEST(OracleLanguage, Composites_ExtractInsertShuffle)
{
    NodeText node;
    node.types = "%uint2 = OpTypeVector %uint 2\n%Pair = OpTypeStruct %uint2 %uint\n";
    node.body =
        "%v = OpCompositeConstruct %uint2 %u1 %u2\n%p = OpCompositeConstruct %Pair %v %u3\n"
        "%q = OpCompositeInsert %Pair %u9 %p 0 1\n%e = OpCompositeExtract %uint %q 0 1\n"
        "%w = OpCompositeExtract %uint2 %q 0\n%s = OpVectorShuffle %uint3 %w %v 1 3 0\n"
        "%s0 = OpCompositeExtract %uint %s 0\n%s1 = OpCompositeExtract %uint %s 1\n"
        "%d = OpVectorExtractDynamic %uint %s %u2\n" +
        storeResult("%e", 0) + storeResult("%s0", 1) + storeResult("%s1", 2) + storeResult("%d", 3);
    EXPECT_EQ(runOnce(node, 4), (std::vector<uint32_t>{9, 9, 2, 1}));
}

TEST(OracleLanguage, Matrices_MultiplyByColumns)
{
    NodeText node;
    node.types =
        "%float2 = OpTypeVector %float 2\n%mat = OpTypeMatrix %float2 2\n%f1 = OpConstant %float 1\n"
        "%f2 = OpConstant %float 2\n%f3 = OpConstant %float 3\n%f4 = OpConstant %float 4\n"
        "%c0 = OpConstantComposite %float2 %f1 %f2\n%c1 = OpConstantComposite %float2 %f3 %f4\n"
        "%m = OpConstantComposite %mat %c0 %c1\n";
    node.body =
        "%r = OpMatrixTimesVector %float2 %m %c0\n%l = OpVectorTimesMatrix %float2 %c0 %m\n"
        "%t = OpTranspose %mat %m\n%t01 = OpCompositeExtract %float %t 0 1\n"
        "%r0 = OpCompositeExtract %float %r 0\n%l1 = OpCompositeExtract %float %l 1\n"
        "%r0u = OpConvertFToU %uint %r0\n%l1u = OpConvertFToU %uint %l1\n%tu = OpConvertFToU %uint %t01\n" +
        storeResult("%r0u", 0) + storeResult("%l1u", 1) + storeResult("%tu", 2);
    EXPECT_EQ(runOnce(node, 3), (std::vector<uint32_t>{1 * 1 + 3 * 2, 1 * 3 + 2 * 4, 3}));
}

TEST(OracleLanguage, SpecConstants_TakeTheirValues)
{
    NodeText node;
    node.decorations = "OpDecorate %spec SpecId 7\nOpDecorate %flag SpecId 8\n";
    node.types =
        "%spec = OpSpecConstant %uint 5\n%flag = OpSpecConstantFalse %bool\n"
        "%twice = OpSpecConstantOp %uint IMul %spec %u2\n%pick = OpSpecConstantOp %uint Select %flag %u1 %twice\n";
    node.body = storeResult("%spec", 0) + storeResult("%twice", 1) + storeResult("%pick", 2);
    EXPECT_EQ(runOnce(node, 3), (std::vector<uint32_t>{5, 10, 10}));
    EXPECT_EQ(runOnce(node, 3, {{7, 8}, {8, 1}}), (std::vector<uint32_t>{8, 16, 1}));
}

TEST(OracleLanguage, WorkgroupMemory_IsSharedAcrossABarrier)
{
    NodeText node;
    node.localSize = "4 1 1";
    node.interface = "%lid %shared";
    node.decorations = "OpDecorate %lid BuiltIn LocalInvocationIndex\n";
    node.types =
        "%in_uint = OpTypePointer Input %uint\n%lid = OpVariable %in_uint Input\n"
        "%table = OpTypeArray %uint %u4\n%wg_table = OpTypePointer Workgroup %table\n"
        "%wg_uint = OpTypePointer Workgroup %uint\n%shared = OpVariable %wg_table Workgroup\n"
        "%sem = OpConstant %uint 0x108\n";
    node.body =
        "%i = OpLoad %uint %lid\n%p = OpAccessChain %wg_uint %shared %i\n%sq = OpIMul %uint %i %i\n"
        "OpStore %p %sq\nOpControlBarrier %u2 %u2 %sem\n%r = OpISub %uint %u3 %i\n"
        "%q = OpAccessChain %wg_uint %shared %r\n%v = OpLoad %uint %q\n"
        "%o = OpAccessChain %word %out %u0 %i\nOpStore %o %v\n";
    EXPECT_EQ(runOnce(node, 4), (std::vector<uint32_t>{9, 4, 1, 0}));
}

TEST(OracleLanguage, Barrier_InDivergentControlFlowIsAnError)
{
    NodeText node;
    node.localSize = "2 1 1";
    node.interface = "%lid";
    node.decorations = "OpDecorate %lid BuiltIn LocalInvocationIndex\n";
    node.types =
        "%in_uint = OpTypePointer Input %uint\n%lid = OpVariable %in_uint Input\n%sem = OpConstant %uint 0x108\n";
    node.body =
        "%i = OpLoad %uint %lid\n%z = OpIEqual %bool %i %u0\nOpSelectionMerge %join None\n"
        "OpBranchConditional %z %then %join\n%then = OpLabel\nOpControlBarrier %u2 %u2 %sem\nOpBranch %join\n"
        "%join = OpLabel\n";
    EXPECT_THROW(runOnce(node), RuleError);
}

TEST(OracleLanguage, DeviceAddresses_ReachTheirBuffer)
{
    NodeText node;
    node.capabilities = "OpCapability Int64\nOpCapability PhysicalStorageBufferAddresses\n";
    node.decorations =
        "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\nOpMemberDecorate %Block 1 Offset 4\n";
    node.types =
        "%ulong = OpTypeInt 64 0\n%Block = OpTypeStruct %uint %uint\n"
        "%psb = OpTypePointer PhysicalStorageBuffer %Block\n%psb_uint = OpTypePointer PhysicalStorageBuffer %uint\n"
        "%uint2 = OpTypeVector %uint 2\n%low = OpConstant %uint 0x1000\n%at = OpConstantComposite %uint2 %low %u1\n";
    node.body =
        "%p = OpBitcast %psb %at\n%q = OpAccessChain %psb_uint %p %u1\nOpStore %q %u8 Aligned 4\n"
        "%n = OpConvertPtrToU %ulong %p\n%m = OpConvertUToPtr %psb %n\n%r = OpAccessChain %psb_uint %m %u0\n"
        "OpStore %r %u9 Aligned 4\n";
    node.modes = kOnce;
    std::string text = nodeText(node);
    text.replace(text.find("Logical GLSL450"), 7, "PhysicalStorageBuffer64");
    std::vector<uint32_t> out(2);
    Graph graph({{assemble(text), "main", std::nullopt, std::nullopt, {}}}, {});
    graph.bindBuffer(0, 0, {reinterpret_cast<uint8_t*>(out.data()), 8}, 0x100001000);
    graph.dispatch({{"main", 0, 1, {}, 0}});
    EXPECT_EQ(out, (std::vector<uint32_t>{9, 8}));
}

TEST(OracleLanguage, AccessOutsideOfABuffer_IsAnError)
{
    NodeText node;
    node.body = storeResult("%u1", 9);
    EXPECT_NO_THROW(runOnce(node, 10));
    EXPECT_THROW(runOnce(node, 9), RuleError);
}

}  // namespace

}  // namespace millrace::oracle
