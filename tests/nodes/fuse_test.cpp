// SPDX-License-Identifier: Apache-2.0
// What becomes of two nodes in one module. What they do there, tests/random and tests/layer look at.
// fuse_members_test.cpp has payloads of members that have other widths than 32 bits.
#include "nodes/fuse.h"

#include "nodes/fuse_nodes.h"
#include "nodes/fuse_test.h"
#include "spirv/tools.h"

namespace millrace::nodes {

TEST_F(Fuse, OnePayload)
{
    const std::string text = fused(producer(sends("%u1", "%u0", kFill)), {{consumer(kWork)}});
    EXPECT_FALSE(contains(text, "OpAllocateNodePayloadsAMDX"));
    EXPECT_FALSE(contains(text, "OpEnqueueNodePayloadsAMDX"));
    EXPECT_FALSE(contains(text, "LinkageAttributes"));
    EXPECT_FALSE(contains(text, "OpCapability Linkage"));
    EXPECT_FALSE(contains(text, "OpLoopMerge"));
    EXPECT_FALSE(contains(text, "CoalescingAMDX"));
    EXPECT_EQ(count(text, "OpFunctionCall"), 3u);  // producer, consumer, what the consumer was
    EXPECT_TRUE(node.declared.outputs.empty());
    EXPECT_EQ(node.declared.localSize[0], 8u);
    EXPECT_EQ(node.declared.mode, graph::LaunchMode::Static);
}

TEST_F(Fuse, SeveralPayloads_TakeALoop)
{
    const std::string text = fused(producer(sends("%u3", "%u0", kFill)), {{consumer(kWork)}});
    EXPECT_EQ(count(text, "OpLoopMerge"), 1u);
    EXPECT_TRUE(contains(text, "%item_payloads = OpVariable %_ptr_Private__arr_"));
}

// Without knowing better, what may be allocated.
TEST_F(Fuse, AnyNumber_IsLimited)
{
    const std::string text = fused(producer(sends("%lane", "%u0", kFill)), {{consumer(kWork)}});
    EXPECT_TRUE(contains(text, "%uint_8"));
    const std::string few = fused(producer("%number = OpSelect %uint %true %u3 %u0\n" + sends("%number", "%u0", kFill)),
                                  {{consumer(kWork)}});
    EXPECT_TRUE(contains(few, "_arr__struct")) << few;
    EXPECT_FALSE(contains(few, "%uint_8"));
}

TEST_F(Fuse, SignedCountsAndIndices)
{
    const std::string body = "%number = OpBitcast %int %u2\n%where = OpBitcast %int %u0\n" +
                             sends("%number", "%where", kFill) + "%length = OpNodePayloadArrayLengthAMDX %int %sent\n" +
                             "%element = OpBitcast %int %u1\n%more = OpAccessChain %np_uint %sent %element %u0\n" +
                             "OpStore %more %u1\n";
    EXPECT_TRUE(contains(fused(producer(body), {{consumer(kWork)}}), "OpLoopMerge"));
}

// Indices with gaps: each run takes one comparison.
TEST_F(Fuse, NodeArrays)
{
    NodeSource from = producer(sends("%u1", "%lane", kFill));
    from.itemDecorations += "OpDecorateId %Items PayloadNodeArraySizeAMDX %u16\n";
    const std::string text =
        fused(from, {{consumer(kWork), {0, 1, 2, 7}}, {consumer("%nothing = OpLoad %uint %lidx\n"), {3, 4, 15}}});
    EXPECT_EQ(count(text, "OpISub"), 4u);
    EXPECT_EQ(count(text, "OpLogicalOr"), 2u);
    EXPECT_TRUE(contains(text, "%uint_7"));
    EXPECT_TRUE(contains(text, "%uint_15"));
}

TEST_F(Fuse, BaseIndex)
{
    NodeSource from = producer(sends("%u1", "%lane", kFill));
    from.itemDecorations +=
        "OpDecorateId %Items PayloadNodeArraySizeAMDX %u8\n"
        "OpDecorateId %Items PayloadNodeBaseIndexAMDX %u5\n";
    EXPECT_TRUE(contains(fused(from, {{consumer(kWork), {5, 6}}}), "OpIAdd %uint "));
}

TEST_F(Fuse, AllIndicesOfOneSite_AreNodesOfTheArray)
{
    // ShaderIndexAMDX is the index that the producer asked for.
    NodeSource to = consumer(std::string(kWork) + R"(
%self = OpLoad %uint %index
%self_at = OpAccessChain %sb_uint %out %u0 %self
OpStore %self_at %u1
)");
    to.interface += " %index";
    to.decorations = "OpDecorate %index BuiltIn ShaderIndexAMDX\n";
    to.globals = "%index = OpVariable %in_uint Input\n";
    const std::string text = fused(producer(sends("%u1", "%lane", kFill)), {{to, {0, 1}}});
    EXPECT_FALSE(contains(text, "BuiltIn ShaderIndexAMDX"));
}

TEST_F(Fuse, BuiltInsOfTheConsumer_AreThoseOfOneWorkgroup)
{
    NodeSource to = consumer(std::string(kWork) + R"(
%a = OpLoad %uint %levels
%b = OpLoad %uint3 %group
%c = OpLoad %uint3 %global
%d = OpLoad %uint %lidx
%e = OpCompositeExtract %uint %b 0
%f = OpCompositeExtract %uint %c 0
%g = OpIAdd %uint %a %d
%h = OpIAdd %uint %e %f
%i = OpIAdd %uint %g %h
OpStore %word_at %i
)");
    to.interface += " %levels %group %global";
    to.decorations =
        "OpDecorate %levels BuiltIn RemainingRecursionLevelsAMDX\nOpDecorate %group BuiltIn WorkgroupId\n"
        "OpDecorate %global BuiltIn GlobalInvocationId\n";
    to.globals =
        "%in_uint3 = OpTypePointer Input %uint3\n%levels = OpVariable %in_uint Input\n"
        "%group = OpVariable %in_uint3 Input\n%global = OpVariable %in_uint3 Input\n";
    const std::string text = fused(producer(sends("%u1", "%u0", kFill)), {{to}});
    EXPECT_FALSE(contains(text, "BuiltIn WorkgroupId"));
    EXPECT_FALSE(contains(text, "BuiltIn GlobalInvocationId"));
    EXPECT_FALSE(contains(text, "BuiltIn RemainingRecursionLevelsAMDX"));
    EXPECT_EQ(count(text, "BuiltIn LocalInvocationIndex"), 1u);  // the producer's
}

// Also sends two payloads to others.
NodeSource sendingConsumer()
{
    NodeSource to = consumer(std::string(kWork) + R"(
%left = OpLoad %uint %levels
%sent = OpAllocateNodePayloadsAMDX %np_Others %u4 %u2 %u0
%first = OpAccessChain %np_uint %sent %u0 %u0
OpStore %first %left
OpEnqueueNodePayloadsAMDX %sent
)");
    to.interface += " %levels";
    to.decorations = R"(OpDecorate %levels BuiltIn RemainingRecursionLevelsAMDX
OpDecorateId %Others NodeMaxPayloadsAMDX %u2
OpDecorateId %Others PayloadNodeNameAMDX %others)";
    to.globals = R"(%levels = OpVariable %in_uint Input
%others = OpConstantStringAMDX "others"
%Others = OpTypeNodePayloadArrayAMDX %Item
%np_Others = OpTypePointer NodePayloadAMDX %Others)";
    return to;
}

