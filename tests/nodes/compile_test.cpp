// SPDX-License-Identifier: Apache-2.0
// Whole compilations of real node shaders: every program of tests/programs in every way that the layer may ask for.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

std::string readText(const std::string& name)
{
    std::ifstream file(std::string(MILLRACE_PROGRAMS) + "/" + name + ".spvasm");
    EXPECT_TRUE(file.good()) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

spirv::Words assembled(const std::string& text)
{
    const auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    return words ? *words : spirv::Words();
}

std::vector<std::string> programs()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_PROGRAMS))
        if (entry.path().extension() == ".spvasm")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> entryPoints(const spirv::Words& words)
{
    std::vector<std::string> names;
    const auto module = spirv::read(words);
    EXPECT_TRUE(module);
    for (const auto& i : module->section(spirv::Section::EntryPoints))
        if (i.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
            names.push_back(i.string(2));
    return names;
}

Options defaults()
{
    Options options;
    options.request.argumentsOffsetBytes = 64;
    options.checks.validate = true;
    return options;
}

CompiledNode compiled(const spirv::Words& words, const Options& options,
                      graph::MemoryUse memory = graph::MemoryUse::Reserves)
{
    auto result = compile(words, options, memory);
    EXPECT_TRUE(result) << result.error().text();
    return result ? *result : CompiledNode();
}

std::string textOf(const spirv::Words& words)
{
    const auto text = spirv::disassemble(words);
    return text ? *text : text.error().text();
}

void replace(std::string& text, const std::string& from, const std::string& to)
{
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

}  // namespace

class Programs : public testing::TestWithParam<std::string> {
protected:
    void compileAll(const spirv::Words& words, Options options)
    {
        for (const std::string& entry : entryPoints(words)) {
            options.request.entryPoint = entry;
            const auto result = compile(words, options);
            EXPECT_TRUE(result) << entry << ": " << result.error().text();
            if (result) {
                const std::string text = textOf(result->words);
                EXPECT_EQ(text.find("AMDX"), std::string::npos);
                EXPECT_EQ(text.find("SpecId"), std::string::npos) << "all that the device library asks for is given";
                EXPECT_EQ(result->words[1], 0x00010600u);
            }
        }
    }
};

TEST_P(Programs, Compiles)
{
    compileAll(assembled(readText(GetParam())), defaults());
}

// Every capability of the module is one that a driver without them has.
TEST_P(Programs, WithoutLongIntegers_NoneAreLeft)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    options.target.longIntegers = false;
    options.target.longAtomics = false;
    ASSERT_FALSE(usesLongIntegers(words)) << "the program is not to need them itself";
    for (const graph::MemoryUse memory : {graph::MemoryUse::Reserves, graph::MemoryUse::Fits}) {
        for (const std::string& entry : entryPoints(words)) {
            options.request.entryPoint = entry;
            const std::string text = textOf(compiled(words, options, memory).words);
            EXPECT_EQ(text.find("Int64"), std::string::npos) << entry;
            EXPECT_EQ(text.find("OpTypeInt 64"), std::string::npos) << entry;
        }
    }
}

TEST_P(Programs, WithoutLongAtomics_IntegersStayAsTheyAre)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    options.target.longAtomics = false;
    for (const std::string& entry : entryPoints(words)) {
        options.request.entryPoint = entry;
        const std::string text = textOf(compiled(words, options).words);
        EXPECT_EQ(text.find("Int64Atomics"), std::string::npos) << entry;
        EXPECT_NE(text.find("OpCapability Int64"), std::string::npos) << entry;
    }
}

// What device functions may not use is not declared; the programs themselves have no operations of subgroups.
TEST_P(Programs, WithoutSubgroupOperations_NoneAreLeft)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    options.checks.validate = true;
    for (const graph::MemoryUse memory : {graph::MemoryUse::Reserves, graph::MemoryUse::Fits}) {
        for (const std::string& entry : entryPoints(words)) {
            options.request.entryPoint = entry;
            options.target.subgroupOperations = abi::kSubgroupNone;
            EXPECT_EQ(textOf(compiled(words, options, memory).words).find("GroupNonUniform"), std::string::npos)
                << entry;
            options.target.subgroupOperations = abi::kSubgroupBallot;
            const std::string text = textOf(compiled(words, options, memory).words);
            EXPECT_EQ(text.find("GroupNonUniformArithmetic"), std::string::npos) << entry;
            EXPECT_EQ(text.find("GroupNonUniformShuffle"), std::string::npos) << entry;
        }
    }
}

