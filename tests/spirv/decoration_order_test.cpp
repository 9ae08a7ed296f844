// SPDX-License-Identifier: Apache-2.0
// orderDecorationOperands: what decorations name comes in front of what they decorate, and nothing else moves.
#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {

namespace {

std::vector<uint32_t> resultsOf(const Module& module)
{
    std::vector<uint32_t> out;
    for (const Instruction& i : module.section(Section::Globals))
        out.push_back(i.result.value);
    return out;
}

// Two outputs of which the first shares the budget of the second; constants, and a name, behind them.
constexpr const char* kNode = R"(
               OpCapability Shader
               OpCapability ShaderEnqueueAMDX
               OpExtension "SPV_AMDX_shader_enqueue"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorateId %first NodeMaxPayloadsAMDX %sum
               OpDecorateId %first NodeSharesPayloadLimitsWithAMDX %second
               OpDecorateId %first PayloadNodeNameAMDX %name
               OpDecorateId %second NodeMaxPayloadsAMDX %four
               OpDecorateId %second PayloadNodeNameAMDX %name
       %uint = OpTypeInt 32 0
     %record = OpTypeStruct %uint
      %first = OpTypeNodePayloadArrayAMDX %record
     %second = OpTypeNodePayloadArrayAMDX %record
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %four = OpConstant %uint 4
        %one = OpConstant %uint 1
        %sum = OpSpecConstantOp %uint IAdd %one %four
       %name = OpConstantStringAMDX "leaf"
       %main = OpFunction %void None %function
      %label = OpLabel
               OpReturn
               OpFunctionEnd
)";

TEST(DecorationOrder, OperandsComeFirst)
{
    Module module = moduleOf(kNode);
    const auto place = [&](uint32_t id) {
        const std::vector<uint32_t> ids = resultsOf(module);
        return std::ranges::find(ids, id) - ids.begin();
    };
    const auto isOrdered = [&] {
        bool out = true;
        for (const Instruction& i : module.section(Section::Annotations))
            out = out && place(i.id(2).value) < place(i.id(0).value);
        return out;
    };
    EXPECT_FALSE(isOrdered());
    std::vector<uint32_t> before = resultsOf(module);
    orderDecorationOperands(module);
    EXPECT_TRUE(isOrdered());
    EXPECT_TRUE(validate(write(module)));
    const std::vector<uint32_t> ordered = resultsOf(module);
    std::vector<uint32_t> after = ordered;
    std::ranges::sort(before);
    std::ranges::sort(after);
    EXPECT_EQ(before, after);
    orderDecorationOperands(module);
    EXPECT_EQ(resultsOf(module), ordered);
}

// The strictest spirv-val that is packaged does not ask for the order, so that only this can tell.
TEST(DecorationOrder, WithoutSuchDecorations_NothingMoves)
{
    for (const Program& program : programs()) {
        SCOPED_TRACE(program.name);
        Module module = moduleOf(program.text);
        const bool isConcerned = std::ranges::any_of(module.section(Section::Annotations),
                                                     [](const auto& i) { return i.op == spv::Op::OpDecorateId; });
        const std::string before = text(module);
        orderDecorationOperands(module);
        if (!isConcerned)
            EXPECT_EQ(text(module), before);
        else if (program.isValid)
            EXPECT_TRUE(validate(write(module)));
    }
}

}  // namespace

}  // namespace millrace::spirv::test
