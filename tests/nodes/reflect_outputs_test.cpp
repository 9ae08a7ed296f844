// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reflect_outputs.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"

namespace millrace::nodes {

namespace {

class ReflectOutputs : public PassTest {
protected:
    const std::vector<graph::NodeOutput>& reflect(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        return shader.node.declared.outputs;
    }

    std::string failure(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        return runAndFail(reflectOutputs);
    }

    static ModuleText withBody(const std::string& body)
    {
        ModuleText module;
        module.body = body;
        return module;
    }
};

}  // namespace

TEST_F(ReflectOutputs, NoModify)
{
    load(withBody("%a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u3 %u1"));
    run(reflectNode);
    const std::string before = text();
    run(reflectOutputs);
    EXPECT_EQ(text(), before);
}

TEST_F(ReflectOutputs, UnusedTypes_AreNoOutputs)
{
    EXPECT_TRUE(reflect({}).empty());
}

TEST_F(ReflectOutputs, OneAllocation)
{
    const auto& outputs = reflect(withBody("%a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u3 %u1"));
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].targetName, "other");
    EXPECT_EQ(outputs[0].baseIndex, 0u);
    EXPECT_EQ(outputs[0].constantIndex, 1u);
    EXPECT_FALSE(outputs[0].arraySize);
    EXPECT_FALSE(outputs[0].sparse);
    EXPECT_EQ(outputs[0].payloadBytes, 8u);
    EXPECT_EQ(outputs[0].budget, 16u);
    EXPECT_EQ(outputs[0].budgetPool, 0u);
    EXPECT_EQ(outputs[0].allocationSites, 1u);
    EXPECT_FALSE(outputs[0].allocatesInLoop);
    EXPECT_FALSE(outputs[0].perInvocation);
    EXPECT_FALSE(outputs[0].tracksFinishWriting);
}

// A workgroup may be one invocation, which allocates beside others whatever the scope is.
TEST_F(ReflectOutputs, OneEach_WhateverTheScope)
{
    const auto isOneEach = [this](const std::string& scope, const std::string& count) {
        return reflect(withBody("%a = OpAllocateNodePayloadsAMDX %np_ToRec " + scope + " " + count + " %u1"))[0]
            .oneEach;
    };
    EXPECT_TRUE(isOneEach("%u4", "%u1"));
    EXPECT_TRUE(isOneEach("%u2", "%u1"));
    EXPECT_FALSE(isOneEach("%u4", "%u3"));
    EXPECT_FALSE(isOneEach("%u2", "%u3"));
}

TEST_F(ReflectOutputs, Together_TheMostThatAnInvocationAllocatesAtATime)
{
    EXPECT_EQ(reflect(withBody("%a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u3 %u1"))[0].together, 0u)
        << "workgroup";
    EXPECT_EQ(reflect(withBody(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u2 %u1
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u3 %u1)"))[0]
                  .together,
              3u);
}

TEST_F(ReflectOutputs, OrderIsThatOfTheTypes)
{
    const auto& outputs = reflect(withBody(R"(
        %i = OpLoad %uint %lidx
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %i
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %c = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u2)"));
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].targetName, "target");
    EXPECT_EQ(outputs[0].payloadBytes, 16u);
    EXPECT_EQ(outputs[0].allocationSites, 2u);
    EXPECT_FALSE(outputs[0].constantIndex) << "two different ones";
    EXPECT_EQ(outputs[1].targetName, "other");
    EXPECT_TRUE(outputs[1].perInvocation);
    EXPECT_FALSE(outputs[1].constantIndex) << "dynamic";
}

TEST_F(ReflectOutputs, QueriedOnly_IsAnOutputWithoutSites)
{
    ModuleText module = withBody("%ok = OpIsNodePayloadValidAMDX %bool %ToRec %u2");
    module.annotations = R"(
        OpDecorateId %ToRec PayloadNodeBaseIndexAMDX %u3
        OpDecorate %ToRec PayloadNodeSparseArrayAMDX
        OpDecorateId %ToRec PayloadNodeArraySizeAMDX %u8
        OpDecorate %Rec TrackFinishWritingAMDX)";
    const auto& outputs = reflect(module);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].allocationSites, 0u);
    EXPECT_EQ(outputs[0].baseIndex, 3u);
    EXPECT_EQ(outputs[0].constantIndex, 5u);
    EXPECT_EQ(outputs[0].arraySize, 8u);
    EXPECT_TRUE(outputs[0].sparse);
    EXPECT_TRUE(outputs[0].tracksFinishWriting);
}

