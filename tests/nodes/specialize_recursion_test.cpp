// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/specialize_recursion.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

class SpecializeRecursion : public PassTest {
protected:
    void apply(const std::string& body, std::optional<RecursionRange> remaining)
    {
        ModuleText module;
        module.interface += " %rem";
        module.names = "OpName %rem \"rem\"\n";
        module.annotations = "OpDecorate %rem BuiltIn RemainingRecursionLevelsAMDX\n";
        module.globals = "%rem = OpVariable %in_uint Input\n";
        module.body = body;
        load(module);
        before = functions();
        options.variant.remainingRecursion = remaining;
        run(specializeRecursion);
        const std::string once = functions();
        run(specializeRecursion);
        EXPECT_EQ(functions(), once) << "a second run changes nothing";
    }

    void expect(const std::string& body)
    {
        EXPECT_TRUE(isSameCode(functions(),
                               "%main = OpFunction %void None %func\n%entry = OpLabel\n" + body + "\nOpFunctionEnd\n"));
    }

    std::string before;
};

// if (remaining == 0) { out[0] = 1; return; } allocate and enqueue
constexpr const char* kLeafOrSend = R"(
    %r = OpLoad %uint %rem
    %c = OpIEqual %bool %r %u0
    OpSelectionMerge %rest None
    OpBranchConditional %c %leaf %rest
    %leaf = OpLabel
    %p = OpAccessChain %sb_uint %out %u0 %u0
    OpStore %p %u1
    OpReturn
    %rest = OpLabel
    %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u2 %u0
    OpEnqueueNodePayloadsAMDX %a)";

// What is left of it behind the number where that is not 0.
constexpr const char* kSends = R"(
    %c = OpIEqual %bool %r %uint_0
    OpBranch %rest
    %rest = OpLabel
    %a = OpAllocateNodePayloadsAMDX %_ptr_NodePayloadAMDX_ToArr %uint_4 %uint_2 %uint_0
    OpEnqueueNodePayloadsAMDX %a
    OpReturn)";

}  // namespace

TEST_F(SpecializeRecursion, NoModifyWithoutLevel)
{
    apply(kLeafOrSend, std::nullopt);
    EXPECT_EQ(functions(), before);
}

// What is false whatever the other condition is.
TEST_F(SpecializeRecursion, BothOfTwoConditions)
{
    const std::string conditions = R"(
        %q = OpAccessChain %sb_uint %out %u0 %u0
        %x = OpLoad %uint %q
        %o = OpIEqual %bool %x %u1
        %z = OpIEqual %bool %r %u0
        %c = OpLogicalAnd %bool %o %z)";
    std::string body = kLeafOrSend;
    const std::string alone = "%c = OpIEqual %bool %r %u0";
    body.replace(body.find(alone), alone.size(), conditions);
    apply(body, RecursionRange{1, 1});
    EXPECT_EQ(functions().find("OpBranchConditional"), std::string::npos) << functions();
    EXPECT_NE(functions().find("OpAllocateNodePayloadsAMDX"), std::string::npos) << functions();
    apply(body, RecursionRange{0, 0});
    EXPECT_NE(functions().find("OpBranchConditional"), std::string::npos) << functions();
}

TEST_F(SpecializeRecursion, LastLevel_SendsNothing)
{
    apply(kLeafOrSend, RecursionRange{0, 0});
    expect(R"(
        %r = OpCopyObject %uint %uint_0
        %c = OpIEqual %bool %r %uint_0
        OpBranch %leaf
        %leaf = OpLabel
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_0
        OpStore %p %uint_1
        OpReturn)");
}

TEST_F(SpecializeRecursion, LevelBefore_OnlySends)
{
    apply(kLeafOrSend, RecursionRange{1, 1});
    expect(std::string("%r = OpCopyObject %uint %uint_1") + kSends);
}

TEST_F(SpecializeRecursion, SeveralLevels_OnlySend)
{
    apply(kLeafOrSend, RecursionRange{1, 5});
    expect(std::string("%r = OpLoad %uint %rem") + kSends);
}

// Each comparison with 2 as it goes for numbers from 2 to 4: 0 if never, 1 if always, 2 if it depends.
TEST_F(SpecializeRecursion, SeveralLevels_TakeWhatHoldsForAll)
{
    const std::pair<const char*, int> comparisons[] = {
        {"OpIEqual %bool %r %u2", 2},         {"OpINotEqual %bool %r %u2", 2},
        {"OpULessThan %bool %r %u2", 0},      {"OpULessThanEqual %bool %r %u2", 2},
        {"OpUGreaterThan %bool %r %u2", 2},   {"OpUGreaterThanEqual %bool %r %u2", 1},
        {"OpSLessThan %bool %u2 %r", 2},      {"OpSGreaterThanEqual %bool %u2 %r", 2},
        {"OpSLessThanEqual %bool %u2 %r", 1}, {"OpSGreaterThan %bool %u2 %r", 0},
        {"OpIEqual %bool %r %u1", 0},         {"OpINotEqual %bool %u1 %r", 1},
    };
    for (const auto& [comparison, expected] : comparisons) {
        apply(std::string("%r = OpLoad %uint %rem\n%c = ") + comparison + R"(
            OpSelectionMerge %join None
            OpBranchConditional %c %then %join
            %then = OpLabel
            %p = OpAccessChain %sb_uint %out %u0 %u0
            OpStore %p %u1
            OpBranch %join
            %join = OpLabel)",
              RecursionRange{2, 4});
        const bool isDecided = functions().find("OpBranchConditional") == std::string::npos;
        const bool isTaken = functions().find("OpStore") != std::string::npos;
        EXPECT_EQ(!isDecided ? 2 : isTaken ? 1 : 0, expected) << comparison;
    }
}

