// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <barrier>
#include <set>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/library.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

// Calls test_add(address from push constants, test_kind(its index)).
std::string host(const std::string& addType = "%void %ulong %uint")
{
    return R"(
               OpCapability Shader
               OpCapability Int64
               OpCapability Linkage
               OpCapability PhysicalStorageBufferAddresses
               OpMemoryModel PhysicalStorageBuffer64 GLSL450
               OpEntryPoint GLCompute %main "main" %index %push
               OpExecutionMode %main LocalSize 8 1 1
               OpName %main "the_entry_point"
               OpName %add "host_add"
               OpDecorate %add LinkageAttributes "test_add" Import
               OpDecorate %kind LinkageAttributes "test_kind" Import
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %Push Block
               OpMemberDecorate %Push 0 Offset 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
    %addType = OpTypeFunction )" +
           addType + R"(
   %kindType = OpTypeFunction %uint %uint
         %u0 = OpConstant %uint 0
   %ptrInput = OpTypePointer Input %uint
      %index = OpVariable %ptrInput Input
       %Push = OpTypeStruct %ulong
    %ptrPush = OpTypePointer PushConstant %Push
       %push = OpVariable %ptrPush PushConstant
   %ptrUlong = OpTypePointer PushConstant %ulong
        %add = OpFunction %void None %addType
          %a = OpFunctionParameter %ulong
          %v = OpFunctionParameter %uint
               OpFunctionEnd
       %kind = OpFunction %uint None %kindType
          %k = OpFunctionParameter %uint
               OpFunctionEnd
       %main = OpFunction %void None %function
      %entry = OpLabel
          %i = OpLoad %uint %index
     %member = OpAccessChain %ptrUlong %push %u0
    %address = OpLoad %ulong %member
      %value = OpFunctionCall %uint %kind %i
    %nothing = OpFunctionCall %void %add %address %value
               OpReturn
               OpFunctionEnd
)";
}

Result<Library> library(std::span<const uint32_t> words)
{
    auto module = read(words);
    return module ? Library::create(std::move(*module)) : module.error();
}

Result<Words> linked(std::span<const uint32_t> first, std::span<const Library::Constant> constants = {})
{
    const auto second = library(shaders::link_library);
    if (!second)
        return second.error();
    auto module = read(first);
    if (!module)
        return module.error();
    const Status status = second->linkInto(*module, constants);
    return status ? Result<Words>(write(*module)) : Result<Words>(status.error());
}

TEST(Link, GlslFunctions_AreResolved)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    const auto module = read(*words);
    ASSERT_TRUE(module);
    EXPECT_FALSE(module->hasCapability(spv::Capability::Linkage));
    for (const Function& function : module->functions)
        EXPECT_FALSE(function.blocks.empty());
    EXPECT_NE(text(*words).find("the_entry_point"), std::string::npos);
}

TEST(Link, FunctionsThatNobodyImports_AreLeftOut)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ(read(*words)->functions.size(), 3u);
    EXPECT_EQ(text(*words).find("test_unused"), std::string::npos);
}

TEST(Link, BuiltinInputs_AreMerged)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    const auto module = read(*words);
    const auto isIndex = [](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.literal(1) == uint32_t(spv::Decoration::BuiltIn) &&
               i.literal(2) == uint32_t(spv::BuiltIn::LocalInvocationIndex);
    };
    EXPECT_EQ(std::ranges::count_if(module->section(Section::Annotations), isIndex), 1);
    // index, push, shared memory and the private variable, each once
    EXPECT_EQ(module->section(Section::EntryPoints)[0].operandCount(), 3u + 4u);
}

TEST(Link, SharedTypesAndConstants_AreThereOnce)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    const auto module = read(*words);
    std::set<std::tuple<spv::Op, uint32_t, decltype(Instruction::words)>> seen;
    for (const Instruction& i : module->section(Section::Globals)) {
        const bool mayRepeat = i.op == spv::Op::OpVariable || i.op == spv::Op::OpTypeStruct ||
                               i.op == spv::Op::OpTypeArray || i.op == spv::Op::OpTypeRuntimeArray ||
                               i.op == spv::Op::OpTypeForwardPointer;
        EXPECT_TRUE(mayRepeat || seen.insert({i.op, i.type.value, i.words}).second) << opName(i.op);
    }
}

