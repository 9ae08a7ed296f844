// SPDX-License-Identifier: Apache-2.0
// What inlining and extracting take grows as their results do: counted in bytes that are allocated, not in time, where
// anything is.
#include <gtest/gtest.h>

#include <ctime>

#include "counted_bytes.h"
#include "spirv/entry_points.h"
#include "spirv/many_entry_points.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

// An entry point that calls one function so many times. The function has a branch, or none.
Words calls(uint32_t count, bool branches)
{
    std::string body;
    for (uint32_t i = 0; i < count; ++i)
        body += "%c" + std::to_string(i) + " = OpFunctionCall %uint %f %u1\n";
    const std::string code = branches ? R"(
            %is = OpIEqual %bool %p %u1
                  OpSelectionMerge %join None
                  OpBranchConditional %is %then %join
          %then = OpLabel
           %two = OpIAdd %uint %p %p
                  OpBranch %join
          %join = OpLabel
        %result = OpPhi %uint %p %first %two %then
    )"
                                      : "%result = OpIAdd %uint %p %p\n";
    const std::string globals = "%u1 = OpConstant %uint 1\n%type = OpTypeFunction %uint %uint\n";
    return assembled(compute(globals, body) +
                     "%f = OpFunction %uint None %type\n%p = OpFunctionParameter %uint\n"
                     "%first = OpLabel\n" +
                     code + "OpReturnValue %result\nOpFunctionEnd\n");
}

size_t bytesOfInlining(const Words& words)
{
    return bytesOf([&] {
        const auto inlined = inlineAll(words);
        EXPECT_TRUE(inlined) << inlined.error().text();
    });
}

size_t bytesOfExtracting(uint32_t count)
{
    const Module module = moduleOf(manyEntryPoints(count));
    return bytesOf([&] {
        const EntryPoints entryPoints(module);
        for (uint32_t n = 0; n < count; ++n)
            EXPECT_TRUE(entryPoints.extract("node_" + std::to_string(n), spv::ExecutionModel::GLCompute));
    });
}

TEST(Growth, CallsOfOneFunction_TakeMemoryAsTheirNumber)
{
    for (const bool branches : {false, true}) {
        const size_t least = bytesOfInlining(calls(512, branches));
        EXPECT_LT(bytesOfInlining(calls(2048, branches)), 6 * least);
        EXPECT_LT(bytesOfInlining(calls(4096, branches)), 12 * least);
    }
}

TEST(Growth, EntryPointsOfOneModule_TakeMemoryAsTheirNumber)
{
    const size_t least = bytesOfExtracting(1000);
    EXPECT_LT(bytesOfExtracting(2000), 2.5 * least);
    EXPECT_LT(bytesOfExtracting(4000), 5 * least);
}

// Processor time, since nothing is allocated.
double secondsOfFinding(uint32_t count)
{
    Module module;
    for (uint32_t n = 0; n < count; ++n)
        module.functions.emplace_back().definition = instruction(spv::Op::OpFunction, {}, module.newId());
    EXPECT_TRUE(module.findDefinition(module.functions[0].id()));
    const std::clock_t start = std::clock();
    for (uint32_t round = 0; round < 8; ++round)
        for (const Function& function : module.functions)
            EXPECT_EQ(module.findFunction(function.id()), &function);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Twice what a line would be, and a hundredth of a second of what else goes on.
TEST(Growth, FunctionsOfOneModule_AreFoundInATimeAsTheirNumber)
{
    const double least = secondsOfFinding(1000) + 0.01;
    EXPECT_LT(secondsOfFinding(16000), 32 * least);
}

}  // namespace
}  // namespace millrace::spirv::test
