// SPDX-License-Identifier: Apache-2.0
#include "nodes/pass_test.h"

#include <sstream>

#include "nodes/passes/reject_unsupported.h"

namespace millrace::nodes {

namespace {

constexpr const char* kNames = R"(
OpName %main "main"
OpName %input "input"
OpName %out "out"
OpName %wgid "wgid"
OpName %gid "gid"
OpName %lid "lid"
OpName %lidx "lidx"
OpName %Rec "Rec"
OpName %Grid "Grid"
OpName %InArr "InArr"
OpName %ToArr "ToArr"
OpName %ToRec "ToRec"
OpName %Out "Out"
)";

constexpr const char* kAnnotations = R"(
OpDecorate %wgid BuiltIn WorkgroupId
OpDecorate %gid BuiltIn GlobalInvocationId
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %lidx BuiltIn LocalInvocationIndex
OpMemberDecorate %Rec 0 Offset 0
OpMemberDecorate %Rec 1 Offset 4
OpMemberDecorate %Grid 0 Offset 0
OpMemberDecorate %Grid 0 PayloadDispatchIndirectAMDX
OpMemberDecorate %Grid 1 Offset 12
OpDecorateId %InArr NodeMaxPayloadsAMDX %u4
OpDecorateId %ToArr NodeMaxPayloadsAMDX %u8
OpDecorateId %ToArr PayloadNodeNameAMDX %name_target
OpDecorateId %ToRec NodeMaxPayloadsAMDX %u16
OpDecorateId %ToRec PayloadNodeNameAMDX %name_other
OpDecorate %words ArrayStride 4
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
)";

constexpr const char* kGlobals = R"(
%void = OpTypeVoid
%func = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%int3 = OpTypeVector %int 3
%uint4 = OpTypeVector %uint 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u5 = OpConstant %uint 5
%u6 = OpConstant %uint 6
%u7 = OpConstant %uint 7
%u8 = OpConstant %uint 8
%u16 = OpConstant %uint 16
%name_target = OpConstantStringAMDX "target"
%name_other = OpConstantStringAMDX "other"
%Rec = OpTypeStruct %uint %uint
%Grid = OpTypeStruct %uint3 %uint
%InArr = OpTypeNodePayloadArrayAMDX %Rec
%ToArr = OpTypeNodePayloadArrayAMDX %Grid
%ToRec = OpTypeNodePayloadArrayAMDX %Rec
%np_InArr = OpTypePointer NodePayloadAMDX %InArr
%np_ToArr = OpTypePointer NodePayloadAMDX %ToArr
%np_ToRec = OpTypePointer NodePayloadAMDX %ToRec
%np_Rec = OpTypePointer NodePayloadAMDX %Rec
%np_Grid = OpTypePointer NodePayloadAMDX %Grid
%np_uint = OpTypePointer NodePayloadAMDX %uint
%np_uint3 = OpTypePointer NodePayloadAMDX %uint3
%fn_InArr = OpTypePointer Function %InArr
%fn_ToArr = OpTypePointer Function %ToArr
%fn_ToRec = OpTypePointer Function %ToRec
%fn_Rec = OpTypePointer Function %Rec
%fn_uint = OpTypePointer Function %uint
%fn_uint3 = OpTypePointer Function %uint3
%words = OpTypeRuntimeArray %uint
%Out = OpTypeStruct %words
%sb_Out = OpTypePointer StorageBuffer %Out
%sb_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%in_uint3 = OpTypePointer Input %uint3
%input = OpVariable %np_InArr NodePayloadAMDX
%out = OpVariable %sb_Out StorageBuffer
%wgid = OpVariable %in_uint3 Input
%gid = OpVariable %in_uint3 Input
%lid = OpVariable %in_uint3 Input
%lidx = OpVariable %in_uint Input
)";

std::string trimmed(const std::string& line)
{
    const size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : line.substr(first);
}

}  // namespace

std::string ModuleText::text() const
{
    std::ostringstream out;
    out << "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\n"
        << capabilities << "\nOpExtension \"SPV_AMDX_shader_enqueue\"\n"
        << extensions << "\n"
        << memoryModel << "\nOpEntryPoint GLCompute %main \"main\" " << interface << "\n"
        << modes << "\n"
        << kNames << names << "\n"
        << kAnnotations << annotations << "\n"
        << kGlobals << globals << "\n%main = OpFunction %void None %func\n%entry = OpLabel\n"
        << body << "\nOpReturn\nOpFunctionEnd\n"
        << functions << "\n";
    return out.str();
}

spirv::Words ModuleText::words() const
{
    const auto assembled = spirv::assemble(text());
    EXPECT_TRUE(assembled) << assembled.error().text() << "\n" << text();
    spirv::Words out = assembled ? *assembled : spirv::Words();
    if (out.size() > 1)
        out[1] = version;
    return out;
}

void PassTest::load(const ModuleText& module)
{
    const spirv::Words words = module.words();
    auto read = spirv::read(words);
    ASSERT_TRUE(read) << read.error().text();
    const Status valid = rejectInvalid(*read);
    ASSERT_TRUE(valid) << valid.error().text();
    shader = {};
    shader.module = std::move(*read);
    shader.entry = shader.module.section(spirv::Section::EntryPoints)[0].id(1);
    shader.vulkanMemoryModel = module.memoryModel.find("Vulkan") != std::string::npos;
}

void PassTest::run(const PassFunction& pass)
{
    const Status status = callPass(pass, shader, options);
    ASSERT_TRUE(status) << status.error().text();
    const Status valid = rejectInvalid(shader.module);
    ASSERT_TRUE(valid) << valid.error().text() << "\n" << text();
}

void PassTest::runAll(std::initializer_list<PassFunction> passes)
{
    for (const PassFunction& pass : passes)
        run(pass);
}

std::string PassTest::runAndFail(const PassFunction& pass)
{
    const Status status = callPass(pass, shader, options);
    EXPECT_FALSE(status) << text();
    return status ? std::string() : status.error().text();
}

std::string PassTest::text() const
{
    const auto text = spirv::disassemble(spirv::write(shader.module));
    return text ? *text : text.error().text();
}

std::string PassTest::functions() const
{
    std::istringstream in(text());
    std::string out, function;
    bool inFunction = false, hasBody = false;
    for (std::string line; std::getline(in, line);) {
        if (line.find("= OpFunction ") != std::string::npos) {
            inFunction = true;
            hasBody = false;
            function.clear();
        }
        if (inFunction) {
            hasBody |= line.find("= OpLabel") != std::string::npos;
            function += trimmed(line) + "\n";
        }
        if (line.find("OpFunctionEnd") != std::string::npos && hasBody)
            out += function;
    }
    return out;
}

bool PassTest::has(std::string_view wanted) const
{
    std::istringstream in(text());
    for (std::string line; std::getline(in, line);)
        if (trimmed(line) == wanted)
            return true;
    return false;
}

}  // namespace millrace::nodes