TEST(Link, NamesAndDecorationsOfTheLibrary_ComeAlong)
{
    const auto words = linked(assembled(host()));
    ASSERT_TRUE(words) << words.error().text();
    const std::string out = text(*words);
    EXPECT_NE(out.find("%s_total = OpVariable"), std::string::npos) << out;
    EXPECT_NE(out.find("%g_calls = OpVariable"), std::string::npos);
    EXPECT_NE(out.find("OpFunctionCall %void %host_add"), std::string::npos) << "what the host calls it";
    EXPECT_NE(out.find("ArrayStride 4"), std::string::npos);
}

TEST(Link, GivenConstants_AreOrdinary)
{
    const Library::Constant both[] = {{7, 2}, {8, 1}};
    const auto words = linked(assembled(host()), both);
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    EXPECT_NE(text(*words).find("IS_TWICE = OpConstantTrue"), std::string::npos) << text(*words);
    EXPECT_EQ(text(*words).find("OpSpecConstant"), std::string::npos) << text(*words);
    EXPECT_EQ(text(*words).find("SpecId"), std::string::npos);
    const auto open = linked(assembled(host()));
    EXPECT_NE(text(*open).find("SpecId 7"), std::string::npos) << "not given: stays open";
    EXPECT_NE(text(*open).find("SpecId 8"), std::string::npos);
}

TEST(Link, ThenSimplify_LeavesOneKind)
{
    const Library::Constant two[] = {{7, 2}};
    const auto words = linked(assembled(host()), two);
    ASSERT_TRUE(words) << words.error().text();
    const auto simple = simplify(*words);
    ASSERT_TRUE(simple) << simple.error().text();
    EXPECT_TRUE(validate(*simple)) << validate(*simple).error().text();
    const std::string out = text(*simple);
    EXPECT_NE(out.find("54321"), std::string::npos);
    EXPECT_EQ(out.find("12345"), std::string::npos);
    EXPECT_EQ(out.find("999"), std::string::npos);  // of the function that nobody calls
}

TEST(Link, Threads_ShareALibrary)
{
    const auto shared = library(shaders::link_library);
    ASSERT_TRUE(shared);
    const Words first = assembled(host());
    const Words expected = *linked(first);
    std::vector<Words> results(4);
    std::vector<std::thread> threads;
    for (Words& result : results) {
        threads.emplace_back([&] {
            Module module = *read(first);
            if (shared->linkInto(module))
                result = write(module);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const Words& result : results)
        EXPECT_EQ(result, expected);
}

namespace {

// Has a workgroup variable of `type` that it exports; or, as a library, imports it and writes it in an exported
// function.
std::string sharing(const std::string& type, bool isLibrary)
{
    const std::string common = R"(
               OpCapability Shader
               OpCapability Linkage
               OpMemoryModel Logical GLSL450
)";
    const std::string types = R"(
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
         %u0 = OpConstant %uint 0
         %u3 = OpConstant %uint 3
      %words = OpTypeArray %uint %u3
       %pair = OpTypeStruct )" +
                              type +
                              R"(
    %pointer = OpTypePointer Workgroup %pair
       %word = OpTypePointer Workgroup %uint
     %shared = OpVariable %pointer Workgroup
)";
    if (isLibrary) {
        return common + R"(
               OpDecorate %shared LinkageAttributes "shared" Import
               OpDecorate %write LinkageAttributes "write" Export
)" + types + R"(
      %write = OpFunction %void None %function
      %entry = OpLabel
         %at = OpAccessChain %word %shared %u0
               OpStore %at %u3
               OpReturn
               OpFunctionEnd
)";
    }
    return common + R"(
               OpEntryPoint GLCompute %main "main" %shared
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %shared LinkageAttributes "shared" Export
               OpDecorate %write LinkageAttributes "write" Import
)" + types +
           R"(
      %write = OpFunction %void None %function
               OpFunctionEnd
       %main = OpFunction %void None %function
      %entry = OpLabel
    %nothing = OpFunctionCall %void %write
               OpReturn
               OpFunctionEnd
)";
}

}  // namespace