// Device functions that reduce are there for nodes that send.
TEST_P(Programs, CapabilityForReductions_OnlyWhereThereAreSome)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    for (const graph::MemoryUse memory : {graph::MemoryUse::Reserves, graph::MemoryUse::Fits}) {
        for (const std::string& entry : entryPoints(words)) {
            options.request.entryPoint = entry;
            const std::string text = textOf(compiled(words, options, memory).words);
            const bool reduces = text.find("OpGroupNonUniformIAdd") != std::string::npos ||
                                 text.find("OpGroupNonUniformUMax") != std::string::npos;
            EXPECT_EQ(text.find("GroupNonUniformArithmetic") != std::string::npos, reduces) << entry;
        }
    }
}

TEST_P(Programs, CompilesUnpacked)
{
    Options options = defaults();
    options.target.packWidth = 0;
    compileAll(assembled(readText(GetParam())), options);
}

TEST_P(Programs, CompilesForTheIndirectPath)
{
    Options options = defaults();
    options.variant.indirect = true;
    compileAll(assembled(readText(GetParam())), options);
}

// Drivers may say behind an indirect dispatch what the number was the time before (docs/gpu.md).
TEST_P(Programs, IndirectPath_ReadsNoNumberOfWorkgroups)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    options.variant.indirect = true;
    for (const std::string& entry : entryPoints(words)) {
        options.request.entryPoint = entry;
        for (const graph::MemoryUse memory : {graph::MemoryUse::Reserves, graph::MemoryUse::Fits}) {
            EXPECT_EQ(textOf(compiled(words, options, memory).words).find("BuiltIn NumWorkgroups"), std::string::npos)
                << entry;
        }
    }
}

TEST_P(Programs, CompilesWithPushConstantsInMemory)
{
    Options options = defaults();
    options.request.pushConstantsInMemory = true;
    options.request.argumentsOffsetBytes = 0;
    compileAll(assembled(readText(GetParam())), options);
}

TEST_P(Programs, CompilesInTheVulkanMemoryModel)
{
    std::string text = readText(GetParam());
    replace(text, "OpMemoryModel Logical GLSL450", "OpMemoryModel Logical Vulkan");
    replace(text, "OpCapability Shader\n",
            "OpCapability Shader\nOpCapability VulkanMemoryModel\n"
            "OpCapability VulkanMemoryModelDeviceScope\n");
    compileAll(assembled(text), defaults());
}

TEST_P(Programs, CompileTheSameEveryTime)
{
    const spirv::Words words = assembled(readText(GetParam()));
    Options options = defaults();
    options.request.entryPoint = entryPoints(words).at(0);
    const CompiledNode first = compiled(words, options);
    EXPECT_EQ(compiled(words, options).words, first.words);
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(programs()),
                         [](const auto& information) { return information.param; });

TEST(Compile, ThereArePrograms)
{
    EXPECT_GE(programs().size(), 19u);
}

TEST(Compile, Threads_ShareNothing)
{
    const spirv::Words words = assembled(readText("dxc_a"));
    const CompiledNode expected = compiled(words, defaults());
    std::vector<std::thread> threads;
    std::vector<spirv::Words> results(4);
    for (spirv::Words& result : results)
        threads.emplace_back([&] { result = compiled(words, defaults()).words; });
    for (std::thread& thread : threads)
        thread.join();
    for (const spirv::Words& result : results)
        EXPECT_EQ(result, expected.words);
}

