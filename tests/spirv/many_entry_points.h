// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace millrace::spirv::test {

// A module of so many small nodes "node_0", "node_1" and so on, each with an input of its own, a name, a mode, types
// and a constant, beside what all of them have.
inline std::string manyEntryPoints(uint32_t count)
{
    std::string entryPoints, modes, names, decorations, globals, functions;
    for (uint32_t n = 0; n < count; ++n) {
        const std::string i = std::to_string(n);
        entryPoints += "OpEntryPoint GLCompute %f" + i + " \"node_" + i + "\" %out %in" + i + "\n";
        modes += "OpExecutionMode %f" + i + " LocalSize 32 1 1\n" + "OpExecutionModeId %f" + i +
                 " StaticNumWorkgroupsAMDX %u1 %u1 %u1\n";
        names += "OpName %f" + i + " \"function_" + i + "\"\n";
        decorations += "OpDecorate %P" + i + " Block\n" + "OpMemberDecorate %P" + i + " 0 Offset 0\n";
        globals += "%v" + i + " = OpConstant %uint " + std::to_string(n + 2) + "\n%P" + i +
                   " = OpTypeStruct %uint\n%A" + i + " = OpTypeNodePayloadArrayAMDX %P" + i + "\n%p" + i +
                   " = OpTypePointer NodePayloadAMDX %A" + i + "\n%in" + i + " = OpVariable %p" + i +
                   " NodePayloadAMDX\n";
        functions += "%f" + i + " = OpFunction %void None %function\n" + "%label" + i + " = OpLabel\n" + "%from" + i +
                     " = OpAccessChain %np_uint %in" + i + " %u0 %u0\n%read" + i + " = OpLoad %uint %from" + i +
                     "\n%sum" + i + " = OpIAdd %uint %read" + i + " %v" + i + "\n%to" + i +
                     " = OpAccessChain %sb_uint %out %u0\n" + "OpStore %to" + i + " %sum" + i +
                     "\nOpReturn\nOpFunctionEnd\n";
    }
    return R"(
        OpCapability Shader
        OpCapability ShaderEnqueueAMDX
        OpExtension "SPV_AMDX_shader_enqueue"
        OpMemoryModel Logical GLSL450
    )" + entryPoints +
           modes + names + R"(
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
    )" + decorations +
           R"(
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %Out = OpTypeStruct %uint
        %sb_Out = OpTypePointer StorageBuffer %Out
        %sb_uint = OpTypePointer StorageBuffer %uint
        %np_uint = OpTypePointer NodePayloadAMDX %uint
        %out = OpVariable %sb_Out StorageBuffer
    )" + globals +
           functions;
}

}  // namespace millrace::spirv::test
