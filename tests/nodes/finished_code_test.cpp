// SPDX-License-Identifier: Apache-2.0
#include "nodes/finished_code.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

const std::string kAsk = "%last = OpFinishWritingNodePayloadAMDX %bool %input\n";
const std::string kSend = "%sent = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u3 %u1\n";

class FinishedCode : public PassTest {
protected:
    // Whether the last workgroup alone sends.
    bool isSo(const std::string& body, const std::string& functions = "")
    {
        ModuleText module;
        module.body = body;
        module.functions = functions;
        module.globals = "%fn_bool = OpTypePointer Function %bool";
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        return shader.node.declared.sendsWhenFinished;
    }

    // Sends where a condition is true, or where it is false.
    static std::string sendIf(const std::string& condition, bool value = true)
    {
        return "OpSelectionMerge %after None\nOpBranchConditional " + condition +
               (value ? " %then %after\n" : " %after %then\n") + "%then = OpLabel\n" + kSend +
               "OpBranch %after\n%after = OpLabel\n";
    }
};

}  // namespace

TEST_F(FinishedCode, BehindTheBranch)
{
    EXPECT_TRUE(isSo(kAsk + sendIf("%last")));
    EXPECT_TRUE(isSo(kAsk + "%not = OpLogicalNot %bool %last\n" + sendIf("%not", false)));
}

TEST_F(FinishedCode, BehindAnEarlyReturn)
{
    EXPECT_TRUE(isSo(kAsk + R"(
        %not = OpLogicalNot %bool %last
        OpSelectionMerge %rest None
        OpBranchConditional %not %leave %rest
        %leave = OpLabel
        OpReturn
        %rest = OpLabel
        )" + kSend));
}

TEST_F(FinishedCode, ThroughVariablesAndOtherConditions)
{
    const std::string variable = "%kept = OpVariable %fn_bool Function\n" + kAsk + "OpStore %kept %last\n";
    EXPECT_TRUE(isSo(variable + "%again = OpLoad %bool %kept\n" + sendIf("%again")));
    EXPECT_FALSE(isSo(variable + "OpStore %kept %true\n%again = OpLoad %bool %kept\n" + sendIf("%again")));
    const std::string lane = "%lane = OpLoad %uint %lidx\n%first = OpIEqual %bool %lane %u0\n";
    EXPECT_TRUE(isSo(kAsk + lane + "%both = OpLogicalAnd %bool %first %last\n" + sendIf("%both")));
    EXPECT_FALSE(isSo(kAsk + lane + "%either = OpLogicalOr %bool %first %last\n" + sendIf("%either")));
    EXPECT_FALSE(isSo(kAsk + lane + "%both = OpLogicalAnd %bool %first %last\n" + sendIf("%both", false)));
}

TEST_F(FinishedCode, ThroughPhi)
{
    const std::string head = R"(
        %lane = OpLoad %uint %lidx
        %some = OpULessThan %bool %lane %u4
        OpBranch %begin
        %begin = OpLabel
        OpSelectionMerge %join None
        OpBranchConditional %some %ask %join
        %ask = OpLabel
        )" + kAsk + R"(
        OpBranch %join
        %join = OpLabel
        )";
    EXPECT_TRUE(isSo(head + "%told = OpPhi %bool %false %begin %last %ask\n" + sendIf("%told")));
    EXPECT_FALSE(isSo(head + "%told = OpPhi %bool %true %begin %last %ask\n" + sendIf("%told")));
}

TEST_F(FinishedCode, OthersSendAsWell)
{
    EXPECT_FALSE(isSo(kSend)) << "nobody asks";
    EXPECT_FALSE(isSo(kAsk + kSend));
    EXPECT_FALSE(isSo(kAsk + sendIf("%last", false)));
    EXPECT_FALSE(isSo(kAsk + sendIf("%last") + "%other = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0\n"));
    EXPECT_FALSE(isSo(kAsk)) << "nobody sends";
}

TEST_F(FinishedCode, InAnotherFunction)
{
    EXPECT_FALSE(isSo(kAsk + "%called = OpFunctionCall %void %sends\n",
                      "%sends = OpFunction %void None %func\n%inside = OpLabel\n" + kSend + "OpReturn\nOpFunctionEnd"));
}

}  // namespace millrace::nodes