TEST_F(ReflectOutputs, AllocationInLoop_IsSeen)
{
    const auto& outputs = reflect(withBody(R"(
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %u0 %entry %next %tail
        OpLoopMerge %exit %tail None
        OpBranch %check
        %check = OpLabel
        %c = OpULessThan %bool %i %u4
        OpBranchConditional %c %body %exit
        %body = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %i
        OpBranch %tail
        %tail = OpLabel
        %next = OpIAdd %uint %i %u1
        OpBranch %head
        %exit = OpLabel
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0)"));
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_FALSE(outputs[0].allocatesInLoop);
    EXPECT_TRUE(outputs[1].allocatesInLoop);
}

TEST_F(ReflectOutputs, FunctionCalledTwice_IsALoop)
{
    ModuleText module = withBody(R"(
        %x = OpFunctionCall %void %f
        %y = OpFunctionCall %void %f)");
    module.functions = R"(
        %f = OpFunction %void None %func
        %f1 = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpReturn
        OpFunctionEnd)";
    EXPECT_TRUE(reflect(module)[0].allocatesInLoop);
    module.body = "%x = OpFunctionCall %void %f";
    EXPECT_FALSE(reflect(module)[0].allocatesInLoop);
}

TEST_F(ReflectOutputs, SharedLimits_TakeTheOtherBudget)
{
    ModuleText module = withBody(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0)");
    module.annotations = "OpDecorateId %ToArr NodeSharesPayloadLimitsWithAMDX %ToRec";
    const auto& outputs = reflect(module);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].budget, 16u);
    EXPECT_EQ(outputs[0].budgetPool, 1u);
    EXPECT_EQ(outputs[1].budgetPool, 1u);
}

TEST_F(ReflectOutputs, SharedLimitsOfUnusedType_ShareThePool)
{
    ModuleText module = withBody(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0)");
    module.globals = "%Pool = OpTypeNodePayloadArrayAMDX %Rec";
    module.annotations = R"(
        OpDecorateId %Pool NodeMaxPayloadsAMDX %u7
        OpDecorateId %Pool PayloadNodeNameAMDX %name_other
        OpDecorateId %ToArr NodeSharesPayloadLimitsWithAMDX %Pool
        OpDecorateId %ToRec NodeSharesPayloadLimitsWithAMDX %Pool)";
    const auto& outputs = reflect(module);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].budget, 7u);
    EXPECT_EQ(outputs[1].budget, 7u);
    EXPECT_EQ(outputs[0].budgetPool, 0u);
    EXPECT_EQ(outputs[1].budgetPool, 0u);
}

TEST_F(ReflectOutputs, MissingMaximum_IsCountedOrTheGuaranteedLimit)
{
    ModuleText module;
    module.globals = R"(
        %Bare = OpTypeNodePayloadArrayAMDX %Rec
        %np_Bare = OpTypePointer NodePayloadAMDX %Bare)";
    module.annotations = "OpDecorateId %Bare PayloadNodeNameAMDX %name_other";
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_Bare %u2 %u3 %u0
        %b = OpAllocateNodePayloadsAMDX %np_Bare %u4 %u2 %u0)";
    EXPECT_EQ(reflect(module)[0].budget, 3u + 8u * 2u);
    module.body = R"(
        %n = OpLoad %uint %lidx
        %a = OpAllocateNodePayloadsAMDX %np_Bare %u4 %n %u0)";
    EXPECT_EQ(reflect(module)[0].budget, 256u);
}

TEST_F(ReflectOutputs, NoNodeName_IsRefused)
{
    const std::string message = failure(withBody("%a = OpAllocateNodePayloadsAMDX %np_InArr %u2 %u1 %u0"));
    EXPECT_NE(message.find("PayloadNodeNameAMDX"), std::string::npos) << message;
}

TEST_F(ReflectOutputs, OtherScope_IsRefused)
{
    const std::string message = failure(withBody("%a = OpAllocateNodePayloadsAMDX %np_ToRec %u1 %u1 %u0"));
    EXPECT_NE(message.find("Workgroup or Invocation"), std::string::npos) << message;
}

}  // namespace millrace::nodes
