// SPDX-License-Identifier: Apache-2.0
#include "spirv/programs.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace millrace::spirv::test {

namespace {

constexpr const char* kLines = R"(
               OpCapability Shader
               OpExtension "SPV_KHR_non_semantic_info"
        %ext = OpExtInstImport "NonSemantic.Test"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %file = OpString "a file name of more than one word"
               OpSource GLSL 460 %file "void main() {}"
               OpName %main "main"
               OpModuleProcessed "by hand"
               OpLine %file 1 1
       %void = OpTypeVoid
               OpNoLine
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
   %withArgs = OpTypeFunction %uint %uint %uint
      %note1 = OpExtInst %void %ext 1 %uint
               OpLine %file 2 1
       %main = OpFunction %void None %function
               OpLine %file 3 1
      %entry = OpLabel
               OpNop
               OpLine %file 4 1
               OpBranch %last
               OpLine %file 5 1
       %last = OpLabel
      %note2 = OpExtInst %void %ext 2 %entry
               OpReturn
               OpNoLine
               OpFunctionEnd
               OpLine %file 6 1
        %add = OpFunction %uint None %withArgs
               OpLine %file 7 1
          %a = OpFunctionParameter %uint
               OpLine %file 7 5
          %b = OpFunctionParameter %uint
               OpLine %file 7 9
       %body = OpLabel
        %sum = OpIAdd %uint %a %b
               OpReturnValue %sum
               OpFunctionEnd
      %note3 = OpExtInst %void %ext 3 %main
)";

constexpr const char* kGroups = R"(
               OpCapability Shader
               OpCapability Int64
               OpCapability PhysicalStorageBufferAddresses
               OpExtension "SPV_KHR_physical_storage_buffer"
               OpMemoryModel PhysicalStorageBuffer64 GLSL450
               OpEntryPoint GLCompute %main "main" %push
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %Node Block
               OpDecorate %Push Block
               OpDecorate %zero Offset 0
       %zero = OpDecorationGroup
               OpGroupMemberDecorate %zero %Node 0 %Push 0
               OpMemberDecorate %Node 1 Offset 8
               OpDecorate %relaxed RelaxedPrecision
    %relaxed = OpDecorationGroup
               OpGroupDecorate %relaxed %x %y
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
               OpTypeForwardPointer %Pointer PhysicalStorageBuffer
       %Node = OpTypeStruct %Pointer %ulong
    %Pointer = OpTypePointer PhysicalStorageBuffer %Node
       %Push = OpTypeStruct %Pointer
    %ptrPush = OpTypePointer PushConstant %Push
 %ptrPointer = OpTypePointer PushConstant %Pointer
   %ptrUlong = OpTypePointer PhysicalStorageBuffer %ulong
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
        %big = OpConstant %ulong 0x123456789abcdef0
       %push = OpVariable %ptrPush PushConstant
       %main = OpFunction %void None %function
      %entry = OpLabel
          %x = OpIAdd %uint %u1 %u1
          %y = OpIAdd %uint %u1 %u1
     %member = OpAccessChain %ptrPointer %push %u0
    %pointer = OpLoad %Pointer %member
      %value = OpAccessChain %ptrUlong %pointer %u1
               OpStore %value %big Aligned 8
               OpReturn
               OpFunctionEnd
)";

constexpr const char* kBranches = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %out
               OpExecutionMode %main LocalSize 4 1 1
               OpName %pick "pick"
               OpDecorate %words ArrayStride 4
               OpDecorate %Out Block
               OpMemberDecorate %Out 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
       %pickT = OpTypeFunction %uint %uint
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u5 = OpConstant %uint 5
         %u9 = OpConstant %uint 9
       %scope = OpConstant %uint 2
   %semantics = OpConstant %uint 264
      %words = OpTypeRuntimeArray %uint
        %Out = OpTypeStruct %words
    %ptr_Out = OpTypePointer StorageBuffer %Out
   %ptr_word = OpTypePointer StorageBuffer %uint
        %out = OpVariable %ptr_Out StorageBuffer
       %pick = OpFunction %uint None %pickT
          %n = OpFunctionParameter %uint
  %pickEntry = OpLabel
               OpSelectionMerge %pickEnd None
               OpSwitch %n %other 1 %one 5 %five 0xffffffff %one
        %one = OpLabel
               OpBranch %pickEnd
       %five = OpLabel
               OpBranch %pickEnd
      %other = OpLabel
               OpBranch %pickEnd
    %pickEnd = OpLabel
     %picked = OpPhi %uint %u1 %one %u5 %five %u9 %other
               OpReturnValue %picked
               OpFunctionEnd
       %main = OpFunction %void None %function
      %entry = OpLabel
               OpBranch %head
       %head = OpLabel
          %i = OpPhi %uint %u0 %entry %next %tail
       %less = OpULessThan %bool %i %u5
               OpLoopMerge %exit %tail None
               OpBranchConditional %less %inside %exit 3 1
     %inside = OpLabel
       %slot = OpAccessChain %ptr_word %out %u0 %i
      %value = OpFunctionCall %uint %pick %i
               OpStore %slot %value
               OpControlBarrier %scope %scope %semantics
        %old = OpAtomicIAdd %uint %slot %u1 %u0 %u1
               OpBranch %tail
       %tail = OpLabel
       %next = OpIAdd %uint %i %u1
               OpBranch %head
       %exit = OpLabel
               OpReturn
               OpFunctionEnd
)";