TEST_F(Fuse, NextLevelOfARecursion_CountsDownAndSendsForAllCalls)
{
    const std::string text = fused(producer(sends("%u3", "%u0", kFill)), {{sendingConsumer(), {0}, true}});
    EXPECT_EQ(count(text, "BuiltIn RemainingRecursionLevelsAMDX"), 1u);
    EXPECT_EQ(count(text, "OpISub"), 2u);  // the other one belongs to the choice of the consumer
    ASSERT_EQ(node.declared.outputs.size(), 1u);
    EXPECT_EQ(node.declared.outputs[0].targetName, "others");
    EXPECT_EQ(node.declared.outputs[0].budget, 6u);
}

TEST_F(Fuse, OtherConsumersThatSend_AreRefused)
{
    EXPECT_NE(refused(producer(sends("%u3", "%u0", kFill)), {{sendingConsumer()}}).find("sends payloads"),
              std::string::npos);
}

TEST_F(Fuse, NextLevelThatSendsMuch_IsRefused)
{
    NodeSource to = sendingConsumer();
    const std::string budget = "NodeMaxPayloadsAMDX %u2";
    to.decorations.replace(to.decorations.find(budget), budget.size(), "NodeMaxPayloadsAMDX %many");
    to.globals += "\n%many = OpConstant %uint 200\n";
    EXPECT_NE(refused(producer(sends("%u3", "%u0", kFill)), {{to, {0}, true}}).find("600 payloads"), std::string::npos);
}