TEST(Compile, AfterPass_SeesAllPassesInOrder)
{
    std::vector<std::string> passes;
    Options options = defaults();
    options.request.entryPoint = "a";
    options.checks.afterPass = [&](std::string_view pass, std::span<const uint32_t> words) {
        passes.emplace_back(pass);
        EXPECT_TRUE(spirv::read(words)) << pass;
    };
    compiled(assembled(readText("level_a")), options);
    EXPECT_TRUE(std::ranges::equal(passes, passNames()));
    EXPECT_EQ(passes,
              (std::vector<std::string>{
                  "extractEntryPoint",    "rejectInvalid",       "specialize",        "inlinePayloadFunctions",
                  "upgradeModule",        "specializeRecursion", "narrowCoalescing",  "reflectNode",
                  "splitPayloadCopies",   "reflectOutputs",      "choosePacking",     "checkBudgets",
                  "makePayloadsCoherent", "lowerBuiltIns",       "lowerPayloads",     "enqueueForgottenPayloads",
                  "lowerPushConstants",   "orderPayloadMemory",  "wrapEntryPoint",    "narrowEnqueues",
                  "gatherEnqueues",       "narrowAllocations",   "placeKeptPayloads", "runOnce",
                  "stepThroughGrid",      "linkDeviceLibrary",   "decideBranches",    "inlineCalls",
                  "dropReadOnly",         "scanReductions",      "splitLongIntegers"}));
}

TEST(Compile, Names_Survive)
{
    ModuleText module;
    module.names = "OpName %scale \"scale\"\nOpMemberName %Rec 1 \"second\"";
    module.body = R"(
        %p = OpAccessChain %np_uint %input %u0 %u1
        %scale = OpLoad %uint %p
        %q = OpAccessChain %sb_uint %out %u0 %scale
        OpStore %q %scale)";
    const std::string text = textOf(compiled(module.words(), defaults()).words);
    EXPECT_NE(text.find("%scale = OpLoad"), std::string::npos) << text;
    EXPECT_NE(text.find("OpMemberName %Rec 1 \"second\""), std::string::npos);
    EXPECT_NE(text.find("OpName %node_main \"node_main\""), std::string::npos);
    EXPECT_NE(text.find("OpName %mr_begin"), std::string::npos) << "the device functions have theirs";
}

TEST(Compile, NamesOfFunctions_Survive)
{
    ModuleText module;
    module.names = "OpName %helper \"tint\"";
    module.body = "%x = OpFunctionCall %void %helper";
    module.functions = R"(
        %helper = OpFunction %void None %func
        %h1 = OpLabel
        OpReturn
        OpFunctionEnd)";
    std::string source = module.text();
    replace(source, "OpName %main \"main\"", "OpName %main \"scatter\"");
    const std::string text = textOf(compiled(assembled(source), defaults()).words);
    EXPECT_NE(text.find("%scatter = OpFunction "), std::string::npos) << text;
    EXPECT_NE(text.find("%tint = OpFunction "), std::string::npos);
    EXPECT_NE(text.find("OpEntryPoint GLCompute %main \"main\""), std::string::npos) << "ours, which calls it";
}