constexpr const char* kNode = R"(
               OpCapability Shader
               OpCapability ShaderEnqueueAMDX
               OpExtension "SPV_AMDX_shader_enqueue"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionModeId %main LocalSizeId %size %u1 %u1
               OpExecutionModeId %main StaticNumWorkgroupsAMDX %grid %u1 %u1
               OpExecutionModeId %main ShaderIndexAMDX %shaderIndex
               OpExecutionModeId %main IsApiEntryAMDX %isEntry
               OpName %limit "limit"
               OpName %grid "grid"
               OpDecorate %limit SpecId 3
               OpDecorate %size SpecId 4
               OpDecorate %shaderIndex SpecId 5
               OpDecorate %isEntry SpecId 6
               OpMemberDecorate %To 0 Offset 0
               OpDecorateId %ToArray NodeMaxPayloadsAMDX %limit
               OpDecorateId %ToArray PayloadNodeNameAMDX %name
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
      %limit = OpSpecConstant %uint 8
       %size = OpSpecConstant %uint 32
%shaderIndex = OpSpecConstant %uint 0
    %isEntry = OpSpecConstantTrue %bool
       %grid = OpSpecConstantOp %uint IMul %limit %u2
       %name = OpConstantStringAMDX "next"
         %To = OpTypeStruct %uint
    %ToArray = OpTypeNodePayloadArrayAMDX %To
   %ptrArray = OpTypePointer NodePayloadAMDX %ToArray
    %ptrUint = OpTypePointer NodePayloadAMDX %uint
       %main = OpFunction %void None %function
      %entry = OpLabel
         %to = OpAllocateNodePayloadsAMDX %ptrArray %u2 %u1 %u0
     %member = OpAccessChain %ptrUint %to %u0 %u0
               OpStore %member %grid
               OpEnqueueNodePayloadsAMDX %to
               OpReturn
               OpFunctionEnd
)";

// Payload pointers as parameters, as HLSL compiled without optimization passes them; spirv-val rejects that.
constexpr const char* kPayloadParameter = R"(
               OpCapability Shader
               OpCapability ShaderEnqueueAMDX
               OpExtension "SPV_AMDX_shader_enqueue"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1
               OpMemberDecorate %To 0 Offset 0
               OpDecorateId %ToArray NodeMaxPayloadsAMDX %limit
               OpDecorateId %ToArray PayloadNodeNameAMDX %name
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
      %limit = OpConstant %uint 77
       %name = OpConstantStringAMDX "next"
         %To = OpTypeStruct %uint
    %ToArray = OpTypeNodePayloadArrayAMDX %To
   %ptrArray = OpTypePointer NodePayloadAMDX %ToArray
    %ptrUint = OpTypePointer NodePayloadAMDX %uint
      %fillT = OpTypeFunction %void %ptrArray %uint
       %fill = OpFunction %void DontInline %fillT
      %array = OpFunctionParameter %ptrArray
      %value = OpFunctionParameter %uint
  %fillEntry = OpLabel
     %member = OpAccessChain %ptrUint %array %u0 %u0
               OpStore %member %value
               OpReturn
               OpFunctionEnd
       %main = OpFunction %void None %function
      %entry = OpLabel
         %to = OpAllocateNodePayloadsAMDX %ptrArray %u2 %u1 %u0
     %nothing = OpFunctionCall %void %fill %to %u2
               OpEnqueueNodePayloadsAMDX %to
               OpReturn
               OpFunctionEnd
)";

}  // namespace

const std::vector<Program>& programs()
{
    static const std::vector<Program> all = {
        {"lines", kLines},
        {"groups", kGroups},
        {"branches", kBranches},
        {"node", kNode},
        {"payload_parameter", kPayloadParameter, false},
    };
    return all;
}

std::vector<std::filesystem::path> nodePrograms()
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_PROGRAMS))
        if (entry.path().extension() == ".spvasm")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string load(const std::filesystem::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

Words assembled(std::string_view text)
{
    auto words = assemble(text);
    if (!words) {
        ADD_FAILURE() << words.error().text();
        return {};
    }
    return *words;
}

Module moduleOf(std::string_view text)
{
    auto module = read(assembled(text));
    if (!module) {
        ADD_FAILURE() << module.error().text();
        return {};
    }
    return *module;
}

std::string text(const Module& module)
{
    return text(write(module));
}

std::string text(std::span<const uint32_t> words)
{
    auto out = disassemble(words);
    if (!out) {
        ADD_FAILURE() << out.error().text();
        return {};
    }
    return *out;
}

namespace {

template <typename Edit>
Result<Words> edited(std::span<const uint32_t> words, const Edit& edit)
{
    auto module = read(words);
    if (!module)
        return module.error();
    const Status status = edit(*module);
    return status ? Result<Words>(write(*module)) : Result<Words>(status.error());
}

}  // namespace

Result<Words> specialize(std::span<const uint32_t> words, std::span<const SpecializationValue> values)
{
    return edited(words, [&](Module& module) { return spirv::specialize(module, values); });
}

Result<Words> extractEntryPoint(std::span<const uint32_t> words, std::string_view name)
{
    return edited(words, [&](Module& module) { return spirv::extractEntryPoint(module, name); });
}

Result<Words> removeUnused(std::span<const uint32_t> words)
{
    return edited(words, [](Module& module) {
        spirv::removeUnused(module);
        return Status();
    });
}

std::string compute(std::string_view globals, std::string_view body, std::string_view annotations)
{
    std::ostringstream out;
    out << R"(
               OpCapability Shader
               OpCapability Int8
               OpCapability Int16
               OpCapability Int64
               OpCapability Float64
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               )"
        << annotations << R"(
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
               )"
        << globals << R"(
       %main = OpFunction %void None %function
      %entry = OpLabel
               )"
        << body << R"(
               OpReturn
               OpFunctionEnd
)";
    return out.str();
}

}  // namespace millrace::spirv::test