TEST_F(Fuse, OtherBuiltIns_AreRefused)
{
    NodeSource to = consumer(std::string(kWork) + "%a = OpLoad %uint %size\n");
    to.capabilities = "OpCapability GroupNonUniform";
    to.interface += " %size";
    to.decorations = "OpDecorate %size BuiltIn SubgroupSize\n";
    to.globals = "%size = OpVariable %in_uint Input\n";
    EXPECT_TRUE(contains(refused(producer(sends("%u1", "%u0", kFill)), {{to}}),
                         "a built-in that the producer may have otherwise"));
}

namespace {

NodeSource withPushConstants(NodeSource source, const std::string& body, const std::string& decorations,
                             const std::string& members)
{
    source.interface += " %push";
    source.decorations += "OpDecorate %Push Block\n" + decorations;
    source.globals += "%Push = OpTypeStruct " + members +
                      "\n%pc_Push = OpTypePointer PushConstant %Push\n%pc_uint = OpTypePointer PushConstant %uint\n"
                      "%push = OpVariable %pc_Push PushConstant\n";
    source.body += body;
    return source;
}

constexpr const char* kReadPush = R"(
%push_at = OpAccessChain %pc_uint %push %u0
%push_value = OpLoad %uint %push_at
%push_out = OpAccessChain %sb_uint %out %u0 %u8
OpStore %push_out %push_value
)";
constexpr const char* kTwoWords = "OpMemberDecorate %Push 0 Offset 0\nOpMemberDecorate %Push 1 Offset 4\n";

}  // namespace

TEST_F(Fuse, PushConstants)
{
    const NodeSource from = producer(sends("%u1", "%u0", kFill));
    const NodeSource to = consumer(kWork);
    const NodeSource fromReads = withPushConstants(from, kReadPush, kTwoWords, "%uint %uint");
    const NodeSource toReads = withPushConstants(to, kReadPush, kTwoWords, "%uint %uint");
    for (const auto& [producing, consuming] :
         {std::pair(fromReads, to), std::pair(from, toReads), std::pair(fromReads, toReads)})
        EXPECT_EQ(count(fused(producing, {{consuming}}), "OpVariable %_ptr_PushConstant_"), 1u);
    // The first consumer's block is the second one's.
    EXPECT_EQ(count(fused(from, {{toReads, {0}}, {toReads, {1}}}), "OpVariable %_ptr_PushConstant_"), 1u);
    // Of another shape, but the same words.
    const NodeSource toVector =
        withPushConstants(to, "%whole = OpLoad %Push %push\n", "OpMemberDecorate %Push 0 Offset 0\n", "%uint2");
    EXPECT_EQ(count(fused(fromReads, {{toVector}}), "OpVariable %_ptr_PushConstant_"), 1u);
}

TEST_F(Fuse, PushConstants_ThatTheProducerLacks_AreRefused)
{
    const NodeSource from =
        withPushConstants(producer(sends("%u1", "%u0", kFill)), kReadPush, kTwoWords, "%uint %uint");
    const NodeSource to =
        withPushConstants(consumer(kWork), kReadPush,
                          "OpMemberDecorate %Push 0 Offset 0\nOpMemberDecorate %Push 1 Offset 16\n", "%uint %uint");
    EXPECT_TRUE(contains(refused(from, {{to}}), "there is nothing of 32 bits at offset 16"));
}

// What a payload's bytes mean is each node's own matter.
TEST_F(Fuse, PayloadsOfOtherTypes)
{
    NodeSource to = consumer(R"(
%pair_at = OpAccessChain %np_uint2 %input %u0 %u0
%pair = OpLoad %uint2 %pair_at
%key = OpCompositeExtract %uint %pair 1
%word_at = OpAccessChain %sb_uint %out %u0 %key
OpStore %word_at %u1
%y_at = OpAccessChain %np_uint %input %u0 %u0 %u1
%y = OpLoad %uint %y_at
)");
    to.itemDecorations = "OpMemberDecorate %Item 0 Offset 0\nOpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    to.item = "%Item = OpTypeStruct %uint2";
    to.globals = "%np_uint2 = OpTypePointer NodePayloadAMDX %uint2\n";
    fused(producer(sends("%u1", "%u0", kFill)), {{to}});
    NodeSource real = to;
    real.item = "%Item = OpTypeStruct %float2";
    real.globals = "%np_float2 = OpTypePointer NodePayloadAMDX %float2\n";
    real.body =
        "%at = OpAccessChain %np_float2 %input %u0 %u0\n%pair = OpLoad %float2 %at\n"
        "%x = OpCompositeExtract %float %pair 0\n%key = OpConvertFToU %uint %x\n"
        "%word_at = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word_at %u1\n";
    fused(producer(sends("%u1", "%u0", kFill)), {{real}});
}

