// SPDX-License-Identifier: Apache-2.0
// What becomes of two nodes in one module. What they do there, tests/random and tests/layer look at.
#include "compiler/fuse.h"

#include "compiler/fuse_nodes.h"
#include "compiler/fuse_test.h"
#include "compiler/fusion/leaves.h"
#include "spirv/tools.h"

namespace millrace::compiler {

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
    EXPECT_TRUE(node.outputs.empty());
    EXPECT_EQ(node.localSize[0], 8u);
    EXPECT_EQ(node.mode, graph::LaunchMode::Static);
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
    ASSERT_EQ(node.outputs.size(), 1u);
    EXPECT_EQ(node.outputs[0].targetName, "others");
    EXPECT_EQ(node.outputs[0].budget, 6u);
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
         {std::pair(fromReads, to), std::pair(from, toReads), std::pair(fromReads, toReads)}) {
        EXPECT_EQ(count(fused(producing, {{consuming}}), "OpVariable %_ptr_PushConstant_"), 1u);
    }
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

namespace {

// {uint, then `type` at offset 8}, read and written whole.
NodeSource withMember(NodeSource source, const std::string& type, const std::string& more)
{
    source.item =
        more + "\n%Item = OpTypeStruct %uint " + type + "\n%np_member = OpTypePointer NodePayloadAMDX " + type;
    const size_t at = source.itemDecorations.find("OpMemberDecorate %Item 1 Offset 4");
    source.itemDecorations.replace(at, 33, "OpMemberDecorate %Item 1 Offset 8");
    return source;
}

// Those that the capability allows.
std::string smallTypes(const std::string& capability)
{
    if (capability.find("8") != std::string::npos)
        return "%byte = OpTypeInt 8 0";
    std::string out;
    if (capability.find("Float16") == std::string::npos)
        out += "%ushort = OpTypeInt 16 0\n%short = OpTypeInt 16 1\n%ushort2 = OpTypeVector %ushort 2\n";
    if (capability.find("Int16") == std::string::npos)
        out += "%half = OpTypeFloat 16";
    return out;
}

}  // namespace

TEST_F(Fuse, Members64)
{
    const std::string more = "%ulong = OpTypeInt 64 0\n%long_one = OpConstant %ulong 1";
    NodeSource from =
        withMember(producer(sends("%u1", "%u0", "%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %long_one")),
                   "%ulong", more);
    from.capabilities = "OpCapability Int64";
    NodeSource to = withMember(
        consumer(
            "%at = OpAccessChain %np_member %input %u0 %u1\n%long = OpLoad %ulong %at\n%key = OpUConvert %uint %long\n"
            "%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
        "%ulong", more);
    to.capabilities = "OpCapability Int64";
    fused(from, {{to}});
    // A double there is the same 64 bits.
    NodeSource real = withMember(
        consumer(
            "%at = OpAccessChain %np_member %input %u0 %u1\n%value = OpLoad %double %at\n"
            "%key = OpConvertFToU %uint %value\n%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
        "%double", "%double = OpTypeFloat 64");
    real.capabilities = "OpCapability Float64";
    fused(from, {{real}});
}

namespace {

// A producer and a consumer of a number of `bits` that the consumer writes out converted to 32 bits.
NodeSource smallProducer(const std::string& type, const std::string& capability)
{
    const std::string convert = type == "%half" ? "OpFConvert" : type == "%short" ? "OpSConvert" : "OpUConvert";
    const std::string from = type == "%half" ? "%real" : "%word";
    NodeSource out = withMember(
        producer(sends("%u3", "%u0",
                       "%word = OpIAdd %uint %lane %u3\n%real = OpConvertUToF %float %word\n%small = " + convert + " " +
                           type + " " + from + "\n%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %small\n")),
        type, smallTypes(capability));
    out.capabilities = capability;
    return out;
}

NodeSource smallConsumer(const std::string& type, const std::string& capability)
{
    const std::string convert = type == "%half"    ? "OpFConvert %float"
                                : type == "%short" ? "OpSConvert %int"
                                                   : "OpUConvert %uint";
    const std::string toKey = type == "%half" ? "OpConvertFToU" : type == "%short" ? "OpBitcast" : "OpCopyObject";
    NodeSource out = withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%small = OpLoad " + type +
                                         " %at\n%value = " + convert + " %small\n%key = " + toKey +
                                         " %uint %value\n%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word "
                                         "%u1\n"),
                                type, smallTypes(capability));
    out.capabilities = capability;
    return out;
}

}  // namespace

