// SPDX-License-Identifier: Apache-2.0
#include "compiler/fuse_nodes.h"

#include <gtest/gtest.h>

namespace millrace::compiler {

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

}  // namespace millrace::compiler