TEST_F(Fuse, MembersThatTheProducerLacks_AreRefused)
{
    NodeSource to = consumer(kWork);
    to.itemDecorations =
        "OpMemberDecorate %Item 0 Offset 0\nOpMemberDecorate %Item 1 Offset 8\n"
        "OpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    EXPECT_TRUE(contains(refused(producer(sends("%u1", "%u0", kFill)), {{to}}),
                         "the producer has no member of 32 bits at offset 8"));
}

TEST_F(Fuse, WholePayloads)
{
    const std::string fill = R"(
%item = OpCompositeConstruct %Item %lane %u5
%at = OpAccessChain %np_Item %sent %u0
OpStore %at %item
%back = OpLoad %Item %at
%other = OpAccessChain %np_Item %sent %u1
OpCopyMemory %other %at
)";
    const std::string take = R"(
%copy = OpVariable %fn_Item Function
%whole_at = OpAccessChain %np_Item %input %u0
%whole = OpLoad %Item %whole_at
OpStore %copy %whole
%key = OpCompositeExtract %uint %whole 1
%word_at = OpAccessChain %sb_uint %out %u0 %key
OpStore %word_at %u1
)";
    const std::string text = fused(producer(sends("%u2", "%u0", fill)), {{consumer(take)}});
    EXPECT_TRUE(contains(text, "OpCopyLogical"));
}

TEST_F(Fuse, HandlesInVariables)
{
    const std::string body = R"(
%kept = OpVariable %fn_Items Function
%lane = OpLoad %uint %lidx
%sent = OpAllocateNodePayloadsAMDX %np_Items %u4 %u1 %u0
%handle = OpLoad %Items %sent
OpStore %kept %handle
%at = OpAccessChain %fn_uint %kept %u0 %u0
OpStore %at %lane
OpEnqueueNodePayloadsAMDX %kept
)";
    const std::string text = fused(producer(body), {{consumer(kWork)}});
    EXPECT_FALSE(contains(text, "OpAllocateNodePayloadsAMDX"));
    EXPECT_FALSE(contains(text, "OpTypeNodePayloadArrayAMDX"));
    const std::string copied = R"(
%kept = OpVariable %fn_Items Function
%copy = OpVariable %fn_Items Function
%lane = OpLoad %uint %lidx
%sent = OpAllocateNodePayloadsAMDX %np_Items %u4 %u2 %u0
%handle = OpLoad %Items %sent
OpStore %kept %handle
%again = OpLoad %Items %kept
OpStore %copy %again
%length = OpNodePayloadArrayLengthAMDX %uint %copy
%at = OpAccessChain %fn_uint %copy %u1 %u0
OpStore %at %length
OpEnqueueNodePayloadsAMDX %copy
)";
    EXPECT_FALSE(contains(fused(producer(copied), {{consumer(kWork)}}), "OpTypeNodePayloadArrayAMDX"));
}

namespace {

// Two allocations through one variable, the second of which is another node's, and the length of what it holds.
constexpr const char* kTwice = R"(
%kept = OpVariable %fn_Items Function
%lane = OpLoad %uint %lidx
%sent = OpAllocateNodePayloadsAMDX %np_Items %u4 %u2 %u0
%handle = OpLoad %Items %sent
OpStore %kept %handle
%at = OpAccessChain %fn_uint %kept %u1 %u0
OpStore %at %lane
OpEnqueueNodePayloadsAMDX %kept
%more = OpAllocateNodePayloadsAMDX %np_Items %u4 %u1 %u1
%other = OpLoad %Items %more
OpStore %kept %other
%length = OpNodePayloadArrayLengthAMDX %uint %kept
%there = OpAccessChain %np_uint %more %u0 %u1
OpStore %there %length
OpEnqueueNodePayloadsAMDX %more
)";

}  // namespace

// Each payload has a node index of its own, and the payloads of all allocations lie one after the other.
TEST_F(Fuse, SeveralAllocations)
{
    NodeSource from = producer(kTwice);
    from.itemDecorations += "OpDecorateId %Items PayloadNodeArraySizeAMDX %u2\n";
    const std::string text = fused(from, {{consumer(kWork), {0, 1}}});
    EXPECT_FALSE(contains(text, "OpAllocateNodePayloadsAMDX"));
    EXPECT_FALSE(contains(text, "OpTypeNodePayloadArrayAMDX"));
    EXPECT_TRUE(contains(text, "%uint_4 = OpConstant %uint 4"));  // three and nobody's
    EXPECT_EQ(count(text, "OpLoopMerge"), 2u);                    // node indices, and the consumers
}

