// SPDX-License-Identifier: Apache-2.0
// The numbers that a payload is made of.
#include "nodes/fusion/leaves.h"

#include <gtest/gtest.h>

#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

std::string leaves(const std::string& types, const std::string& decorations)
{
    const auto words = spirv::assemble(
        "OpCapability Shader\nOpCapability Int64\nOpCapability Int16\nOpCapability StorageBuffer16BitAccess\n"
        "OpMemoryModel Logical GLSL450\nOpName %Top \"Top\"\n" +
        decorations + "%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%float = OpTypeFloat 32\n" +
        "%u2 = OpConstant %uint 2\n%v2 = OpTypeVector %float 2\n%v3 = OpTypeVector %float 3\n" + types);
    EXPECT_TRUE(words) << words.error().text();
    const auto module = spirv::read(*words);
    EXPECT_TRUE(module);
    spirv::Id top;
    for (const spirv::Instruction& i : module->section(spirv::Section::DebugNames))
        top = i.id(0);
    const auto found = leavesOf(*module, top, 20);
    if (!found)
        return found.error().message;
    std::string out;
    for (const Leaf& leaf : *found) {
        const char* kind = leaf.bits == 64 ? "l" : leaf.isWidened ? "w" : leaf.bits == 16 ? "s" : "";
        out += std::to_string(leaf.offsetBytes) + kind + " ";
    }
    return out;
}

}  // namespace

TEST(Leaves, Vectors_AndStructures)
{
    EXPECT_EQ(leaves("%Inner = OpTypeStruct %v3 %ulong\n%Top = OpTypeStruct %uint %Inner\n",
                     "OpMemberDecorate %Inner 0 Offset 0\nOpMemberDecorate %Inner 1 Offset 16\n"
                     "OpMemberDecorate %Top 0 Offset 4\nOpMemberDecorate %Top 1 Offset 16\n"),
              "4 16 20 24 32l ");
}

TEST(Leaves, Arrays)
{
    EXPECT_EQ(leaves("%A = OpTypeArray %v2 %u2\n%B = OpTypeArray %A %u2\n%Top = OpTypeStruct %B\n",
                     "OpDecorate %A ArrayStride 16\nOpDecorate %B ArrayStride 40\nOpMemberDecorate %Top 0 Offset 8\n"),
              "8 12 24 28 48 52 64 68 ");
}

TEST(Leaves, Matrices)
{
    const std::string types = "%M = OpTypeMatrix %v3 2\n%Top = OpTypeStruct %M\n";
    const std::string at = "OpMemberDecorate %Top 0 Offset 0\nOpMemberDecorate %Top 0 MatrixStride 16\n";
    EXPECT_EQ(leaves(types, at + "OpMemberDecorate %Top 0 ColMajor\n"), "0 4 8 16 20 24 ");
    EXPECT_EQ(leaves(types, at + "OpMemberDecorate %Top 0 RowMajor\n"), "0 16 32 4 20 36 ");
    EXPECT_EQ(leaves("%M = OpTypeMatrix %v2 2\n%A = OpTypeArray %M %u2\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 16\nOpMemberDecorate %Top 0 RowMajor\n"
                     "OpMemberDecorate %Top 0 Offset 0\nOpMemberDecorate %Top 0 MatrixStride 8\n"),
              "0 8 4 12 16 24 20 28 ");
}

TEST(Leaves, SmallNumbers)
{
    EXPECT_EQ(leaves("%short = OpTypeInt 16 0\n%half = OpTypeFloat 16\n%s3 = OpTypeVector %short 3\n"
                     "%Top = OpTypeStruct %s3 %half\n",
                     "OpMemberDecorate %Top 0 Offset 2\nOpMemberDecorate %Top 1 Offset 10\n"),
              "2s 4s 6s 10w ");  // half precision may be in buffers only there
}

TEST(Leaves, Refusals)
{
    EXPECT_EQ(leaves("%Top = OpTypeStruct %uint\n", ""), "a structure without offsets");
    EXPECT_EQ(leaves("%u20 = OpConstant %uint 21\n%A = OpTypeArray %uint %u20\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 4\nOpMemberDecorate %Top 0 Offset 0\n"),
              "too much to copy by its parts");
    EXPECT_EQ(leaves("%A = OpTypeRuntimeArray %uint\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 4\nOpMemberDecorate %Top 0 Offset 0\n"),
              "a type that cannot be copied by its parts");
}

}  // namespace millrace::nodes
