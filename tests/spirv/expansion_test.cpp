// SPDX-License-Identifier: Apache-2.0
// Calls where code in their place has to keep to the rules of structured control flow.
#include <gtest/gtest.h>

#include <algorithm>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

constexpr char kGlobals[] = R"(
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
        %u10 = OpConstant %uint 10
   %fromUint = OpTypeFunction %uint %uint
   %ptrLocal = OpTypePointer Function %uint
)";

// One block; several; one that calls the one with several; one that never returns; one that returns early; one of which
// a branch never ends; one with a variable that begins as 1.
constexpr char kFunctions[] = R"(
      %plain = OpFunction %uint None %fromUint
         %pp = OpFunctionParameter %uint
         %pl = OpLabel
         %pr = OpIAdd %uint %pp %u1
               OpReturnValue %pr
               OpFunctionEnd
     %branch = OpFunction %uint None %fromUint
         %bp = OpFunctionParameter %uint
         %bl = OpLabel
         %bc = OpULessThan %bool %bp %u10
               OpSelectionMerge %bj None
               OpBranchConditional %bc %bt %bj
         %bt = OpLabel
         %bv = OpIAdd %uint %bp %u10
               OpBranch %bj
         %bj = OpLabel
         %br = OpPhi %uint %bp %bl %bv %bt
               OpReturnValue %br
               OpFunctionEnd
     %nested = OpFunction %uint None %fromUint
         %np = OpFunctionParameter %uint
         %nl = OpLabel
         %nv = OpFunctionCall %uint %branch %np
         %nr = OpFunctionCall %uint %branch %nv
               OpReturnValue %nr
               OpFunctionEnd
    %forever = OpFunction %uint None %fromUint
         %fp = OpFunctionParameter %uint
         %fl = OpLabel
               OpBranch %fh
         %fh = OpLabel
               OpLoopMerge %fm %fk None
               OpBranch %fk
         %fk = OpLabel
               OpBranch %fh
         %fm = OpLabel
               OpUnreachable
               OpFunctionEnd
      %early = OpFunction %uint None %fromUint
         %ep = OpFunctionParameter %uint
         %el = OpLabel
         %ec = OpULessThan %bool %ep %u10
               OpSelectionMerge %ej None
               OpBranchConditional %ec %et %ej
         %et = OpLabel
         %ev = OpIAdd %uint %ep %u10
               OpReturnValue %ev
         %ej = OpLabel
         %er = OpFunctionCall %uint %branch %ep
               OpReturnValue %er
               OpFunctionEnd
    %killing = OpFunction %uint None %fromUint
         %kp = OpFunctionParameter %uint
         %kl = OpLabel
         %kc = OpULessThan %bool %kp %u10
               OpSelectionMerge %kj None
               OpBranchConditional %kc %kt %kj
         %kt = OpLabel
               OpUnreachable
         %kj = OpLabel
               OpReturnValue %kp
               OpFunctionEnd
   %counting = OpFunction %uint None %fromUint
         %cp = OpFunctionParameter %uint
         %cl = OpLabel
         %cv = OpVariable %ptrLocal Function %u1
         %co = OpLoad %uint %cv
         %cn = OpIAdd %uint %co %cp
               OpStore %cv %cn
               OpReturnValue %cn
               OpFunctionEnd
)";

// `callee` is called where the test wants it.
std::string withCalls(std::string body, const std::string& callee)
{
    for (size_t at = body.find("CALLEE"); at != std::string::npos; at = body.find("CALLEE"))
        body.replace(at, 6, callee);
    return compute(kGlobals, body) + kFunctions;
}

Module expanded(const std::string& body, const std::string& callee)
{
    const Words words = assembled(withCalls(body, callee));
    EXPECT_TRUE(validate(words)) << validate(words).error().text();
    const auto inlined = inlineAll(words);
    EXPECT_TRUE(inlined) << inlined.error().text();
    if (!inlined)
        return {};
    const Status valid = validate(*inlined);
    EXPECT_TRUE(valid) << valid.error().text() << "\n" << text(*inlined);
    Module module = *read(*inlined);
    EXPECT_EQ(module.functions.size(), 1u);
    return module;
}

size_t count(const Module& module, spv::Op op)
{
    size_t n = 0;
    module.forEachInstruction([&](const Instruction& i) { n += i.op == op ? 1 : 0; });
    return n;
}