TEST_F(Fuse, SeveralAllocations_OneOfThemByTheWorkgroup_AreRefused)
{
    std::string body = kTwice;
    const std::string scope = "%more = OpAllocateNodePayloadsAMDX %np_Items %u4";
    body.replace(body.find(scope), scope.size(), "%more = OpAllocateNodePayloadsAMDX %np_Items %u2");
    EXPECT_NE(refused(producer(body), {{consumer(kWork)}}).find("allocated by workgroups, and by others"),
              std::string::npos);
}

// How many is not known, but not more than all may be.
TEST_F(Fuse, AllocationsInALoop)
{
    const std::string body = R"(
%lane = OpLoad %uint %lidx
OpBranch %again
%again = OpLabel
%turn = OpPhi %uint %u0 %entry %following %next
OpLoopMerge %done %next None
OpBranch %inside
%inside = OpLabel
%sent = OpAllocateNodePayloadsAMDX %np_Items %u4 %u1 %u0
%at = OpAccessChain %np_uint %sent %u0 %u0
OpStore %at %turn
OpEnqueueNodePayloadsAMDX %sent
OpBranch %next
%next = OpLabel
%following = OpIAdd %uint %turn %u1
%more = OpULessThan %bool %following %u3
OpBranchConditional %more %again %done
%done = OpLabel
)";
    const std::string text = fused(producer(body), {{consumer(kWork)}});
    EXPECT_FALSE(contains(text, "OpAllocateNodePayloadsAMDX"));
    EXPECT_TRUE(contains(text, "%uint_9 = OpConstant %uint 9"));  // the limit and nobody's
}

TEST_F(Fuse, HandlesThatTwoAllocationsMayMean)
{
    const std::string body = R"(
%lane = OpLoad %uint %lidx
%first = OpAllocateNodePayloadsAMDX %np_Items %u4 %u1 %u0
%second = OpAllocateNodePayloadsAMDX %np_Items %u4 %u1 %u0
%is_odd = OpIEqual %bool %lane %u1
%some = OpSelect %np_Items %is_odd %first %second
%at = OpAccessChain %np_uint %some %u0 %u0
OpStore %at %lane
OpEnqueueNodePayloadsAMDX %first
OpEnqueueNodePayloadsAMDX %second
)";
    EXPECT_TRUE(contains(fused(producer(body), {{consumer(kWork)}}), "OpSelect %uint"));
}

TEST_F(Fuse, NodesWithoutPayloads)
{
    NodeSource from = producer(sends("%u1", "%u0", ""));
    from.item = "%Item = OpTypeStruct";
    from.itemDecorations =
        "OpDecorateId %Items NodeMaxPayloadsAMDX %u8\nOpDecorateId %Items PayloadNodeNameAMDX %name\n";
    NodeSource to = consumer("%at = OpAccessChain %sb_uint %out %u0 %u0\nOpStore %at %u1\n");
    to.item = from.item;
    to.itemDecorations = "OpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    fused(from, {{to}});
}

// The consumer's variables begin anew with each payload.
TEST_F(Fuse, PrivateInitializers)
{
    NodeSource to = consumer(std::string(kWork) + R"(
%seen = OpLoad %uint %counter
%more = OpIAdd %uint %seen %u1
OpStore %counter %more
)");
    to.interface += " %counter";
    to.globals = "%pv_uint = OpTypePointer Private %uint\n%counter = OpVariable %pv_uint Private %u3\n";
    const std::string text = fused(producer(sends("%u2", "%u0", kFill)), {{to}});
    EXPECT_FALSE(contains(text, "Private %uint_3"));
    EXPECT_TRUE(contains(text, "%uint_3"));
}

