// SPDX-License-Identifier: Apache-2.0
// The rules that need all nodes, one by one.
#include <gmock/gmock.h>

#include "build_nodes.h"

namespace millrace::graph {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Link, NoNodes_EmptyGraph)
{
    const Graph graph = linkValid({});
    EXPECT_EQ(graph.levels.size(), 1u);
    EXPECT_TRUE(graph.slots.empty());
}

TEST(Link, FindNode_ByNameAndIndex)
{
    const Graph graph = linkValid({makeEntry("a"), makeNode("b"), makeNode("b", {}, 7)});
    EXPECT_EQ(graph.findNode({"b", 7}), 2u);
    EXPECT_EQ(graph.findNode({"b", 1}), std::nullopt);
    EXPECT_EQ(graph.findNode({"c", 0}), std::nullopt);
}

TEST(Link, SameNameAndIndex_Error)
{
    const std::string error = linkError({makeEntry("a"), makeNode("b", {}, 3), makeNode("b", {}, 3)});
    EXPECT_THAT(error, HasSubstr("09134"));
    EXPECT_THAT(error, HasSubstr("'b'[3]"));
}

TEST(Link, SameNameOtherPayloadSize_Error)
{
    Node other = makeNode("b", {}, 1);
    other.declared.payloadBytes = 20;
    EXPECT_THAT(linkError({makeNode("b"), other}), HasSubstr("09135"));
    other.declared.payloadBytes = 16;
    EXPECT_THAT(linkError({makeNode("b"), other}), IsEmpty());
}

TEST(Link, SameNameOtherLaunchMode_Error)
{
    Node other = makeCoalescing("b", 4);
    other.declared.id.index = 1;
    EXPECT_THAT(linkError({makeNode("b"), other}), HasSubstr("09137"));
    other = makeDynamic("b");
    other.declared.id.index = 1;
    EXPECT_THAT(linkError({makeNode("b"), other}), HasSubstr("09138"));
}

TEST(Link, ReceiverNeedsMoreThanTheOutputHas_Error)
{
    const std::string error = linkError({makeEntry("a", {outputTo("b", 1, 12)}), makeNode("b")});
    EXPECT_THAT(error, HasSubstr("09139"));
    EXPECT_THAT(error, HasSubstr("'a'[0], output 0 to 'b'"));
}

// The proposal says "less than or equal" in one place.
TEST(Link, ReceiverNeedsLess_StrideHoldsWhatTheProducerWrites)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b", 1, 24)}), makeNode("b")});
    // The receiver's 16 bytes are read at multiples of 16.
    EXPECT_EQ(queueOf(graph, "b").stride, 32u);
    EXPECT_EQ(queueOf(graph, "a").stride, 16u);
}

TEST(Link, StrideKeepsWhatPayloadsAreAlignedTo)
{
    const auto strideOf = [](uint32_t bytes, bool tracks) {
        Node receiver = makeNode("b");
        receiver.declared.payloadBytes = bytes;
        receiver.declared.usesFinishWriting = tracks;
        return queueOf(linkValid({makeEntry("a", {outputTo("b", 1, bytes)}), receiver}), "b").stride;
    };
    EXPECT_EQ(strideOf(20, false), 20u);
    EXPECT_EQ(strideOf(24, false), 24u);
    EXPECT_EQ(strideOf(32, false), 32u);
    EXPECT_EQ(strideOf(20, true), 24u);
    EXPECT_EQ(strideOf(24, true), 32u);
    EXPECT_EQ(strideOf(32, true), 48u);
}

TEST(Link, ImplicitPayload_IsOneUvec3)
{
    Node node = makeDynamic("b");
    node.declared.declaresPayload = false;
    node.declared.payloadBytes = 0;
    node.declared.grid.components = 1;
    const Graph graph = linkValid({makeEntry("a", {outputTo("b", 1, 12)}), node});
    EXPECT_EQ(graph.nodes[1].declared.payloadBytes, 12u);
    EXPECT_EQ(graph.nodes[1].declared.grid.components, 3u);
    EXPECT_EQ(queueOf(graph, "b").stride, 12u);
    EXPECT_THAT(linkError({makeEntry("a", {outputTo("b", 1, 8)}), node}), HasSubstr("09139"));
}