TEST(Link, VariablesOfTheLibrary_AreTheModules)
{
    auto module = read(*assemble(sharing("%uint %words", false)));
    const auto shared = library(*assemble(sharing("%uint %words", true)));
    ASSERT_TRUE(module && shared);
    ASSERT_TRUE(shared->linkInto(*module));
    const std::string text = *disassemble(write(*module));
    EXPECT_EQ(text.find(" OpVariable "), text.rfind(" OpVariable "));
    EXPECT_EQ(text.find(" OpTypeStruct "), text.rfind(" OpTypeStruct "));
    EXPECT_NE(text.find("OpStore"), std::string::npos);
    EXPECT_EQ(text.find("Import"), std::string::npos);
}

// Each library is new, so that whatever it does at first it does on all threads at once.
TEST(Link, ThreadsAtOnce_ALibraryThatImports)
{
    const Module first = *read(*assemble(sharing("%uint %words", false)));
    Module once = first;
    ASSERT_TRUE(library(*assemble(sharing("%uint %words", true)))->linkInto(once));
    const Words expected = write(once);
    for (uint32_t round = 0; round < 300; ++round) {
        const auto shared = library(*assemble(sharing("%uint %words", true)));
        std::vector<Module> modules(4, first);
        std::barrier start(4);
        std::vector<std::thread> threads;
        for (Module& module : modules) {
            threads.emplace_back([&] {
                start.arrive_and_wait();
                EXPECT_TRUE(shared->linkInto(module));
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        for (const Module& module : modules)
            ASSERT_EQ(write(module), expected);
    }
}

TEST(Link, VariablesOfOtherTypes_AreRefused)
{
    auto module = read(*assemble(sharing("%uint %words", false)));
    const auto other = library(*assemble(sharing("%uint %float", true)));
    ASSERT_TRUE(module && other);
    const Status status = other->linkInto(*module);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().text().find("exported with another type"), std::string::npos);
}

TEST(Link, OtherMemoryModel_IsRefused)
{
    std::string text = host();
    text.replace(text.find("PhysicalStorageBuffer64 GLSL450"), 31, "PhysicalStorageBuffer64 Simple");
    const auto words = linked(assembled(text));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("memory model"), std::string::npos) << words.error().text();
}

TEST(Link, SameExportOrImportTwice_IsRefused)
{
    const std::string twoExports = compute("%type = OpTypeFunction %void", "",
                                           "OpDecorate %main LinkageAttributes \"x\" Export\n"
                                           "OpDecorate %main LinkageAttributes \"x\" Export\n");
    EXPECT_FALSE(library(assembled(twoExports)));
    std::string twoImports = host();
    twoImports.replace(twoImports.find("\"test_kind\""), 11, "\"test_add\"");
    const auto words = linked(assembled(twoImports));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("imported twice"), std::string::npos) << words.error().text();
}

TEST(Link, MissingFunction_IsNamed)
{
    std::string text = host();
    text.replace(text.find("\"test_kind\""), 11, "\"test_other\"");
    const auto words = linked(assembled(text));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("test_other"), std::string::npos) << words.error().text();
}

TEST(Link, DifferentTypes_AreRefused)
{
    std::string text = host("%void %ulong %ulong");
    text.replace(text.find("%v = OpFunctionParameter %uint"), 30, "%v = OpFunctionParameter %ulong");
    text.replace(text.find("%add %address %value"), 20, "%add %address %address");
    const auto words = linked(assembled(text));
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().text().find("test_add"), std::string::npos) << words.error().text();
}

TEST(Link, Nonsense_IsRefused)
{
    EXPECT_FALSE(library({}));
    EXPECT_FALSE(linked(Words{1, 2, 3}));
    std::string exported = host();
    exported.replace(exported.find("\"test_add\" Import"), 17, "\"test_add\" Export");
    EXPECT_FALSE(library(assembled(exported))) << "an export without a body";
}

}  // namespace
}  // namespace millrace::spirv::test
