// SPDX-License-Identifier: Apache-2.0
#include "nodes/fuse_nodes.h"

#include <gtest/gtest.h>

namespace millrace::nodes {

std::string NodeSource::text(const std::string& payloads) const
{
    return "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\n" + capabilities +
           "\nOpExtension \"SPV_AMDX_shader_enqueue\"\n" + memoryModel +
           "\nOpEntryPoint GLCompute %main \"main\" %out %lidx " + interface + "\n" + modes + "\n" +
           "OpName %out \"out\"\nOpDecorate %lidx BuiltIn LocalInvocationIndex\n"
           "OpDecorate %words ArrayStride 4\nOpDecorate %Out Block\nOpMemberDecorate %Out 0 Offset 0\n"
           "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n" +
           itemDecorations + decorations + R"(
%void = OpTypeVoid
%func = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%float2 = OpTypeVector %float 2
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u7 = OpConstant %uint 7
%u5 = OpConstant %uint 5
%u8 = OpConstant %uint 8
%u32 = OpConstant %uint 32
%u33 = OpConstant %uint 33
%u16 = OpConstant %uint 16
%u4096 = OpConstant %uint 4096
%name = OpConstantStringAMDX "item"
)" + item + R"(
%Items = OpTypeNodePayloadArrayAMDX %Item
%np_Items = OpTypePointer NodePayloadAMDX %Items
%np_Item = OpTypePointer NodePayloadAMDX %Item
%np_uint = OpTypePointer NodePayloadAMDX %uint
%fn_uint = OpTypePointer Function %uint
%fn_Item = OpTypePointer Function %Item
%fn_Items = OpTypePointer Function %Items
%words = OpTypeRuntimeArray %uint
%Out = OpTypeStruct %words
%sb_Out = OpTypePointer StorageBuffer %Out
%sb_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %sb_Out StorageBuffer
%lidx = OpVariable %in_uint Input
)" + payloads +
           globals + "\n%main = OpFunction %void None %func\n%entry = OpLabel\n" + body +
           "\nOpReturn\nOpFunctionEnd\n" + functions;
}

spirv::Words assembled(const std::string& text)
{
    const auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text() << "\n" << text;
    return words ? *words : spirv::Words();
}

NodeSource producer(const std::string& body)
{
    NodeSource source;
    source.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1";
    source.itemDecorations +=
        "OpDecorateId %Items NodeMaxPayloadsAMDX %u8\nOpDecorateId %Items PayloadNodeNameAMDX %name\n";
    source.body = body;
    return source;
}

NodeSource consumer(const std::string& body)
{
    NodeSource source;
    source.modes = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX";
    source.itemDecorations += "OpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    source.interface = "%input";
    source.body = body;
    return source;
}

std::string sends(const std::string& count, const std::string& index, const std::string& fill)
{
    return "%lane = OpLoad %uint %lidx\n%sent = OpAllocateNodePayloadsAMDX %np_Items %u4 " + count + " " + index +
           "\n" + fill + "\nOpEnqueueNodePayloadsAMDX %sent\n";
}

NodeSource recursive(const std::string& index, const std::string& maximum)
{
    NodeSource source = consumer(std::string(R"(
        %remaining = OpLoad %uint %rem
        %is_last = OpIEqual %bool %remaining %u0
        OpSelectionMerge %rest None
        OpBranchConditional %is_last %leaf %rest
        %leaf = OpLabel)") + kWork +
                                 R"(
        OpReturn
        %rest = OpLabel
        %lane_at = OpAccessChain %np_uint %input %u0 %u1
        %lane = OpLoad %uint %lane_at
        %sent = OpAllocateNodePayloadsAMDX %np_Nexts %u4 %u2 )" +
                                 index + kFill + R"(
        OpEnqueueNodePayloadsAMDX %sent)");
    source.interface += " %rem";
    source.modes += "\nOpExecutionModeId %main MaxNodeRecursionAMDX " + maximum;
    source.decorations += R"(
        OpDecorate %rem BuiltIn RemainingRecursionLevelsAMDX
        OpDecorateId %Nexts NodeMaxPayloadsAMDX %u2
        OpDecorateId %Nexts PayloadNodeNameAMDX %name)";
    source.globals += R"(
        %Nexts = OpTypeNodePayloadArrayAMDX %Item
        %np_Nexts = OpTypePointer NodePayloadAMDX %Nexts
        %rem = OpVariable %in_uint Input)";
    return source;
}

NodeSource regular(const std::string& maximum)
{
    NodeSource source = recursive("%u0", maximum);
    const size_t atomic = source.body.find("%old = ");
    source.body.replace(atomic, source.body.find('\n', atomic) - atomic, "OpStore %word_at %u1");
    return source;
}

NodeSource uneven(const std::string& maximum)
{
    NodeSource source = regular(maximum);
    const std::string count = "%np_Nexts %u4 %u2 ";
    source.body.replace(source.body.find(count), count.size(), "%np_Nexts %u4 %lane ");
    return source;
}

}  // namespace millrace::nodes