TEST(Link, EmptyPayload_NeedsNoMemory)
{
    Node node = makeNode("b");
    node.declared.declaresPayload = false;
    node.declared.payloadBytes = 0;
    const Graph graph = linkValid({makeEntry("a", {outputTo("b", 100, 0)}), node});
    EXPECT_EQ(queueOf(graph, "b").stride, 0u);
    EXPECT_EQ(slotOf(graph, "a").granulesPerGroup, 0u);
    EXPECT_EQ(slotOf(graph, "a").entriesPerGroup, 1u);
}

TEST(Link, ArrayWithHole_Error)
{
    const std::vector<Node> nodes = {makeEntry("a", {arrayTo("b", 3)}), makeNode("b"), makeNode("b", {}, 2)};
    const std::string error = linkError(nodes);
    EXPECT_THAT(error, HasSubstr("10184"));
    EXPECT_THAT(error, HasSubstr("'b'[1]"));
}

TEST(Link, ArrayOfMissingNodes_Error)
{
    EXPECT_THAT(linkError({makeEntry("a", {arrayTo("b", 1)})}), HasSubstr("10184"));
}

TEST(Link, ArrayWithHoleBelowTheBase_NobodyMissesIt)
{
    Node entry = makeEntry("a", {arrayTo("b", 3)});
    entry.declared.outputs[0].baseIndex = 2;
    const Graph graph = linkValid({entry, makeNode("b", {}, 2)});
    const std::vector<uint32_t> map = mapOf(graph, slotOf(graph, "a"));
    EXPECT_EQ(map, (std::vector{abi::kNoQueue, abi::kNoQueue, slotOf(graph, "b", 0, 2).queue}));
}

TEST(Link, ArraySmallerThanTheGraphHas_LeadsToAllNodes)
{
    std::vector<Node> nodes = {makeEntry("a", {arrayTo("b", 2)}), makeEntry("other", {arrayTo("b", 4)})};
    for (uint32_t i = 0; i < 4; ++i)
        nodes.push_back(makeNode("b", {}, i));
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")), mapOf(graph, slotOf(graph, "other")));
    ASSERT_EQ(graph.beyondDeclared.size(), 1u);
    EXPECT_EQ(graph.beyondDeclared[0].node, 0u);
    EXPECT_EQ(graph.beyondDeclared[0].lastIndex, 3u);
    // A workgroup may allocate two payloads of each of four nodes, and memory is there for that.
    Node more = makeEntry("a", {arrayTo("b", 4, 8)});
    nodes[0] = makeEntry("a", {arrayTo("b", 1, 8)});
    const uint32_t declaredLess = slotOf(linkValid(nodes), "a").granulesPerGroup;
    nodes[0] = more;
    EXPECT_EQ(declaredLess, slotOf(linkValid(nodes), "a").granulesPerGroup);
    // An index that is known needs no more.
    nodes[0] = makeEntry("a", {arrayTo("b", 2)});
    nodes[0].declared.outputs[0].constantIndex = 1;
    EXPECT_TRUE(linkValid(nodes).beyondDeclared.empty());
}

TEST(Link, ArraySmallerThanTheGraphHas_NothingIsReachedThatMakesACircle)
{
    const auto nodes = [](uint32_t declared) {
        return std::vector<Node>{makeEntry("a", {arrayTo("b", declared)}), makeNode("b"),
                                 makeNode("b", {outputTo("a")}, 1)};
    };
    const Graph graph = linkValid(nodes(1));
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")).size(), 1u);
    EXPECT_TRUE(graph.beyondDeclared.empty());
    EXPECT_THAT(linkError(nodes(2)), HasSubstr("cycle"));
}

TEST(Link, SparseArray_LinksWhatExists)
{
    Node entry = makeEntry("a", {arrayTo("b", 100)});
    entry.declared.outputs[0].sparse = true;
    const Graph graph = linkValid({entry, makeNode("b", {}, 1), makeNode("b", {}, 3)});
    const std::vector<uint32_t> map = mapOf(graph, slotOf(graph, "a"));
    ASSERT_EQ(map.size(), 4u);
    EXPECT_EQ(map[0], abi::kNoQueue);
    EXPECT_EQ(map[1], slotOf(graph, "b", 0, 1).queue);
    EXPECT_EQ(map[2], abi::kNoQueue);
    EXPECT_EQ(map[3], slotOf(graph, "b", 0, 3).queue);
}