// Also where one of the modules may have them in buffers only, and holds them in 32 bits.
TEST_F(Fuse, SmallMembers)
{
    struct Case {
        std::string type, computes, stores;
    };
    for (const Case& c : {Case{"%ushort", "OpCapability Int16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%short", "OpCapability Int16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%half", "OpCapability Float16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%byte", "OpCapability Int8", "OpCapability StorageBuffer8BitAccess"}}) {
        for (const std::string& from : {c.computes, c.stores}) {
            for (const std::string& to : {c.computes, c.stores}) {
                SCOPED_TRACE(c.type + ": " + from + ", " + to);
                const std::string text = fused(smallProducer(c.type, from), {{smallConsumer(c.type, to)}});
                const bool computes = from == c.computes || to == c.computes;
                EXPECT_EQ(contains(text, c.computes + "\n"), computes);
            }
        }
    }
}

TEST_F(Fuse, SmallMembers_VectorsOfThem)
{
    for (const char* capability : {"OpCapability Int16", "OpCapability StorageBuffer16BitAccess"}) {
        const std::string types = smallTypes(capability);
        NodeSource from = withMember(producer(sends("%u1", "%u0",
                                                    "%pair = OpCompositeConstruct %uint2 %lane %u3\n"
                                                    "%small = OpUConvert %ushort2 %pair\n"
                                                    "%at = OpAccessChain %np_member %sent %u0 %u1\n"
                                                    "OpStore %at %small\n")),
                                     "%ushort2", types);
        NodeSource to =
            withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%small = OpLoad %ushort2 %at\n"
                                "%pair = OpUConvert %uint2 %small\n%key = OpCompositeExtract %uint %pair 1\n"
                                "%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
                       "%ushort2", types);
        from.capabilities = to.capabilities = capability;
        fused(from, {{to}});
    }
}

TEST_F(Fuse, SmallMembers_OfWorkgroups)
{
    byWorkgroup = true;
    const std::string computes = "OpCapability Int16", stores = "OpCapability StorageBuffer16BitAccess";
    const auto groups = [](NodeSource source) {
        source.modes =
            "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1";
        return source;
    };
    for (const std::string& capability : {computes, stores})
        fused(smallProducer("%ushort", capability), {{groups(smallConsumer("%ushort", capability))}});
    // One variable serves both.
    EXPECT_TRUE(contains(refused(smallProducer("%ushort", computes), {{groups(smallConsumer("%ushort", stores))}}),
                         "the producer has another structure"));
}

// A module that may have them in buffers only may not take structures apart.
TEST_F(Fuse, SmallMembers_CopiedAsAWhole_AreRefused)
{
    const std::string stores = "OpCapability StorageBuffer16BitAccess";
    NodeSource to = withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%all = OpLoad %Inner %at\n"
                                        "OpStore %at %all\n"),
                               "%Inner", smallTypes(stores) + "\n%Inner = OpTypeStruct %ushort");
    to.decorations = "OpMemberDecorate %Inner 0 Offset 0\n";
    to.capabilities = stores;
    NodeSource from = smallProducer("%ushort", stores);
    EXPECT_TRUE(contains(refused(from, {{to}}), "copies numbers as a whole"));
}