TEST_F(SpecializeRecursion, Selections)
{
    apply(R"(
        %r = OpLoad %uint %rem
        %c = OpINotEqual %bool %r %u0
        %n = OpSelect %uint %c %u2 %u0
        %l = OpLoad %uint %lidx
        %other = OpIEqual %bool %l %u2
        %m = OpSelect %uint %other %u3 %u4
        %p = OpAccessChain %sb_uint %out %u0 %n
        OpStore %p %m)",
          RecursionRange{0, 0});
    expect(R"(
        %r = OpCopyObject %uint %uint_0
        %c = OpINotEqual %bool %r %uint_0
        %n = OpCopyObject %uint %uint_0
        %l = OpLoad %uint %lidx
        %other = OpIEqual %bool %l %uint_2
        %m = OpSelect %uint %other %uint_3 %uint_4
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %n
        OpStore %p %m
        OpReturn)");
}

TEST_F(SpecializeRecursion, PhiBehindBothSides_KeepsTheOneThatIsTaken)
{
    apply(R"(
        %r = OpLoad %uint %rem
        %more = OpUGreaterThan %bool %r %u1
        %c = OpLogicalNot %bool %more
        OpSelectionMerge %join None
        OpBranchConditional %c %then %else
        %then = OpLabel
        OpBranch %join
        %else = OpLabel
        OpBranch %join
        %join = OpLabel
        %v = OpPhi %uint %u2 %then %u3 %else
        %p = OpAccessChain %sb_uint %out %u0 %u0
        OpStore %p %v)",
          RecursionRange{5, 5});
    expect(R"(
        %r = OpCopyObject %uint %uint_5
        %more = OpUGreaterThan %bool %r %uint_1
        %c = OpLogicalNot %bool %more
        OpBranch %else
        %else = OpLabel
        OpBranch %join
        %join = OpLabel
        %v = OpPhi %uint %uint_3 %else
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_0
        OpStore %p %v
        OpReturn)");
}

TEST_F(SpecializeRecursion, ThroughVariableAndSignedNumbers)
{
    apply(R"(
        %var = OpVariable %fn_uint Function
        %r = OpLoad %uint %rem
        OpStore %var %r
        %again = OpLoad %uint %var
        %s = OpBitcast %int %again
        %zero = OpBitcast %int %u0
        %c = OpSGreaterThan %bool %s %zero
        OpSelectionMerge %rest None
        OpBranchConditional %c %then %rest
        %then = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u2 %u0
        OpEnqueueNodePayloadsAMDX %a
        OpBranch %rest
        %rest = OpLabel)",
          RecursionRange{0, 0});
    EXPECT_EQ(functions().find("OpAllocateNodePayloadsAMDX"), std::string::npos);
}

TEST_F(SpecializeRecursion, LoopThatNeverRuns_KeepsItsShape)
{
    apply(R"(
        %r = OpLoad %uint %rem
        %c = OpINotEqual %bool %r %u0
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %u0 %entry %next %tail
        OpLoopMerge %exit %tail None
        OpBranchConditional %c %body %exit
        %body = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u2 %u0
        OpEnqueueNodePayloadsAMDX %a
        OpBranch %tail
        %tail = OpLabel
        %next = OpIAdd %uint %i %u1
        OpBranch %head
        %exit = OpLabel)",
          RecursionRange{0, 0});
    expect(R"(
        %r = OpCopyObject %uint %uint_0
        %c = OpINotEqual %bool %r %uint_0
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %uint_0 %entry %uint_0 %tail
        OpLoopMerge %exit %tail None
        OpBranch %exit
        %tail = OpLabel
        OpBranch %head
        %exit = OpLabel
        OpReturn)");
}

TEST_F(SpecializeRecursion, NoModifyOtherBranches)
{
    apply(R"(
        %l = OpLoad %uint %lidx
        %c = OpIEqual %bool %l %u0
        OpSelectionMerge %rest None
        OpBranchConditional %c %then %rest
        %then = OpLabel
        OpBranch %rest
        %rest = OpLabel)",
          RecursionRange{0, 0});
    EXPECT_EQ(functions(), before);
}

}  // namespace millrace::nodes