TEST(Link, UnsizedOutput_LinksWhatExists)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b"), outputTo("nobody")}), makeNode("b", {}, 1)});
    const Slot& slot = slotOf(graph, "a");
    EXPECT_EQ(mapOf(graph, slot, 0), (std::vector{abi::kNoQueue, slotOf(graph, "b", 0, 1).queue}));
    EXPECT_THAT(mapOf(graph, slot, 1), IsEmpty());
}

TEST(Link, ConstantIndex_LinksThatNodeAlone)
{
    Node entry = makeEntry("a", {outputTo("b")});
    entry.declared.outputs[0].constantIndex = 1;
    const Graph graph = linkValid({entry, makeNode("b"), makeNode("b", {}, 1), makeNode("b", {}, 2)});
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")), (std::vector{abi::kNoQueue, slotOf(graph, "b", 0, 1).queue}));
    entry.declared.outputs[0].constantIndex = 9;
    const Graph none = linkValid({entry, makeNode("b")});
    EXPECT_EQ(mapOf(none, slotOf(none, "a")), (std::vector{abi::kNoQueue}));
}

TEST(Link, IndexAboveTheLimit_Error)
{
    EXPECT_THAT(linkError({makeNode("a", {}, kMaxNodeIndex + 1)}), HasSubstr("node index"));
    EXPECT_THAT(linkError({makeNode("a", {}, kMaxNodeIndex)}), IsEmpty());
}

TEST(Link, EqualMaps_AreStoredOnce)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < 10; ++i) {
        nodes.push_back(makeNode("a", {arrayTo("b", 20)}, i));
        nodes.push_back(makeNode("b", {}, 2 * i));
        nodes.push_back(makeNode("b", {}, 2 * i + 1));
    }
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(graph.maps.size(), 1u);
    EXPECT_EQ(graph.nodeMap.size(), 20u);
}

TEST(Link, Limits_Error)
{
    Node node = makeNode("a");
    node.declared.staticGrid[1] = kMaxGroupsPerDimension + 1;
    EXPECT_THAT(linkError({node}), HasSubstr("09186"));
    node.declared.staticGrid[1] = kMaxGroupsPerDimension;
    EXPECT_THAT(linkError({node}), IsEmpty());
    node.declared.staticGrid[0] = 257;
    EXPECT_THAT(linkError({node}), HasSubstr("more workgroups"));

    node = makeNode("a", {outputTo("b", 1, 40000), outputTo("c", 1, 30000)});
    EXPECT_THAT(linkError({node}), HasSubstr("09195"));
    node.declared.outputs[1].budgetPool = 0;  // shared limits count once
    EXPECT_THAT(linkError({node}), IsEmpty());

    std::vector<Node> nodes = {makeEntry("a", {arrayTo("b", 1025)})};
    for (uint32_t i = 0; i < 1025; ++i)
        nodes.push_back(makeNode("b", {}, i));
    EXPECT_THAT(linkError(nodes), HasSubstr("09197"));
    nodes[0].declared.outputs[0].arraySize = 1024;
    EXPECT_THAT(linkError(nodes), IsEmpty());
}

TEST(Link, TooMuchForOneWorkgroup_Error)
{
    EXPECT_THAT(linkError({makeEntry("a", {outputTo("b", UINT32_MAX, 65000)}), makeNode("b")}),
                HasSubstr("node 'a'[0]"));
    // Below the limit of one workgroup, but not with all of a chain together.
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < 8; ++i)
        nodes.push_back(makeNode(numbered("n", i), {outputTo(numbered("n", i + 1), 1u << 30)}));
    nodes[0].declared.apiEntry = true;
    EXPECT_THAT(linkError(nodes), HasSubstr("scratch memory"));
}

TEST(Link, TooManyQueues_Error)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < 600; ++i) {
        nodes.push_back(makeNode("a", {}, i));
        nodes.back().declared.maxRecursion = 255;
    }
    EXPECT_THAT(linkError(nodes), HasSubstr("recursion levels counted"));
}

// --- Sharing -----------------------------------------------------------------------------------------------------