TEST(Compile, ColdLibrary_ThreadsGetTheSame)
{
    // Every way to run is asked for by all threads at once; whoever is first makes the library.
    std::vector<std::thread> threads;
    std::vector<std::vector<spirv::Words>> results(4);
    for (std::vector<spirv::Words>& result : results) {
        threads.emplace_back([&result] {
            for (const char* name : {"level_a", "level_b", "coalesce_c", "share_base", "single_struct"}) {
                const spirv::Words words = assembled(readText(name));
                for (const bool indirect : {false, true}) {
                    Options options = defaults();
                    options.variant.indirect = indirect;
                    options.request.entryPoint = entryPoints(words).at(0);
                    result.push_back(compiled(words, options).words);
                }
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const std::vector<spirv::Words>& result : results)
        EXPECT_EQ(result, results[0]);
}

TEST(Compile, UnusedDeviceFunctions_AreNotThere)
{
    ModuleText module;
    const std::string text = textOf(compiled(module.words(), defaults()).words);
    EXPECT_EQ(text.find("mr_allocate"), std::string::npos);
    EXPECT_EQ(text.find("mr_enqueue"), std::string::npos);
}

TEST(Compile, TablesOfTheDeviceFunctions_AreReadOnly_UnlessTheDriverCompilesThatWrongly)
{
    Options options = defaults();
    EXPECT_NE(textOf(compiled(ModuleText().words(), options).words).find("NonWritable"), std::string::npos);
    options.target.dropsReadOnly = true;
    EXPECT_EQ(textOf(compiled(ModuleText().words(), options).words).find("NonWritable"), std::string::npos);
}

TEST(Compile, BuiltInsOfApplicationAndLibrary_AreOne)
{
    ModuleText module;
    module.body = R"(
        %i = OpLoad %uint %lidx
        %l = OpLoad %uint3 %lid
        %x = OpCompositeExtract %uint %l 0
        %p = OpAccessChain %sb_uint %out %u0 %i
        OpStore %p %x
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0)";
    const std::string text = textOf(compiled(module.words(), defaults()).words);
    const std::string wanted = "BuiltIn LocalInvocationIndex";
    const size_t first = text.find(wanted);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find(wanted, first + 1), std::string::npos);
}

TEST(Compile, SpecializationConstants_ReachTheReflection)
{
    ModuleText module;
    module.annotations = R"(
        OpDecorate %sbudget SpecId 3
        OpDecorate %sgrid SpecId 4
        OpDecorate %sindex SpecId 5
        OpDecorate %ssize SpecId 6
        OpDecorateId %ToSpec NodeMaxPayloadsAMDX %sdouble
        OpDecorateId %ToSpec PayloadNodeNameAMDX %sname)";
    module.globals = R"(
        %sbudget = OpSpecConstant %uint 1
        %sdouble = OpSpecConstantOp %uint IMul %sbudget %u2
        %sgrid = OpSpecConstant %uint 1
        %sindex = OpSpecConstant %uint 1
        %ssize = OpSpecConstant %uint 1
        %sname = OpSpecConstantStringAMDX "spec"
        %ToSpec = OpTypeNodePayloadArrayAMDX %Rec
        %np_ToSpec = OpTypePointer NodePayloadAMDX %ToSpec)";
    module.modes =
        "OpExecutionModeId %main LocalSizeId %ssize %u1 %u1\n"
        "OpExecutionModeId %main StaticNumWorkgroupsAMDX %sgrid %u1 %u1\n"
        "OpExecutionModeId %main MaxNodeRecursionAMDX %sgrid\n"
        "OpExecutionModeId %main ShaderIndexAMDX %sindex";
    module.body = "%a = OpAllocateNodePayloadsAMDX %np_ToSpec %u2 %u1 %sindex\nOpEnqueueNodePayloadsAMDX %a";
    Options options = defaults();
    options.request.specialization = {{3, {10, 0, 0, 0}}, {4, {7, 0, 0, 0}}, {5, {9, 0, 0, 0}}, {6, {32, 0, 0, 0}}};
    const CompiledNode result = compiled(module.words(), options);
    EXPECT_EQ(result.node.declared.localSize[0], 32u);
    EXPECT_EQ(result.node.declared.staticGrid[0], 7u);
    EXPECT_EQ(result.node.declared.maxRecursion, 7u);
    EXPECT_EQ(result.node.declared.id.index, 9u);
    ASSERT_EQ(result.node.declared.outputs.size(), 1u);
    EXPECT_EQ(result.node.declared.outputs[0].budget, 20u);
    EXPECT_EQ(result.node.declared.outputs[0].targetName, "spec");
    EXPECT_EQ(result.node.declared.outputs[0].constantIndex, 9u);
    EXPECT_NE(textOf(result.words).find("LocalSize 32 1 1"), std::string::npos);
}

TEST(Compile, PushConstants_StandBesideOurs)
{
    ModuleText module;
    module.annotations = "OpDecorate %Push Block\nOpMemberDecorate %Push 0 Offset 12";
    module.globals = R"(
        %Push = OpTypeStruct %uint
        %pc_Push = OpTypePointer PushConstant %Push
        %pc_uint = OpTypePointer PushConstant %uint
        %push = OpVariable %pc_Push PushConstant)";
    module.interface += " %push";
    module.body = R"(
        %p = OpAccessChain %pc_uint %push %u0
        %v = OpLoad %uint %p
        %q = OpAccessChain %sb_uint %out %u0 %v
        OpStore %q %v)";
    Options options = defaults();
    options.request.argumentsOffsetBytes = 16;
    const std::string text = textOf(compiled(module.words(), options).words);
    const std::string variable = " PushConstant\n";
    size_t blocks = 0;
    for (size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at + 1))
        ++blocks;
    EXPECT_EQ(blocks, 1u) << text;
}