// Both nodes have variables for one buffer, and each is to see what the other wrote.
TEST_F(Fuse, Buffers)
{
    NodeSource to = consumer(kWork);
    to.decorations = "OpDecorate %out Restrict\nOpDecorate %table DescriptorSet 1\nOpDecorate %table Binding 3\n";
    to.globals = "%table = OpVariable %sb_Out StorageBuffer\n";
    to.interface += " %table";
    to.body += "%t_at = OpAccessChain %sb_uint %table %u0 %key\n%t = OpLoad %uint %t_at\n";
    NodeSource from =
        producer("%own = OpAccessChain %sb_uint %out %u0 %u1\nOpStore %own %u1\n" + sends("%u1", "%u0", kFill));
    const std::string text = fused(from, {{to}});
    EXPECT_EQ(count(text, "Binding 0"), 2u);
    EXPECT_EQ(count(text, " Aliased\n"), 2u);
    EXPECT_EQ(count(text, " Restrict\n"), 0u);
    // The consumer's alone is as it was.
    NodeSource alone = producer(sends("%u1", "%u0", kFill));
    EXPECT_EQ(count(fused(alone, {{to}}), " Aliased\n"), 0u);
}

// A module may declare types of images and samplers once only.
TEST_F(Fuse, Images)
{
    const auto writesImage = [](NodeSource source, const std::string& value) {
        source.decorations = "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 7\n";
        source.globals =
            "%v2uint = OpTypeVector %uint 2\n%image2d = OpTypeImage %uint 2D 0 0 0 2 R32ui\n"
            "%v4uint = OpTypeVector %uint 4\n%uc_image = OpTypePointer UniformConstant %image2d\n"
            "%place = OpConstantComposite %v2uint %u1 %u3\n%image = OpVariable %uc_image UniformConstant\n";
        source.interface += " %image";
        source.body += "%texel = OpCompositeConstruct %v4uint " + value + " " + value + " " + value + " " + value +
                       "\n%where = OpLoad %image2d %image\nOpImageWrite %where %place %texel\n";
        return source;
    };
    const std::string text =
        fused(writesImage(producer(sends("%u1", "%u0", kFill)), "%lane"), {{writesImage(consumer(kWork), "%key")}});
    EXPECT_EQ(count(text, " OpTypeImage "), 1u);
    EXPECT_EQ(count(text, " OpImageWrite "), 2u);
    EXPECT_EQ(count(text, "Binding 7"), 2u);
    EXPECT_EQ(count(text, " Aliased\n"), 2u);
}

