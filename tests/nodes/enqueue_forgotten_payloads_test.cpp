// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/enqueue_forgotten_payloads.h"

#include "nodes/pass_test.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

class EnqueueForgottenPayloads : public PassTest {
protected:
    void apply(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(lowerPayloads);
        before = functions();
        run(enqueueForgottenPayloads);
    }

    void apply(const std::string& body)
    {
        ModuleText module;
        module.body = body;
        apply(module);
    }

    size_t tracked() const { return shader.pendingHandles.size(); }

    std::string before;
};

constexpr const char* kLoopBegin = R"(
    OpBranch %head
    %head = OpLabel
    %i = OpPhi %uint %u0 %entry %next %tail
    OpLoopMerge %exit %tail None
    OpBranch %check
    %check = OpLabel
    %c = OpULessThan %bool %i %u4
    OpBranchConditional %c %body %exit
    %body = OpLabel)";
constexpr const char* kLoopEnd = R"(
    OpBranch %tail
    %tail = OpLabel
    %next = OpIAdd %uint %i %u1
    OpBranch %head
    %exit = OpLabel)";

}  // namespace

TEST_F(EnqueueForgottenPayloads, NoModifyEnqueued)
{
    apply(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a)");
    EXPECT_EQ(functions(), before);
    EXPECT_EQ(tracked(), 0u);
}

TEST_F(EnqueueForgottenPayloads, EnqueuedThroughVariable_IsProven)
{
    apply(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %p %u5
        OpBranch %join
        %join = OpLabel
        OpEnqueueNodePayloadsAMDX %var)");
    EXPECT_EQ(tracked(), 0u);
}

TEST_F(EnqueueForgottenPayloads, EnqueuedInLoop_IsProven)
{
    apply(std::string(kLoopBegin) + R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a)" +
          kLoopEnd);
    EXPECT_EQ(tracked(), 0u);
}

TEST_F(EnqueueForgottenPayloads, Forgotten_IsKept)
{
    apply("%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0");
    ASSERT_EQ(tracked(), 1u);
    ASSERT_EQ(shader.startValues.size(), 1u);
    EXPECT_EQ(shader.startValues[0].variable, shader.pendingHandles[0].variable);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        OpStore %pending_handle %a
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(EnqueueForgottenPayloads, EmptyPayload_HasNoGridToTell)
{
    ModuleText module;
    module.annotations = R"(
        OpDecorateId %ToEmpty NodeMaxPayloadsAMDX %u8
        OpDecorateId %ToEmpty PayloadNodeNameAMDX %name_other)";
    module.globals = R"(
        %Empty = OpTypeStruct
        %ToEmpty = OpTypeNodePayloadArrayAMDX %Empty
        %np_ToEmpty = OpTypePointer NodePayloadAMDX %ToEmpty)";
    module.body = "%a = OpAllocateNodePayloadsAMDX %np_ToEmpty %u2 %u3 %u0";
    apply(module);
    EXPECT_EQ(tracked(), 0u);
}