TEST(Sharing, ConsumesTheQueueOfTheBase)
{
    const Graph graph = linkValid({makeEntry("a"), sharing(makeNode("s"), {"a", 0})});
    ASSERT_EQ(graph.queues.size(), 1u);
    EXPECT_EQ(graph.queues[0].slots, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(graph.streams.size(), 1u);
    EXPECT_EQ(slotOf(graph, "s").level, 1u);
    EXPECT_EQ(graph.apiQueues, (std::vector<uint32_t>{0, abi::kNoQueue}));
}

TEST(Sharing, BeforeTheBase_Works)
{
    const Graph graph = linkValid({sharing(makeNode("s"), {"a", 0}), makeEntry("a")});
    EXPECT_EQ(queueOf(graph, "a").slots.size(), 2u);
    EXPECT_EQ(graph.slots[queueOf(graph, "a").slots[0]].node, 1u);
}

TEST(Sharing, StreamsByLaunchMode)
{
    const Graph graph =
        linkValid({makeDynamic("a"), sharing(makeDynamic("d"), {"a", 0}), sharing(makeNode("s"), {"a", 0}),
                   sharing(makeCoalescing("c", 4), {"a", 0}), sharing(makePacked("p"), {"a", 0})});
    const Queue& queue = queueOf(graph, "a");
    ASSERT_EQ(queue.streams.size(), 3u);
    const Stream& indexed = graph.streams[queue.streams[0]];
    EXPECT_EQ(indexed.kind, abi::kStreamIndexed);
    EXPECT_EQ(indexed.slots.size(), 3u);
    for (size_t i : {1u, 2u}) {
        EXPECT_EQ(graph.streams[queue.streams[i]].kind, abi::kStreamDynamic);
        EXPECT_EQ(graph.streams[queue.streams[i]].slots.size(), 1u);
    }
}

TEST(Sharing, Chained_Error)
{
    const std::string error =
        linkError({makeEntry("a"), sharing(makeNode("b"), {"a", 0}), sharing(makeNode("c"), {"b", 0})});
    EXPECT_THAT(error, HasSubstr("'c'[0]"));
    EXPECT_THAT(error, HasSubstr("itself shares"));
    EXPECT_THAT(linkError({sharing(makeNode("a"), {"a", 0})}), HasSubstr("itself shares"));
}

TEST(Sharing, BaseMissing_NeverRuns)
{
    const Graph graph = linkValid({makeEntry("a"), sharing(makeNode("s"), {"gone", 0})});
    EXPECT_EQ(graph.slots.size(), 1u);
    EXPECT_EQ(graph.apiQueues[1], abi::kNoQueue);
}

TEST(Sharing, LargerPayloadThanTheBase_Error)
{
    Node sharer = sharing(makeNode("s"), {"a", 0});
    sharer.declared.payloadBytes = 20;
    EXPECT_THAT(linkError({makeEntry("a"), sharer}), HasSubstr("larger payload"));
    sharer.declared.payloadBytes = 8;
    EXPECT_THAT(linkError({makeEntry("a"), sharer}), IsEmpty());
}

TEST(Sharing, TooMany_Error)
{
    std::vector<Node> nodes = {makeEntry("a")};
    for (uint32_t i = 1; i < kMaxSharingNodes; ++i)
        nodes.push_back(sharing(makeNode("s", {}, i), {"a", 0}));
    EXPECT_THAT(linkError(nodes), IsEmpty());
    nodes.push_back(sharing(makeNode("s", {}, 0), {"a", 0}));
    EXPECT_THAT(linkError(nodes), HasSubstr("share its input"));
}

TEST(Sharing, NotATarget)
{
    const Node sharer = sharing(makeNode("s"), {"b", 0});
    const Graph graph = linkValid({makeEntry("a", {outputTo("s"), outputTo("b")}), makeNode("b"), sharer});
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")), (std::vector{abi::kNoQueue}));
    EXPECT_EQ(slotOf(graph, "s").level, 2u);
    EXPECT_THAT(linkError({makeEntry("a", {arrayTo("s", 1)}), makeNode("b"), sharer}), HasSubstr("shares the input"));
}

TEST(Sharing, NotAnEntryEvenIfItSaysSo)
{
    Node sharer = sharing(makeNode("s"), {"a", 0});
    sharer.declared.apiEntry = true;  // compilers never emit IsApiEntryAMDX
    EXPECT_EQ(linkValid({makeEntry("a"), sharer}).apiQueues[1], abi::kNoQueue);
}

// --- Recursion ---------------------------------------------------------------------------------------------------

TEST(Recursion, Unrolled)
{
    Node node = makeNode("r", {outputTo("r")});
    node.declared.maxRecursion = 2;
    const Graph graph = linkValid({makeEntry("a", {outputTo("r")}), node});
    EXPECT_EQ(graph.slots.size(), 4u);
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")), (std::vector{slotOf(graph, "r", 2).queue}));
    EXPECT_EQ(mapOf(graph, slotOf(graph, "r", 2)), (std::vector{slotOf(graph, "r", 1).queue}));
    EXPECT_EQ(mapOf(graph, slotOf(graph, "r", 1)), (std::vector{slotOf(graph, "r", 0).queue}));
    EXPECT_EQ(mapOf(graph, slotOf(graph, "r", 0)), (std::vector{abi::kNoQueue}));
    EXPECT_EQ(slotOf(graph, "r", 2).level, 2u);
    EXPECT_EQ(slotOf(graph, "r", 0).level, 4u);
}

TEST(Recursion, NotDeclared_SelfOutputIsInvalid)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("a")})});
    EXPECT_EQ(mapOf(graph, slotOf(graph, "a")), (std::vector{abi::kNoQueue}));
    EXPECT_EQ(slotOf(graph, "a").granulesPerGroup, 0u);
}

