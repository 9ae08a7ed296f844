// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reject_unsupported.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

std::string rejection(const spirv::Words& words, const std::string& entryPoint = "main")
{
    if (const Status status = rejectRevision1(words); !status)
        return status.error().text();
    const auto module = spirv::read(words);
    if (!module)
        return module.error().text();
    Status status = rejectUnsupported(*module);
    if (status)
        status = rejectOtherEntryPoint(spirv::EntryPoints(*module), entryPoint, spv::ExecutionModel::GLCompute);
    status = status ? rejectInvalid(*module) : status;
    return status ? std::string() : status.error().text();
}

std::string rejection(const ModuleText& module)
{
    return rejection(module.words());
}

spirv::Words assembled(const std::string& text)
{
    const auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    return words ? *words : spirv::Words();
}

constexpr const char* kPlain = R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpEntryPoint Vertex %vertex "vertex"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %func = OpTypeFunction %void
    %main = OpFunction %void None %func
    %entry = OpLabel
    OpReturn
    OpFunctionEnd
    %vertex = OpFunction %void None %func
    %entry2 = OpLabel
    OpReturn
    OpFunctionEnd
)";

// An OpTypePointer, which revision 1 and 2 parse alike, changed to what only revision 1 knows.
spirv::Words withWord(spirv::Words words, spv::Op op, size_t word, uint32_t value, uint32_t newCount = 0)
{
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        if ((words[at] & 0xffff) == static_cast<uint32_t>(op)) {
            words[at + word] = value;
            if (newCount > 0) {
                words.insert(words.begin() + static_cast<ptrdiff_t>(at + (words[at] >> 16)),
                             newCount - (words[at] >> 16), 1);
                words[at] = newCount << 16 | (words[at] & 0xffff);
            }
            return words;
        }
    }
    return words;
}

}  // namespace

TEST(RejectUnsupported, ValidModules_Pass)
{
    EXPECT_EQ(rejection(ModuleText()), "");
    EXPECT_EQ(rejection(assembled(kPlain)), "");
}

TEST(RejectUnsupported, NotSpirv)
{
    EXPECT_NE(rejection(spirv::Words()), "");
    EXPECT_NE(rejection(spirv::Words{1, 2, 3, 4, 5, 6}), "");
    EXPECT_NE(rejection(spirv::Words{0x07230203, 0x00010600, 0, 10, 0, 0xffffffff}), "");
}

TEST(RejectUnsupported, EntryPoints)
{
    EXPECT_NE(rejection(ModuleText().words(), "other").find("no compute entry point"), std::string::npos);
    EXPECT_NE(rejection(assembled(kPlain), "vertex").find("no compute entry point"), std::string::npos);
}

// As glslang wrote them by the header for revision 1: no layout, no OpTypeNodePayloadArrayAMDX.
TEST(RejectUnsupported, Revision1_IsNamedWhereNodesSendNothing)
{
    const auto leaf = [](const std::string& decorations, const std::string& input) {
        return assembled(R"(
            OpCapability Shader
            OpCapability ShaderEnqueueAMDX
            OpExtension "SPV_AMDX_shader_enqueue"
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main "main" %input
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionMode %main CoalescingAMDX
            )" + decorations +
                         R"(
            %void = OpTypeVoid
            %func = OpTypeFunction %void
            %uint = OpTypeInt 32 0
            %u0 = OpConstant %uint 0
            %u4 = OpConstant %uint 4
            %Item = OpTypeStruct %uint
            )" + input + R"(
            %np_Input = OpTypePointer NodePayloadAMDX %Input
            %np_uint = OpTypePointer NodePayloadAMDX %uint
            %input = OpVariable %np_Input NodePayloadAMDX
            %main = OpFunction %void None %func
            %entry = OpLabel
            OpReturn
            OpFunctionEnd
        )");
    };
    const std::string laidOut = "OpMemberDecorate %Item 0 Offset 0\n";
    for (const std::string& decorations : {std::string(), laidOut}) {
        const std::string array = rejection(leaf(decorations, "%Input = OpTypeArray %Item %u4"));
        EXPECT_NE(array.find("revision 1"), std::string::npos) << array;
    }
    const std::string plain = rejection(leaf("", "%Input = OpTypeStruct %Item"));
    EXPECT_NE(plain.find("revision 1"), std::string::npos) << plain;
    EXPECT_NE(plain.find("without a layout"), std::string::npos) << plain;
    EXPECT_EQ(rejection(leaf(laidOut + "OpMemberDecorate %Input 0 Offset 0\n", "%Input = OpTypeStruct %Item")), "");
}

TEST(RejectUnsupported, Revision1_IsNamed)
{
    ModuleText module;
    module.body = "%n = OpNodePayloadArrayLengthAMDX %uint %input";
    const spirv::Words words = module.words();
    const std::string storage = rejection(withWord(words, spv::Op::OpTypePointer, 2, 5076));
    EXPECT_NE(storage.find("revision 1"), std::string::npos) << storage;
    EXPECT_NE(storage.find("NodeOutputPayloadAMDX"), std::string::npos) << storage;
    const std::string initialize = rejection(withWord(words, spv::Op::OpNodePayloadArrayLengthAMDX, 1, 1, 5));
    EXPECT_NE(initialize.find("OpInitializeNodePayloadsAMDX"), std::string::npos) << initialize;
    ModuleText named;
    named.extensions = "OpExtension \"SPV_GOOGLE_decorate_string\"";
    named.annotations = "OpDecorateString %out UserSemantic \"x\"";
    const std::string name = rejection(withWord(named.words(), spv::Op::OpDecorateString, 2, 5091));
    EXPECT_NE(name.find("OpDecorateString"), std::string::npos) << name;
}

TEST(RejectUnsupported, InvalidCode_IsRefused)
{
    ModuleText module;
    module.body = "%v = OpIAdd %uint %u1 %true";
    EXPECT_NE(rejection(module).find("the module is invalid"), std::string::npos);
}

// What real compilers emit and spirv-val alone would refuse.
TEST(RejectUnsupported, RealCode_Passes)
{
    ModuleText module;
    module.annotations = "OpDecorate %input NonWritable";
    module.globals = "%payload_function = OpTypeFunction %uint %np_uint %fn_ToArr";
    module.body = R"(
        %var = OpVariable %fn_ToArr Function
        %ok = OpIsNodePayloadValidAMDX %bool %ToArr %u0
        %p = OpAccessChain %np_uint %input %u0 %u1
        %a = OpAtomicIAdd %uint %p %u1 %u0 %u1
        %f = OpFunctionCall %uint %get %p %var)";
    module.functions = R"(
        %get = OpFunction %uint None %payload_function
        %from = OpFunctionParameter %np_uint
        %handle = OpFunctionParameter %fn_ToArr
        %g1 = OpLabel
        %q = OpAccessChain %fn_uint %handle %u0 %u1
        %v = OpLoad %uint %from
        OpReturnValue %v
        OpFunctionEnd)";
    EXPECT_EQ(rejection(module), "");
}

TEST(RejectUnsupported, Kernels_AreRefused)
{
    const spirv::Words words = assembled(R"(
        OpCapability Addresses
        OpCapability Kernel
        OpCapability Shader
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint GLCompute %main "main"
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %main = OpFunction %void None %func
        %entry = OpLabel
        OpReturn
        OpFunctionEnd)");
    EXPECT_NE(rejection(words).find("not a model for shaders"), std::string::npos);
}

}  // namespace millrace::nodes
