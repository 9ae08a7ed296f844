// SPDX-License-Identifier: Apache-2.0
#include "commands_shaders/variant_text.h"

#include <sstream>

namespace millrace::commands {

namespace {

constexpr const char* kAnnotations = R"(
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
OpMemberDecorate %Push 1 Offset 4
OpMemberDecorate %Push 2 Offset 16
OpMemberDecorate %Push 3 Offset 32
OpMemberDecorate %Push 4 Offset 48
OpMemberDecorate %Push 5 Offset 52
OpDecorate %four ArrayStride 4
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
)";

constexpr const char* kGlobals = R"(
%void = OpTypeVoid
%func = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v4uint = OpTypeVector %uint 4
%v3int = OpTypeVector %int 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u5 = OpConstant %uint 5
%u6 = OpConstant %uint 6
%u7 = OpConstant %uint 7
%u8 = OpConstant %uint 8
%four = OpTypeArray %uint %u4
%Push = OpTypeStruct %uint %uint %v4uint %four %uint %float
%pc_Push = OpTypePointer PushConstant %Push
%pc_uint = OpTypePointer PushConstant %uint
%pc_float = OpTypePointer PushConstant %float
%pc_v4uint = OpTypePointer PushConstant %v4uint
%pc_four = OpTypePointer PushConstant %four
%in_uint = OpTypePointer Input %uint
%in_int = OpTypePointer Input %int
%in_v3uint = OpTypePointer Input %v3uint
%in_v3int = OpTypePointer Input %v3int
%Out = OpTypeStruct %uint
%sb_Out = OpTypePointer StorageBuffer %Out
%sb_uint = OpTypePointer StorageBuffer %uint
%out = OpVariable %sb_Out StorageBuffer
%push = OpVariable %pc_Push PushConstant
)";

std::string trimmed(const std::string& line)
{
    const size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : line.substr(first);
}

std::string textOf(const spirv::Words& words)
{
    const Status valid = spirv::validate(words);
    EXPECT_TRUE(valid) << valid.error().text();
    const auto text = spirv::disassemble(words);
    EXPECT_TRUE(text) << text.error().text();
    return text ? *text : std::string();
}

}  // namespace

spirv::Words ShaderText::words() const
{
    std::ostringstream text;
    text << "OpCapability Shader\n"
         << capabilities << "\nOpMemoryModel Logical GLSL450\nOpEntryPoint " << model << " %main \"main\" "
         << interface << "\n"
         << modes << "\nOpName %main \"main\"\nOpName %Push \"Push\"\nOpName %push \"push\"\nOpName %out \"out\"\n"
         << kAnnotations << annotations << "\n"
         << kGlobals << globals << "\n%main = OpFunction %void None %func\n%entry = OpLabel\n"
         << body << "\nOpReturn\nOpFunctionEnd\n"
         << functions << "\n";
    auto words = spirv::assemble(text.str());
    EXPECT_TRUE(words) << words.error().text();
    if (!words)
        return {};
    (*words)[1] = version;
    const Status valid = spirv::validate(*words);
    EXPECT_TRUE(valid) << valid.error().text();
    return *words;
}

std::string functionText(const spirv::Words& words, const std::string& name)
{
    std::istringstream in(textOf(words));
    std::string out;
    bool isInside = false;
    for (std::string line; std::getline(in, line);) {
        line = trimmed(line);
        isInside |= line.starts_with("%" + name + " = OpFunction ");
        if (isInside)
            out += line + "\n";
        if (line == "OpFunctionEnd")
            isInside = false;
    }
    return out;
}

bool hasLine(const spirv::Words& words, const std::string& wanted)
{
    std::istringstream in(textOf(words));
    for (std::string line; std::getline(in, line);)
        if (trimmed(line) == wanted)
            return true;
    return false;
}

}  // namespace millrace::commands