TEST_F(Fuse, VulkanMemoryModel)
{
    NodeSource from = producer(sends("%u1", "%u0", R"(
%first = OpAccessChain %np_uint %sent %u0 %u0
OpStore %first %lane NonPrivatePointer
%second = OpAccessChain %np_uint %sent %u0 %u1
OpStore %second %u5 MakePointerAvailable|NonPrivatePointer %u5
)"));
    NodeSource to = consumer(R"(
%key_at = OpAccessChain %np_uint %input %u0 %u1
%key = OpLoad %uint %key_at
%word_at = OpAccessChain %sb_uint %out %u0 %key
OpStore %word_at %u1
)");
    for (NodeSource* source : {&from, &to}) {
        source->memoryModel = "OpMemoryModel Logical Vulkan";
        source->capabilities = "OpCapability VulkanMemoryModel";
    }
    // spirv-val has it that payloads cannot be shared; to us they are memory.
    const auto words = tryFuse(from, {{to}});
    EXPECT_TRUE(words) << words.error().text();
    NodeSource plain = producer(sends("%u1", "%u0", kFill));
    plain.memoryModel = from.memoryModel;
    plain.capabilities = from.capabilities;
    fused(plain, {{to}});
    EXPECT_TRUE(contains(refused(producer(sends("%u1", "%u0", kFill)), {{to}}), "memory models differ"));
}

TEST_F(Fuse, IsValid_StaysAQuestion)
{
    const std::string text =
        fused(producer("%query = OpVariable %fn_Items Function\n%valid = OpIsNodePayloadValidAMDX %bool %query %u0\n"
                       "%number = OpSelect %uint %valid %u1 %u0\n" +
                       sends("%number", "%u0", kFill)),
              {{consumer(kWork)}});
    EXPECT_TRUE(contains(text, "OpIsNodePayloadValidAMDX"));
    ASSERT_EQ(node.declared.outputs.size(), 1u);
    EXPECT_EQ(node.declared.outputs[0].allocationSites, 0u);
}

TEST_F(Fuse, AChain)
{
    // first -> item -> item: the second one is fused into a consumer, which is fused then.
    NodeSource middle = consumer(kWork);
    middle.itemDecorations +=
        "OpDecorateId %Others NodeMaxPayloadsAMDX %u1\nOpDecorateId %Others PayloadNodeNameAMDX %next\n";
    middle.globals =
        "%Others = OpTypeNodePayloadArrayAMDX %Item\n%np_Others = OpTypePointer NodePayloadAMDX %Others\n"
        "%next = OpConstantStringAMDX \"next\"\n";
    middle.body +=
        "%sent = OpAllocateNodePayloadsAMDX %np_Others %u4 %u1 %u0\n"
        "%a = OpAccessChain %np_uint %sent %u0 %u0\nOpStore %a %key\n"
        "%b = OpAccessChain %np_uint %sent %u0 %u1\nOpStore %b %key\nOpEnqueueNodePayloadsAMDX %sent\n";
    const spirv::Words last = assembled(consumer(kWork).text("%input = OpVariable %np_Items NodePayloadAMDX\n"));
    const auto both = fuse(assembled(middle.text("%input = OpVariable %np_Items NodePayloadAMDX\n")), options,
                           {{{0, {{last, options, {0}}}}}});
    ASSERT_TRUE(both) << both.error().text();
    const auto prepared = prepare(*both, options);
    ASSERT_TRUE(prepared) << prepared.error().text();
    EXPECT_TRUE(prepared->node.declared.outputs.empty());
    EXPECT_GT(prepared->node.decided.packWidth, 0u);
    const auto all =
        fuse(assembled(producer(sends("%u2", "%u0", kFill)).text("")), options, {{{0, {{*both, options, {0}}}}}});
    ASSERT_TRUE(all) << all.error().text();
    Options checked = options;
    checked.checks.validate = true;
    const auto compiled = compile(*all, checked);
    ASSERT_TRUE(compiled) << compiled.error().text();
    EXPECT_TRUE(compiled->node.declared.outputs.empty());
}

// With payloads of `bytes`, of which there is nothing between the first four and the last.
NodeSource withPayloadsOf(uint32_t bytes, NodeSource node, const std::string& most)
{
    node.itemDecorations = "OpMemberDecorate %Item 0 Offset 0\nOpMemberDecorate %Item 1 Offset " +
                           std::to_string(bytes - 4) + "\nOpDecorateId %Items NodeMaxPayloadsAMDX " + most + "\n";
    if (node.interface.empty())
        node.itemDecorations += "OpDecorateId %Items PayloadNodeNameAMDX %name\n";
    return node;
}

TEST_F(Fuse, LargePayloads_AreRefused)
{
    const NodeSource from = producer(sends("%u8", "%u0", kFill));
    fused(withPayloadsOf(128, from, "%u8"), {{withPayloadsOf(128, consumer(kWork), "%u1")}});
    EXPECT_TRUE(contains(refused(withPayloadsOf(132, from, "%u8"), {{withPayloadsOf(132, consumer(kWork), "%u1")}}),
                         "8 payloads of 132 bytes, more than 1024 bytes"));
}

// Invocations that send few wait for those that send many.
TEST_F(Fuse, ManyPayloadsOfUnknownNumber_HaveFewBytes)
{
    const NodeSource unknown = producer(sends("%lane", "%u0", kFill));
    const std::vector<Receiver> to = {{withPayloadsOf(16, consumer(kWork), "%u1")}};
    fused(withPayloadsOf(16, unknown, "%u32"), to);
    EXPECT_TRUE(
        contains(refused(withPayloadsOf(16, unknown, "%u33"), to), "33 payloads of 16 bytes, more than 128 bytes"));
    fused(withPayloadsOf(16, producer(sends("%u33", "%u0", kFill)), "%u33"), to);
}

TEST_F(Fuse, Barriers_AreRefused)
{
    const std::string text = refused(producer(sends("%u1", "%u0", kFill)),
                                     {{consumer(std::string(kWork) + "OpControlBarrier %u2 %u2 %u0\n")}});
    EXPECT_TRUE(contains(text, "orders memory, of which the producer knows nothing")) << text;
}

TEST_F(Fuse, LongCode_IsRefused)
{
    std::string body = kWork;
    for (int i = 0; i < 700; ++i)
        body += "%sum" + std::to_string(i) + " = OpIAdd %uint %key %u1\n";
    EXPECT_TRUE(contains(refused(producer(sends("%u1", "%u0", kFill)), {{consumer(body)}}), "more than 600"));
}

TEST_F(Fuse, AtomicsOnPayloads_AreRefused)
{
    const NodeSource to =
        consumer("%at = OpAccessChain %np_uint %input %u0 %u1\n%x = OpAtomicIAdd %uint %at %u1 %u0 %u1\n");
    EXPECT_TRUE(contains(refused(producer(sends("%u1", "%u0", kFill)), {{to}}), "for more than loads and stores"));
}

TEST_F(Fuse, OtherArithmetic_IsRefused)
{
    NodeSource to = consumer(kWork);
    to.capabilities = "OpCapability RoundingModeRTZ\nOpCapability DenormPreserve";
    to.modes += "\nOpExecutionMode %main RoundingModeRTZ 32";
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    EXPECT_TRUE(contains(refused(from, {{to}}), "it asks for some that the producer does not have"));
    from.capabilities = to.capabilities;
    from.modes += "\nOpExecutionMode %main RoundingModeRTZ 32\nOpExecutionMode %main DenormPreserve 32";
    EXPECT_TRUE(contains(fused(from, {{to}}), "RoundingModeRTZ 32"));
}

// Of all invocations of a subgroup, whose code a consumer of a workgroup may ask about.
TEST_F(Fuse, OtherReconvergence_IsRefused)
{
    NodeSource to = consumer(kWork);
    to.capabilities = "OpCapability Shader\nOpExtension \"SPV_KHR_maximal_reconvergence\"";
    to.modes += "\nOpExecutionMode %main MaximallyReconvergesKHR";
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    EXPECT_TRUE(contains(refused(from, {{to}}), "it asks for some that the producer does not have"));
    from.capabilities = to.capabilities;
    from.modes += "\nOpExecutionMode %main MaximallyReconvergesKHR";
    EXPECT_TRUE(contains(fused(from, {{to}}), "MaximallyReconvergesKHR"));
}

// The producer reads nothing of its payload, which says where its grid is all the same.
TEST_F(Fuse, WhatTheProducerDeclares_IsKept)
{
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    from.modes = R"(
        OpExecutionMode %main LocalSize 8 1 1
        OpExecutionModeId %main MaxNumWorkgroupsAMDX %u4 %u3 %u2
        OpExecutionModeId %main IsApiEntryAMDX %no
        OpExecutionModeId %main MaxNodeRecursionAMDX %u5)";
    from.interface = "%orders";
    from.decorations = R"(
        OpMemberDecorate %Order 0 Offset 0
        OpMemberDecorate %Order 1 Offset 8
        OpMemberDecorate %Order 1 PayloadDispatchIndirectAMDX
        OpDecorate %Order TrackFinishWritingAMDX)";
    from.globals = R"(
        %no = OpConstantFalse %bool
        %Order = OpTypeStruct %uint %uint2
        %Orders = OpTypeNodePayloadArrayAMDX %Order
        %np_Orders = OpTypePointer NodePayloadAMDX %Orders
        %orders = OpVariable %np_Orders NodePayloadAMDX)";
    EXPECT_TRUE(contains(fused(from, {{consumer(kWork)}}), "TrackFinishWritingAMDX"));
    EXPECT_EQ(node.declared.mode, graph::LaunchMode::Dynamic);
    EXPECT_TRUE(node.declared.declaresPayload);
    EXPECT_EQ(node.declared.payloadBytes, 16u);
    EXPECT_EQ(node.declared.grid.offsetBytes, 8u);
    EXPECT_EQ(node.declared.grid.components, 2u);
    EXPECT_TRUE(node.declared.declaresMaxGrid);
    EXPECT_EQ(node.declared.maxGrid[2], 2u);
    EXPECT_EQ(node.declared.localSize[0], 8u);
    EXPECT_EQ(node.declared.maxRecursion, 5u);
    EXPECT_FALSE(node.declared.apiEntry);
    EXPECT_TRUE(node.declared.outputs.empty());
}

// A shader that asks for its workgroups' size by a constant, without a use of it.
TEST_F(Fuse, TheSizeOfTheProducersWorkgroups_IsKept)
{
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    from.decorations = "OpDecorate %size BuiltIn WorkgroupSize\n";
    from.globals = "%size = OpConstantComposite %uint3 %u4 %u2 %u1\n";
    fused(from, {{consumer(kWork)}});
    EXPECT_EQ(node.declared.localSize[0], 4u);
    EXPECT_EQ(node.declared.localSize[1], 2u);
}

TEST_F(Fuse, SpecializationConstants_AreApplied)
{
    options.request.specialization = {{7, {3, 0, 0, 0}}};
    NodeSource to = consumer(std::string(kWork) + "OpStore %word_at %special\n");
    to.decorations = "OpDecorate %special SpecId 7\n";
    to.globals = "%special = OpSpecConstant %uint 0\n";
    const std::string text = fused(producer(sends("%u1", "%u0", kFill)), {{to}});
    EXPECT_FALSE(contains(text, "OpSpecConstant"));
    EXPECT_FALSE(contains(text, "SpecId"));
}

}  // namespace millrace::nodes