class Expansion : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Callees, Expansion,
                         testing::Values("plain", "branch", "nested", "forever", "early", "killing", "counting"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Expansion, InTheHeaderOfALoop)
{
    expanded(R"(
               OpBranch %h
          %h = OpLabel
          %i = OpPhi %uint %u0 %entry %x %k
          %x = OpFunctionCall %uint %CALLEE %i
          %c = OpULessThan %bool %x %u10
               OpLoopMerge %m %k None
               OpBranchConditional %c %k %m
          %k = OpLabel
               OpBranch %h
          %m = OpLabel
    )",
             GetParam());
}

TEST_P(Expansion, InALoopOfOneBlock)
{
    expanded(R"(
               OpBranch %h
          %h = OpLabel
          %i = OpPhi %uint %u0 %entry %y %h
          %x = OpFunctionCall %uint %CALLEE %i
          %y = OpFunctionCall %uint %CALLEE %x
          %c = OpULessThan %bool %y %u10
               OpLoopMerge %m %h None
               OpBranchConditional %c %h %m
          %m = OpLabel
    )",
             GetParam());
}

TEST_P(Expansion, WhereALoopGoesOn)
{
    expanded(R"(
               OpBranch %h
          %h = OpLabel
          %i = OpPhi %uint %u0 %entry %x %k
               OpLoopMerge %m %k None
               OpBranch %b
          %b = OpLabel
          %c = OpULessThan %bool %i %u10
               OpBranchConditional %c %k %m
          %k = OpLabel
          %x = OpFunctionCall %uint %CALLEE %i
               OpBranch %h
          %m = OpLabel
    )",
             GetParam());
}

TEST_P(Expansion, InFrontOfABranchAndInIts)
{
    expanded(R"(
          %x = OpFunctionCall %uint %CALLEE %u1
          %c = OpULessThan %bool %x %u10
               OpSelectionMerge %j None
               OpBranchConditional %c %t %e
          %t = OpLabel
          %y = OpFunctionCall %uint %CALLEE %x
               OpBranch %j
          %e = OpLabel
          %z = OpFunctionCall %uint %CALLEE %u10
               OpBranch %j
          %j = OpLabel
          %r = OpPhi %uint %y %t %z %e
          %s = OpFunctionCall %uint %CALLEE %r
    )",
             GetParam());
}

TEST(ExpandedVariables, BeginEachCallAsTheyBeganTheFirst)
{
    const Module module = expanded(R"(
          %x = OpFunctionCall %uint %counting %u1
          %y = OpFunctionCall %uint %counting %x
    )",
                                   "");
    EXPECT_EQ(count(module, spv::Op::OpVariable), 2u);
    EXPECT_EQ(count(module, spv::Op::OpStore), 4u) << "two that begin them";
    for (const Instruction& i : module.functions[0].blocks[0].body)
        if (i.op == spv::Op::OpVariable)
            EXPECT_EQ(i.operandCount(), 1u);
}

// The code of an entry point that calls what returns early stays as it was.
TEST(ExpandedReturns, OfTheEntryPoint_Stay)
{
    const Module module = expanded(R"(
          %c = OpIEqual %bool %u0 %u1
               OpSelectionMerge %j None
               OpBranchConditional %c %t %j
          %t = OpLabel
               OpReturn
          %j = OpLabel
          %x = OpFunctionCall %uint %forever %u1
    )",
                                   "");
    EXPECT_EQ(count(module, spv::Op::OpReturn), 2u);
}

TEST(ExpandedNames, AndDecorations_OfWhatIsCopied)
{
    const std::string source = compute(kGlobals,
                                       "%x = OpFunctionCall %uint %plain %u1\n"
                                       "%y = OpFunctionCall %uint %plain %x\n",
                                       "OpName %pr \"sum\"\nOpDecorate %pr RelaxedPrecision\n") +
                               kFunctions;
    const auto inlined = inlineAll(assembled(source));
    ASSERT_TRUE(inlined) << inlined.error().text();
    EXPECT_TRUE(validate(*inlined));
    const std::string out = text(*inlined);
    size_t decorated = 0;
    for (size_t at = out.find("RelaxedPrecision"); at != std::string::npos; at = out.find("RelaxedPrecision", at + 1))
        ++decorated;
    EXPECT_EQ(decorated, 2u);
    EXPECT_NE(out.find("%sum"), std::string::npos);
}

}  // namespace
}  // namespace millrace::spirv::test