TEST(Compile, InitializersAndSharedMemory)
{
    ModuleText module;
    module.globals = R"(
        %u100 = OpConstant %uint 100
        %array = OpTypeArray %uint %u100
        %pr_uint = OpTypePointer Private %uint
        %wg_uint = OpTypePointer Workgroup %uint
        %wg_array = OpTypePointer Workgroup %array
        %zeros = OpConstantNull %array
        %counter = OpVariable %pr_uint Private %u7
        %shared = OpVariable %wg_array Workgroup %zeros)";
    module.interface += " %counter %shared";
    module.body = R"(
        %c = OpLoad %uint %counter
        %s = OpAccessChain %wg_uint %shared %c
        %v = OpLoad %uint %s
        %p = OpAccessChain %sb_uint %out %u0 %c
        OpStore %p %v)";
    compiled(module.words(), defaults());
    module.capabilities = "OpCapability VulkanMemoryModel";
    module.memoryModel = "OpMemoryModel Logical Vulkan";
    compiled(module.words(), defaults());
}

TEST(Compile, OldModule_IsUpgraded)
{
    ModuleText module;
    module.version = 0x00010300;
    module.interface = "%lidx";
    module.body = R"(
        %i = OpLoad %uint %lidx
        %p = OpAccessChain %np_uint %input %u0 %u1
        %v = OpLoad %uint %p
        %q = OpAccessChain %sb_uint %out %u0 %i
        OpStore %q %v)";
    compiled(module.words(), defaults());
}

// The device library has such a structure behind a pointer that it announces; merging the two must keep the order.
TEST(Compile, BufferReferences_StandBesideOurs)
{
    ModuleText module;
    module.capabilities = "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64";
    module.memoryModel = "OpMemoryModel PhysicalStorageBuffer64 GLSL450";
    module.annotations = R"(
        OpDecorate %Words Block
        OpMemberDecorate %Words 0 Offset 0
        OpMemberDecorate %List 0 Offset 0
        OpMemberDecorate %List 1 Offset 8
        OpDecorate %List Block)";
    module.globals = R"(
        OpTypeForwardPointer %ps_List PhysicalStorageBuffer
        %ulong = OpTypeInt 64 0
        %address = OpConstant %ulong 4096
        %Words = OpTypeStruct %words
        %List = OpTypeStruct %ps_List %uint
        %ps_List = OpTypePointer PhysicalStorageBuffer %List
        %ps_Words = OpTypePointer PhysicalStorageBuffer %Words
        %ps_uint = OpTypePointer PhysicalStorageBuffer %uint
        %ps_ps_List = OpTypePointer PhysicalStorageBuffer %ps_List)";
    module.body = R"(
        %p = OpConvertUToPtr %ps_Words %address
        %q = OpAccessChain %ps_uint %p %u0 %u3
        %l = OpConvertUToPtr %ps_List %address
        %n = OpAccessChain %ps_ps_List %l %u0
        %m = OpLoad %ps_List %n Aligned 8
        %r = OpAccessChain %ps_uint %m %u1
        %v = OpLoad %uint %r Aligned 4
        OpStore %q %v Aligned 4)";
    compiled(module.words(), defaults());
}

TEST(Compile, EntryPoint_IsPickedByName)
{
    const spirv::Words words = assembled(readText("dxc_n"));
    Options options = defaults();
    options.request.entryPoint = "group";
    EXPECT_EQ(compiled(words, options).node.declared.mode, graph::LaunchMode::Static);
    options.request.entryPoint = "thread";
    EXPECT_EQ(compiled(words, options).node.decided.packWidth, 64u);
    options.request.entryPoint = "empty";
    EXPECT_EQ(compiled(words, options).node.declared.maxInputPayloads, 4u);
    options.request.entryPoint = "none";
    const auto failed = compile(words, options);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().text().find("no compute entry point"), std::string::npos);
}

TEST(Compile, UsesShaderEnqueue_ReadsCapabilities)
{
    EXPECT_TRUE(usesShaderEnqueue(assembled(readText("level_a"))));
    EXPECT_FALSE(usesShaderEnqueue(compiled(ModuleText().words(), defaults()).words));
    EXPECT_FALSE(usesShaderEnqueue({}));
    const uint32_t truncated[] = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17u};
    EXPECT_FALSE(usesShaderEnqueue(truncated));
}

}  // namespace millrace::nodes
