// SPDX-License-Identifier: Apache-2.0
// The oracle must notice what breaks a rule, or it would bless wrong random graphs.
#include <gtest/gtest.h>

#include "oracle/test_graph.h"

namespace millrace::oracle {

namespace {

// A node that may send payloads of one word to "to"; %i is its LocalInvocationIndex.
NodeText sender()
{
    NodeText node;
    node.name = "from";
    node.interface = "%lid";
    node.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1\n";
    node.decorations =
        "OpDecorate %lid BuiltIn LocalInvocationIndex\nOpMemberDecorate %Rec 0 Offset 0\n"
        "OpDecorateId %Arr PayloadNodeNameAMDX %name\nOpDecorateId %Arr NodeMaxPayloadsAMDX %u4\n";
    node.types =
        "%in_uint = OpTypePointer Input %uint\n%lid = OpVariable %in_uint Input\n"
        "%Rec = OpTypeStruct %uint\n%Arr = OpTypeNodePayloadArrayAMDX %Rec\n"
        "%name = OpConstantStringAMDX \"to\"\n%ptr_Arr = OpTypePointer NodePayloadAMDX %Arr\n"
        "%np_uint = OpTypePointer NodePayloadAMDX %uint\n";
    node.body = "%i = OpLoad %uint %lid\n";
    return node;
}

// Adds the word it receives to out[0] and counts itself in out[1].
NodeText receiver()
{
    NodeText node;
    node.name = "to";
    node.interface = "%input";
    node.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1\n";
    node.decorations = "OpMemberDecorate %Rec 0 Offset 0\nOpDecorateId %Arr NodeMaxPayloadsAMDX %u1\n";
    node.types =
        "%Rec = OpTypeStruct %uint\n%Arr = OpTypeNodePayloadArrayAMDX %Rec\n"
        "%ptr_Arr = OpTypePointer NodePayloadAMDX %Arr\n%np_uint = OpTypePointer NodePayloadAMDX %uint\n"
        "%input = OpVariable %ptr_Arr NodePayloadAMDX\n";
    node.body =
        "%vp = OpAccessChain %np_uint %input %u0 %u0\n%v = OpLoad %uint %vp\n"
        "%o0 = OpAccessChain %word %out %u0 %u0\n%a0 = OpAtomicIAdd %uint %o0 %u1 %u0 %v\n"
        "%o1 = OpAccessChain %word %out %u0 %u1\n%a1 = OpAtomicIAdd %uint %o1 %u1 %u0 %u1\n";
    return node;
}

NodeSource source(const NodeText& node)
{
    return {assemble(nodeText(node)), node.name, std::nullopt, std::nullopt, {}};
}

// The words that the receivers added up, and how many of them there were.
std::vector<uint32_t> run(const std::vector<NodeText>& nodes, uint32_t seed = 1)
{
    std::vector<NodeSource> sources;
    for (const NodeText& node : nodes)
        sources.push_back(source(node));
    Options options;
    options.seed = seed;
    return runGraph(sources, {{"from", 0, 1, {}, 0}}, 2, options);
}

void expectRuleError(const std::vector<NodeText>& nodes, const std::string& part)
{
    try {
        run(nodes);
        FAIL() << "no rule was broken, expected: " << part;
    } catch (const RuleError& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

// %to is an array of `count` payloads with value 7, not yet enqueued.
std::string allocateFilled(const std::string& count, const std::string& elements = "1")
{
    std::string text = "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u" + count + " %u0\n";
    for (int i = 0; i < std::stoi(elements); ++i) {
        const std::string n = std::to_string(i);
        text += "%e" + n + " = OpAccessChain %np_uint %to %u" + n + " %u0\nOpStore %e" + n + " %u7\n";
    }
    return text;
}

// Writes the word it receives to the outputs at location 3 of `vertices` vertices.
NodeText meshReceiver(const std::string& vertices)
{
    NodeText node = receiver();
    node.model = "MeshEXT";
    node.capabilities = "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n";
    node.interface += " %values";
    node.modes +=
        "OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 2\n"
        "OpExecutionMode %main OutputPoints\n";
    node.decorations += "OpDecorate %values Location 3\n";
    node.types +=
        "%Values = OpTypeArray %uint %u3\n%ptr_Values = OpTypePointer Output %Values\n"
        "%values = OpVariable %ptr_Values Output\n%out_uint = OpTypePointer Output %uint\n";
    node.body += "OpSetMeshOutputsEXT %u" + vertices + " %u1\n%place = OpAccessChain %out_uint %values %u1\n" +
                 "OpStore %place %v\n";
    return node;
}

TEST(OracleRules, MeshNode_GivesOutWhatItReceives)
{
    NodeText from = sender();
    from.body += allocateFilled("1") + "OpEnqueueNodePayloadsAMDX %to\n";
    std::vector<uint32_t> out(2);
    Graph graph({source(from), source(meshReceiver("2"))}, {});
    graph.bindBuffer(0, 0, {reinterpret_cast<uint8_t*>(out.data()), 8});
    uint32_t groups = 0;
    graph.onMesh([&](const Node& node, const MeshOutputs& outputs) {
        ++groups;
        EXPECT_EQ(node.name, "to");
        EXPECT_EQ(outputs.vertices, 2u);
        EXPECT_EQ(outputs.primitives, 1u);
        uint32_t value = 0;
        std::memcpy(&value, outputs.at(uint32_t{3}, 1).data(), sizeof value);
        EXPECT_EQ(value, 7u);
        EXPECT_THROW(outputs.at(spv::BuiltInPosition, 0), RuleError);
    });
    graph.dispatch({launchWords("from", 0, 1, {})});
    EXPECT_EQ(groups, 1u);
    EXPECT_EQ(out, (std::vector<uint32_t>{7, 1}));
}

TEST(OracleRules, MeshNode_GivesOutNoMoreThanItDeclares)
{
    NodeText from = sender();
    from.body += allocateFilled("1") + "OpEnqueueNodePayloadsAMDX %to\n";
    expectRuleError({from, meshReceiver("4")}, "more vertices");
}

TEST(OracleRules, MeshNode_MustNotSend)
{
    NodeText from = sender();
    from.model = "MeshEXT";
    from.capabilities = "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n";
    from.body += allocateFilled("1");
    expectRuleError({from, receiver()}, "must not send");
}

TEST(OracleRules, EnqueuedPayloads_Arrive)
{
    NodeText from = sender();
    from.body += allocateFilled("3", "3") + "OpEnqueueNodePayloadsAMDX %to\n";
    EXPECT_EQ(run({from, receiver()}), (std::vector<uint32_t>{21, 3}));
}

TEST(OracleRules, AllocatedPayloads_AreEnqueuedAtTheEnd)
{
    NodeText from = sender();
    from.body += allocateFilled("2", "2");
    EXPECT_EQ(run({from, receiver()}), (std::vector<uint32_t>{14, 2}));
}

TEST(OracleRules, UndefinedPayloads_DifferFromRunToRun)
{
    NodeText from = sender();
    from.body += "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u1 %u0\n";
    EXPECT_NE(run({from, receiver()}, 1), run({from, receiver()}, 2));
}

TEST(OracleRules, InvocationScope_GivesEachItsOwn)
{
    NodeText from = sender();
    from.localSize = "4 1 1";
    // Invocation i allocates i % 2 payloads: two in all.
    from.body +=
        "%n = OpBitwiseAnd %uint %i %u1\n%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u4 %n %u0\n"
        "%l = OpNodePayloadArrayLengthAMDX %uint %to\n%has = OpIEqual %bool %l %u1\n"
        "OpSelectionMerge %join None\nOpBranchConditional %has %then %join\n%then = OpLabel\n"
        "%e = OpAccessChain %np_uint %to %u0 %u0\nOpStore %e %i\nOpBranch %join\n%join = OpLabel\n"
        "OpEnqueueNodePayloadsAMDX %to\n";
    EXPECT_EQ(run({from, receiver()}), (std::vector<uint32_t>{4, 2}));
}

TEST(OracleRules, Budget_IsThatOfTheWholeWorkgroup)
{
    NodeText from = sender();
    from.body += allocateFilled("3") + "%more = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u2 %u0\n";
    expectRuleError({from, receiver()}, "more than 4 payloads");
}

TEST(OracleRules, SharedBudget_CountsBothTypes)
{
    NodeText from = sender();
    from.decorations +=
        "OpDecorateId %Arr2 PayloadNodeNameAMDX %name\nOpDecorateId %Arr2 NodeMaxPayloadsAMDX %u1\n"
        "OpDecorateId %Arr2 NodeSharesPayloadLimitsWithAMDX %Arr\n";
    from.types += "%Arr2 = OpTypeNodePayloadArrayAMDX %Rec\n%ptr_Arr2 = OpTypePointer NodePayloadAMDX %Arr2\n";
    NodeText good = from;
    good.body += allocateFilled("2", "2") +
                 "%b = OpAllocateNodePayloadsAMDX %ptr_Arr2 %u2 %u2 %u0\n"
                 "%b0 = OpAccessChain %np_uint %b %u0 %u0\nOpStore %b0 %u1\n"
                 "%b1 = OpAccessChain %np_uint %b %u1 %u0\nOpStore %b1 %u1\n";
    EXPECT_EQ(run({good, receiver()}), (std::vector<uint32_t>{16, 4}));
    from.body += allocateFilled("2") + "%b = OpAllocateNodePayloadsAMDX %ptr_Arr2 %u2 %u3 %u0\n";
    expectRuleError({from, receiver()}, "more than 4 payloads");
}

TEST(OracleRules, WorkgroupScope_WantsAUniformCount)
{
    NodeText from = sender();
    from.localSize = "2 1 1";
    from.body += "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %i %u0\n";
    expectRuleError({from, receiver()}, "not uniform");
}

TEST(OracleRules, Allocation_WantsUniformControlFlow)
{
    NodeText from = sender();
    from.localSize = "2 1 1";
    from.body +=
        "%z = OpIEqual %bool %i %u0\nOpSelectionMerge %join None\nOpBranchConditional %z %then %join\n"
        "%then = OpLabel\n%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u4 %u1 %u0\nOpBranch %join\n"
        "%join = OpLabel\n";
    expectRuleError({from, receiver()}, "not uniform");
}

TEST(OracleRules, EnqueueTwice_IsAnError)
{
    NodeText from = sender();
    from.body += allocateFilled("1") + "OpEnqueueNodePayloadsAMDX %to\nOpEnqueueNodePayloadsAMDX %to\n";
    expectRuleError({from, receiver()}, "enqueued twice");
}

TEST(OracleRules, AccessAfterEnqueue_IsAnError)
{
    NodeText from = sender();
    from.body += allocateFilled("1") + "OpEnqueueNodePayloadsAMDX %to\nOpStore %e0 %u1\n";
    expectRuleError({from, receiver()}, "touched after");
}

TEST(OracleRules, ElementBeyondTheCount_IsAnError)
{
    NodeText from = sender();
    from.body += allocateFilled("1", "2");
    expectRuleError({from, receiver()}, "element 1 of 1");
}

TEST(OracleRules, MissingNode_IsAnError)
{
    NodeText from = sender();
    from.body += "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u1 %u5\n";
    expectRuleError({from, receiver()}, "which does not exist");
    NodeText none = sender();
    none.body += "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u0 %u5\n";
    EXPECT_EQ(run({none, receiver()}), (std::vector<uint32_t>{0, 0})) << "no payloads go nowhere";
}

TEST(OracleRules, ArraySize_BoundsTheSumWithTheBaseIndex)
{
    NodeText from = sender();
    from.decorations +=
        "OpDecorateId %Arr PayloadNodeArraySizeAMDX %u2\nOpDecorateId %Arr PayloadNodeBaseIndexAMDX %u1\n"
        "OpDecorate %Arr PayloadNodeSparseArrayAMDX\n";
    from.body += "%ok = OpIsNodePayloadValidAMDX %bool %Arr %u1\n";
    expectRuleError({from, receiver()}, "node index 2 of an array of 2");
}

TEST(OracleRules, DenseArray_NeedsEveryNode)
{
    NodeText from = sender();
    from.decorations += "OpDecorateId %Arr PayloadNodeArraySizeAMDX %u2\n";
    from.body += allocateFilled("1");
    expectRuleError({from, receiver()}, "10184");
}

TEST(OracleRules, PayloadSizes_MustMatch)
{
    NodeText to = receiver();
    to.types.replace(to.types.find("OpTypeStruct %uint"), 18, "OpTypeStruct %uint %uint");
    to.decorations += "OpMemberDecorate %Rec 1 Offset 4\n";
    NodeText from = sender();
    from.body += allocateFilled("1");
    expectRuleError({from, to}, "09139");
}

TEST(OracleRules, NodesOfOneIndex_AreAnError)
{
    expectRuleError({sender(), receiver(), receiver()}, "09134");
}

TEST(OracleRules, Families_MustBeAlike)
{
    NodeText other = receiver();
    other.modes = "OpExecutionModeId %main ShaderIndexAMDX %u1\nOpExecutionMode %main CoalescingAMDX\n";
    expectRuleError({sender(), receiver(), other}, "09137");
}

TEST(OracleRules, Recursion_EndsAtItsLastLevel)
{
    NodeText from = sender();
    from.name = "to";
    from.modes += "OpExecutionModeId %main MaxNodeRecursionAMDX %u2\n";
    from.interface += " %input";
    from.types += "%input = OpVariable %ptr_Arr NodePayloadAMDX\n";
    from.body += allocateFilled("1");
    NodeText first = sender();
    first.body += allocateFilled("1");
    expectRuleError({first, from}, "below the last level");
    NodeText stops = sender();
    stops.name = "to";
    stops.modes = from.modes;
    stops.interface = from.interface;
    stops.types = from.types;
    stops.body +=
        "%ok = OpIsNodePayloadValidAMDX %bool %Arr %u0\n%n = OpSelect %uint %ok %u1 %u0\n"
        "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %n %u0\n"
        "%o1 = OpAccessChain %word %out %u0 %u1\n%a1 = OpAtomicIAdd %uint %o1 %u1 %u0 %u1\n";
    EXPECT_EQ(run({first, stops})[1], 3u);
}

TEST(OracleRules, Cycles_AreAnError)
{
    NodeText there = sender();
    there.body += allocateFilled("1");
    NodeText back = there;
    back.name = "to";
    back.interface += " %input";
    back.types += "%input = OpVariable %ptr_Arr NodePayloadAMDX\n";
    back.types.replace(back.types.find("\"to\""), 4, "\"from\"");
    there.interface += " %input";
    there.types += "%input = OpVariable %ptr_Arr NodePayloadAMDX\n";
    std::vector<NodeSource> sources = {source(there), source(back)};
    EXPECT_THROW(runGraph(sources, {launchWords("from", 0, 1, {1})}, 2), RuleError);
}

TEST(OracleRules, ApiDispatch_WantsAnEntry)
{
    NodeText from = sender();
    from.modes += "OpExecutionModeId %main IsApiEntryAMDX %no\n";
    from.types += "%no = OpConstantFalse %bool\n";
    expectRuleError({from, receiver()}, "no entry");
}

TEST(OracleRules, SharedInput_MustNotBeWritten)
{
    NodeText from = sender();
    from.body += allocateFilled("1");
    NodeText twin = receiver();
    twin.name = "twin";
    twin.modes += "OpExecutionModeId %main SharesInputWithAMDX %base %u0\n";
    twin.types += "%base = OpConstantStringAMDX \"to\"\n";
    EXPECT_EQ(run({from, receiver(), twin}), (std::vector<uint32_t>{14, 2}));
    twin.body += "OpStore %vp %u1\n";
    expectRuleError({from, receiver(), twin}, "write to a shared input");
}

// A receiver that takes its grid from the payload's only word.
NodeText gridReceiver()
{
    NodeText to = receiver();
    to.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %u5 %u1 %u1\n";
    to.decorations += "OpMemberDecorate %Rec 0 PayloadDispatchIndirectAMDX\n";
    return to;
}

TEST(OracleRules, Grid_ComesFromThePayload)
{
    NodeText from = sender();
    from.body +=
        "%to = OpAllocateNodePayloadsAMDX %ptr_Arr %u2 %u2 %u0\n"
        "%e0 = OpAccessChain %np_uint %to %u0 %u0\nOpStore %e0 %u5\n"
        "%e1 = OpAccessChain %np_uint %to %u1 %u0\nOpStore %e1 %u0\n";
    EXPECT_EQ(run({from, gridReceiver()}), (std::vector<uint32_t>{25, 5})) << "a grid of 0 runs nothing";
}

TEST(OracleRules, GridAboveItsMaximum_IsAnError)
{
    NodeText from = sender();
    from.body += allocateFilled("1");
    expectRuleError({from, gridReceiver()}, "MaxNumWorkgroupsAMDX");
}

TEST(OracleRules, FinishWriting_WantsTrackingAndCoalescesNever)
{
    NodeText from = sender();
    from.body += allocateFilled("1");
    NodeText to = receiver();
    to.body += "%last = OpFinishWritingNodePayloadAMDX %bool %input\n";
    expectRuleError({from, to}, "without TrackFinishWritingAMDX");
    to.decorations += "OpDecorate %Rec TrackFinishWritingAMDX\n";
    EXPECT_EQ(run({from, to})[1], 1u);
    EXPECT_THROW(runGraph({source(to)}, {launchWords("to", 0, 1, {1})}, 2), RuleError) << "payload from the API";
    to.body += "%again = OpFinishWritingNodePayloadAMDX %bool %input\n";
    expectRuleError({from, to}, "twice in a workgroup");
}

TEST(OracleRules, NumWorkgroups_MustNotBeUsed)
{
    NodeText from = sender();
    from.interface += " %num";
    from.decorations += "OpDecorate %num BuiltIn NumWorkgroups\n";
    from.types += "%in_3 = OpTypePointer Input %uint3\n%num = OpVariable %in_3 Input\n";
    from.body += "%x = OpLoad %uint3 %num\n";
    expectRuleError({from, receiver()}, "NumWorkgroups");
}

TEST(OracleRules, Chains_EndAtTheDepthLimit)
{
    NodeText node = sender();
    node.name = "to";
    node.modes += "OpExecutionModeId %main MaxNodeRecursionAMDX %depth\n";
    node.types += "%depth = OpConstant %uint 40\n%input = OpVariable %ptr_Arr NodePayloadAMDX\n";
    node.interface += " %input";
    node.body += allocateFilled("1");
    NodeText first = sender();
    first.body += allocateFilled("1");
    expectRuleError({first, node}, "maxExecutionGraphDepth");
}

TEST(OracleRules, Work_IsBounded)
{
    NodeText node = receiver();
    node.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u9 %u9 %u9\n";
    Options options;
    options.maxWorkgroups = 700;
    EXPECT_THROW(runGraph({source(node)}, {launchWords("to", 0, 1, {1})}, 2, options), TooMuchWork);
    options.maxWorkgroups = 729;
    EXPECT_EQ(runGraph({source(node)}, {launchWords("to", 0, 1, {1})}, 2, options)[1], 729u);
}

}  // namespace

}  // namespace millrace::oracle