TEST(Recursion, OtherIndexOfTheSameName_IsNoRecursion)
{
    Node first = makeEntry("a", {outputTo("a")});
    first.declared.outputs[0].constantIndex = 1;
    first.declared.maxRecursion = 1;
    const Graph graph = linkValid({first, makeNode("a", {}, 1)});
    EXPECT_EQ(slotOf(graph, "a", 0, 1).level, 2u);
    EXPECT_EQ(slotOf(graph, "a", 0, 0).level, 0u);  // nobody enqueues to the lower levels
}

TEST(Recursion, WithSharer_OneSlotPerLevel)
{
    Node node = makeEntry("r", {outputTo("r"), outputTo("t")});
    node.declared.maxRecursion = 2;
    Node sharer = sharing(makeNode("s", {outputTo("t")}), {"r", 0});
    sharer.declared.maxRecursion = 5;
    const Graph graph = linkValid({node, sharer, makeNode("t")});
    EXPECT_EQ(graph.slots.size(), 3u + 3u + 1u);
    uint32_t level = 0;
    for (uint32_t remaining : {2u, 1u, 0u}) {
        const Queue& queue = queueOf(graph, "r", remaining);
        ASSERT_EQ(queue.slots.size(), 2u);
        const Slot& slot = graph.slots[queue.slots[1]];
        EXPECT_EQ(graph.nodes[slot.node].declared.id.name, "s");
        EXPECT_EQ(slot.remaining, 0u);
        EXPECT_EQ(slot.level, ++level);
    }
    EXPECT_EQ(slotOf(graph, "t").level, 4u);
}

TEST(Recursion, ThroughAnotherNode_ErrorNamesTheCycle)
{
    const std::string error =
        linkError({makeEntry("a", {outputTo("b")}), makeNode("b", {outputTo("c")}), makeNode("c", {outputTo("b")})});
    EXPECT_THAT(error, HasSubstr("'b'[0] -> 'c'[0] -> 'b'[0]"));
    EXPECT_THAT(error, testing::Not(HasSubstr("'a'[0] ->")));
}

TEST(Recursion, ThroughASharer_ErrorNamesIt)
{
    const std::string error = linkError({makeEntry("a"), sharing(makeNode("s", {outputTo("a")}), {"a", 0})});
    EXPECT_THAT(error, HasSubstr("'a'[0] (shared by 's'[0]) -> 'a'[0]"));
}

TEST(Recursion, CycleThatNothingReaches_IsStillAnError)
{
    EXPECT_THAT(linkError({makeEntry("a"), makeNode("b", {outputTo("c")}), makeNode("c", {outputTo("b")})}),
                HasSubstr("cycle"));
}

TEST(Recursion, TypesThatAreOnlyQueried_MakeNoCycle)
{
    Node back = makeNode("b", {outputTo("a")});
    back.declared.outputs[0].allocationSites = 0;
    const Graph graph = linkValid({makeEntry("a", {outputTo("b")}), back});
    EXPECT_EQ(mapOf(graph, slotOf(graph, "b")), (std::vector{slotOf(graph, "a").queue}));
    EXPECT_EQ(slotOf(graph, "b").granulesPerGroup, 0u);
}

}  // namespace
}  // namespace millrace::graph