TEST_F(EnqueueForgottenPayloads, EnqueuedOnOnePath_IsKeptAndCleared)
{
    apply(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        OpEnqueueNodePayloadsAMDX %a
        OpBranch %join
        %join = OpLabel)");
    ASSERT_EQ(tracked(), 1u);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        OpStore %pending_handle %a
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        %1 = OpFunctionCall %void %mr_enqueue %a
        OpStore %pending_handle %null
        OpBranch %join
        %join = OpLabel
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(EnqueueForgottenPayloads, ForgottenInLoop_IsSentBeforeTheNext)
{
    apply(std::string(kLoopBegin) + "\n%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0\n" + kLoopEnd);
    ASSERT_EQ(tracked(), 1u);
    EXPECT_NE(functions().find("OpLoad %v4uint %pending_handle"), std::string::npos);
    EXPECT_NE(functions().find("%mr_enqueue"), std::string::npos);
}

TEST_F(EnqueueForgottenPayloads, EnqueueOfUnknownHandle_Compares)
{
    apply(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u1
        %w = OpLoad %ToArr %b
        OpStore %var %v
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        OpStore %var %w
        OpBranch %join
        %join = OpLabel
        OpEnqueueNodePayloadsAMDX %var)");
    ASSERT_EQ(tracked(), 2u);
    EXPECT_NE(functions().find("OpIEqual %v4bool"), std::string::npos);
    EXPECT_NE(functions().find("OpAll %bool"), std::string::npos);
    EXPECT_NE(functions().find("OpSelect %v4uint"), std::string::npos);
}

// One variable for several allocations, as GLSL has it.
TEST_F(EnqueueForgottenPayloads, VariableThatIsStoredAgain_EachIsProven)
{
    apply(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %p %u5
        OpBranch %join
        %join = OpLabel
        OpEnqueueNodePayloadsAMDX %var
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u1
        %w = OpLoad %ToArr %b
        OpStore %var %w
        OpEnqueueNodePayloadsAMDX %var)");
    EXPECT_EQ(tracked(), 0u);
}

// Of three that are kept the variable may hold one or two.
TEST_F(EnqueueForgottenPayloads, HandlesOfTwoBranches_ComparedWithThoseAlone)
{
    apply(R"(
        %var = OpVariable %fn_ToArr Function
        %forgotten = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpSelectionMerge %join None
        OpBranchConditional %true %then %else
        %then = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpBranch %join
        %else = OpLabel
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u1
        %w = OpLoad %ToArr %b
        OpStore %var %w
        OpBranch %join
        %join = OpLabel
        OpEnqueueNodePayloadsAMDX %var)");
    EXPECT_EQ(tracked(), 3u);
    size_t compared = 0;
    for (size_t at = 0; (at = functions().find("OpIEqual", at)) != std::string::npos; ++at)
        ++compared;
    EXPECT_EQ(compared, 2u);
}

// What a variable holds from an earlier turn is not what the allocation gave last.
TEST_F(EnqueueForgottenPayloads, StoredOnOnePathOfALoop_ProvesNothing)
{
    ModuleText module;
    module.body = "%var = OpVariable %fn_ToArr Function\n" + std::string(kLoopBegin) + R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpBranch %join
        %join = OpLabel
        OpEnqueueNodePayloadsAMDX %var)" +
                  kLoopEnd;
    apply(module);
    EXPECT_EQ(tracked(), 1u);
    EXPECT_NE(functions().find("OpIEqual"), std::string::npos);
}

// The handle of the turn before comes into the variable behind that of this turn.
TEST_F(EnqueueForgottenPayloads, HandleOfTheTurnBefore_ProvesNothing)
{
    ModuleText module;
    std::string begin = kLoopBegin;
    begin.replace(begin.find("%i = OpPhi"), 0, "%last = OpPhi %ToArr %none %entry %v %tail\n");
    module.body = "%var = OpVariable %fn_ToArr Function\n" + begin + R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpStore %var %last
        OpEnqueueNodePayloadsAMDX %var)" +
                  kLoopEnd;
    module.globals = "%none = OpUndef %ToArr\n";
    apply(module);
    EXPECT_EQ(tracked(), 1u);
}

TEST_F(EnqueueForgottenPayloads, EnqueueBeforeTheStore_ProvesNothing)
{
    // The loop enqueues what the iteration before has stored, so the last one is forgotten.
    ModuleText module;
    module.body = "%var = OpVariable %fn_ToArr Function\n" + std::string(kLoopBegin) + R"(
        OpEnqueueNodePayloadsAMDX %var
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v)" +
                  kLoopEnd;
    apply(module);
    EXPECT_EQ(tracked(), 1u);
}

TEST_F(EnqueueForgottenPayloads, AllocationInFunction_IsKept)
{
    ModuleText module;
    module.body = "%x = OpFunctionCall %void %f\n%y = OpFunctionCall %void %f";
    module.functions = R"(
        %f = OpFunction %void None %func
        %f1 = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpReturn
        OpFunctionEnd)";
    apply(module);
    EXPECT_EQ(tracked(), 1u);
    EXPECT_NE(functions().find("OpLoad %v4uint %pending_handle"), std::string::npos) << "it may run again";
}

}  // namespace millrace::nodes