TEST_F(Fuse, Addresses)
{
    const std::string memoryModel = "OpMemoryModel PhysicalStorageBuffer64 GLSL450";
    const std::string capabilities = "OpCapability Int64\nOpCapability PhysicalStorageBufferAddresses";
    const std::string more =
        "%ulong = OpTypeInt 64 0\n%address = OpConstant %ulong 4096\n%Block = OpTypeStruct %uint\n"
        "%ps_Block = OpTypePointer PhysicalStorageBuffer %Block\n%ps_uint = OpTypePointer PhysicalStorageBuffer %uint";
    const std::string block = "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n";
    NodeSource from = withMember(producer(sends("%u1", "%u0", R"(
%at = OpAccessChain %np_member %sent %u0 %u1
%pointer = OpConvertUToPtr %ps_Block %address
OpStore %at %pointer
)")),
                                 "%ps_Block", more);
    from.memoryModel = memoryModel;
    from.capabilities = capabilities;
    from.decorations = block;
    NodeSource to = withMember(consumer(R"(
%at = OpAccessChain %np_member %input %u0 %u1
%pointer = OpLoad %ps_Block %at
%word = OpAccessChain %ps_uint %pointer %u0
OpStore %word %u1 Aligned 4
)"),
                               "%ps_Block", more);
    to.memoryModel = memoryModel;
    to.capabilities = capabilities;
    to.decorations = block;
    fused(from, {{to}});
    // The address as a number, in a module without pointers.
    NodeSource number =
        withMember(producer(sends("%u1", "%u0", "%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %long_one")),
                   "%ulong", "%ulong = OpTypeInt 64 0\n%long_one = OpConstant %ulong 4096");
    number.capabilities = "OpCapability Int64";
    fused(number, {{to}});
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
    ASSERT_EQ(node.outputs.size(), 1u);
    EXPECT_EQ(node.outputs[0].allocationSites, 0u);
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
    EXPECT_TRUE(prepared->node.outputs.empty());
    EXPECT_GT(prepared->node.packWidth, 0u);
    const auto all =
        fuse(assembled(producer(sends("%u2", "%u0", kFill)).text("")), options, {{{0, {{*both, options, {0}}}}}});
    ASSERT_TRUE(all) << all.error().text();
    Options checked = options;
    checked.validate = true;
    const auto compiled = compile(*all, checked);
    ASSERT_TRUE(compiled) << compiled.error().text();
    EXPECT_TRUE(compiled->node.outputs.empty());
}

TEST_F(Fuse, LargePayloads_AreRefused)
{
    NodeSource from = producer(sends("%u8", "%u0", kFill));
    from.itemDecorations =
        "OpMemberDecorate %Item 0 Offset 0\nOpMemberDecorate %Item 1 Offset 16\n"
        "OpDecorateId %Items NodeMaxPayloadsAMDX %u8\nOpDecorateId %Items PayloadNodeNameAMDX %name\n";
    EXPECT_TRUE(contains(refused(from, {{consumer(kWork)}}), "8 payloads of 20 bytes, more than 128 bytes"));
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
    for (int i = 0; i < 700; i++) {
        body += "%sum" + std::to_string(i) + " = OpIAdd %uint %key %u1\n";
    }
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
    EXPECT_EQ(node.mode, graph::LaunchMode::Dynamic);
    EXPECT_TRUE(node.declaresPayload);
    EXPECT_EQ(node.payloadBytes, 16u);
    EXPECT_EQ(node.grid.offsetBytes, 8u);
    EXPECT_EQ(node.grid.components, 2u);
    EXPECT_TRUE(node.declaresMaxGrid);
    EXPECT_EQ(node.maxGrid[2], 2u);
    EXPECT_EQ(node.localSize[0], 8u);
    EXPECT_EQ(node.maxRecursion, 5u);
    EXPECT_FALSE(node.apiEntry);
    EXPECT_TRUE(node.outputs.empty());
}

// A shader that asks for its workgroups' size by a constant, without a use of it.
TEST_F(Fuse, TheSizeOfTheProducersWorkgroups_IsKept)
{
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    from.decorations = "OpDecorate %size BuiltIn WorkgroupSize\n";
    from.globals = "%size = OpConstantComposite %uint3 %u4 %u2 %u1\n";
    fused(from, {{consumer(kWork)}});
    EXPECT_EQ(node.localSize[0], 4u);
    EXPECT_EQ(node.localSize[1], 2u);
}

TEST_F(Fuse, SpecializationConstants_AreApplied)
{
    options.specialization = {{7, {3, 0, 0, 0}}};
    NodeSource to = consumer(std::string(kWork) + "OpStore %word_at %special\n");
    to.decorations = "OpDecorate %special SpecId 7\n";
    to.globals = "%special = OpSpecConstant %uint 0\n";
    const std::string text = fused(producer(sends("%u1", "%u0", kFill)), {{to}});
    EXPECT_FALSE(contains(text, "OpSpecConstant"));
    EXPECT_FALSE(contains(text, "SpecId"));
}

namespace {

std::string leaves(const std::string& types, const std::string& decorations)
{
    const auto words = spirv::assemble(
        "OpCapability Shader\nOpCapability Int64\nOpCapability Int16\nOpCapability StorageBuffer16BitAccess\n"
        "OpMemoryModel Logical GLSL450\nOpName %Top \"Top\"\n" +
        decorations + "%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%float = OpTypeFloat 32\n" +
        "%u2 = OpConstant %uint 2\n%v2 = OpTypeVector %float 2\n%v3 = OpTypeVector %float 3\n" + types);
    EXPECT_TRUE(words) << words.error().text();
    const auto module = spirv::read(*words);
    EXPECT_TRUE(module);
    spirv::Id top;
    for (const spirv::Instruction& i : module->section(spirv::Section::DebugNames)) {
        top = i.id(0);
    }
    const auto found = leavesOf(*module, top, 20);
    if (!found) {
        return found.error().message;
    }
    std::string out;
    for (const Leaf& leaf : *found) {
        const char* kind = leaf.bits == 64 ? "l" : leaf.isWidened ? "w" : leaf.bits == 16 ? "s" : "";
        out += std::to_string(leaf.offsetBytes) + kind + " ";
    }
    return out;
}

}  // namespace

TEST(Leaves, Vectors_AndStructures)
{
    EXPECT_EQ(leaves("%Inner = OpTypeStruct %v3 %ulong\n%Top = OpTypeStruct %uint %Inner\n",
                     "OpMemberDecorate %Inner 0 Offset 0\nOpMemberDecorate %Inner 1 Offset 16\n"
                     "OpMemberDecorate %Top 0 Offset 4\nOpMemberDecorate %Top 1 Offset 16\n"),
              "4 16 20 24 32l ");
}

TEST(Leaves, Arrays)
{
    EXPECT_EQ(leaves("%A = OpTypeArray %v2 %u2\n%B = OpTypeArray %A %u2\n%Top = OpTypeStruct %B\n",
                     "OpDecorate %A ArrayStride 16\nOpDecorate %B ArrayStride 40\nOpMemberDecorate %Top 0 Offset 8\n"),
              "8 12 24 28 48 52 64 68 ");
}

TEST(Leaves, Matrices)
{
    const std::string types = "%M = OpTypeMatrix %v3 2\n%Top = OpTypeStruct %M\n";
    const std::string at = "OpMemberDecorate %Top 0 Offset 0\nOpMemberDecorate %Top 0 MatrixStride 16\n";
    EXPECT_EQ(leaves(types, at + "OpMemberDecorate %Top 0 ColMajor\n"), "0 4 8 16 20 24 ");
    EXPECT_EQ(leaves(types, at + "OpMemberDecorate %Top 0 RowMajor\n"), "0 16 32 4 20 36 ");
    EXPECT_EQ(leaves("%M = OpTypeMatrix %v2 2\n%A = OpTypeArray %M %u2\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 16\nOpMemberDecorate %Top 0 RowMajor\n"
                     "OpMemberDecorate %Top 0 Offset 0\nOpMemberDecorate %Top 0 MatrixStride 8\n"),
              "0 8 4 12 16 24 20 28 ");
}

TEST(Leaves, SmallNumbers)
{
    EXPECT_EQ(leaves("%short = OpTypeInt 16 0\n%half = OpTypeFloat 16\n%s3 = OpTypeVector %short 3\n"
                     "%Top = OpTypeStruct %s3 %half\n",
                     "OpMemberDecorate %Top 0 Offset 2\nOpMemberDecorate %Top 1 Offset 10\n"),
              "2s 4s 6s 10w ");  // half precision may be in buffers only there
}

TEST(Leaves, Refusals)
{
    EXPECT_EQ(leaves("%Top = OpTypeStruct %uint\n", ""), "a structure without offsets");
    EXPECT_EQ(leaves("%u20 = OpConstant %uint 21\n%A = OpTypeArray %uint %u20\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 4\nOpMemberDecorate %Top 0 Offset 0\n"),
              "too much to copy by its parts");
    EXPECT_EQ(leaves("%A = OpTypeRuntimeArray %uint\n%Top = OpTypeStruct %A\n",
                     "OpDecorate %A ArrayStride 4\nOpMemberDecorate %Top 0 Offset 0\n"),
              "a type that cannot be copied by its parts");
}

}  // namespace millrace::compiler
