// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "build_nodes.h"

namespace millrace::graph {
namespace {

using testing::HasSubstr;

std::vector<Node> chain(uint32_t length)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < length; ++i)
        nodes.push_back(makeNode(numbered("n", i), {outputTo(numbered("n", i + 1))}));
    nodes[0].declared.apiEntry = true;
    return nodes;
}

TEST(Levels, Diamond_JoinIsBelowBothBranches)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b"), outputTo("c")}), makeNode("b", {outputTo("d")}),
                                   makeNode("c", {outputTo("d")}), makeNode("d")});
    EXPECT_EQ(slotOf(graph, "b").level, 2u);
    EXPECT_EQ(slotOf(graph, "c").level, 2u);
    EXPECT_EQ(slotOf(graph, "d").level, 3u);
    ASSERT_EQ(graph.levels.size(), 4u);
    EXPECT_TRUE(graph.levels[0].slots.empty());
    EXPECT_EQ(graph.levels[2].slots.size(), 2u);
}

TEST(Levels, SkipEdge_LongestPathCounts)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b"), outputTo("d")}), makeNode("b", {outputTo("c")}),
                                   makeNode("c", {outputTo("d")}), makeNode("d")});
    EXPECT_EQ(slotOf(graph, "d").level, 4u);
}

TEST(Levels, EntryInTheMiddle_StaysBelowItsProducers)
{
    std::vector<Node> nodes = chain(3);
    nodes[1].declared.apiEntry = true;
    EXPECT_EQ(slotOf(linkValid(nodes), "n1").level, 2u);
}

TEST(Levels, Unreachable_HasNoLevel)
{
    std::vector<Node> nodes = chain(3);
    nodes.push_back(makeNode("x", {outputTo("n1")}));
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(slotOf(graph, "x").level, 0u);
    EXPECT_EQ(slotOf(graph, "n1").level, 2u);
    size_t listed = 0;
    for (const Level& level : graph.levels)
        listed += level.slots.size();
    EXPECT_EQ(listed, 3u);
}

TEST(Levels, NodeAfterRecursion_BelowTheLeaf)
{
    std::vector<Node> nodes = chain(3);
    nodes[1].declared.maxRecursion = 4;
    nodes[1].declared.outputs.push_back(outputTo("n1"));
    nodes[1].declared.outputs[1].budgetPool = 1;
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(slotOf(graph, "n1", 4).level, 2u);
    EXPECT_EQ(slotOf(graph, "n1", 0).level, 6u);
    EXPECT_EQ(slotOf(graph, "n2").level, 7u);
}

TEST(Levels, GroupsOfRecursion_TakeALevelEach)
{
    std::vector<Node> nodes = chain(3);
    nodes[1].declared.maxRecursion = 6;
    nodes[1].declared.outputs.push_back(outputTo("n1"));
    nodes[1].declared.outputs[1].budgetPool = 1;
    for (const bool isLast : {true, false}) {
        nodes.push_back(nodes[1]);
        nodes.back().decided.levelGroup = {1, 3, isLast};
    }
    nodes[3].declared.outputs.pop_back();  // the last levels send to others alone
    const Graph graph = linkValid(nodes);
    const auto levelAndNode = [&](uint32_t remaining) {
        const Slot& slot = graph.slots[graph.queues[graph.apiQueues[0]].baseSlot + 1 + 6 - remaining];
        EXPECT_EQ(slot.remaining, remaining);
        return std::pair(slot.level, slot.node);
    };
    EXPECT_EQ(levelAndNode(6), std::pair(2u, 1u));  // left over
    EXPECT_EQ(levelAndNode(5), std::pair(3u, 4u));
    EXPECT_EQ(levelAndNode(2), std::pair(4u, 3u));
    for (const uint32_t inside : {4u, 3u, 1u, 0u})
        EXPECT_EQ(levelAndNode(inside).first, 0u) << inside;
    EXPECT_EQ(slotOf(graph, "n2").level, 5u);
    EXPECT_EQ(mapOf(graph, graph.slots[graph.queues[graph.apiQueues[0]].baseSlot + 2], 1).front(),
              graph.slots[graph.queues[graph.apiQueues[0]].baseSlot + 1 + 4].queue);
}

TEST(Levels, GroupsOfRecursion_MayBeLongerThanTheLast)
{
    std::vector<Node> nodes = {makeEntry("n", {outputTo("n")})};
    nodes[0].declared.maxRecursion = 12;
    for (const bool isLast : {true, false}) {
        nodes.push_back(nodes[0]);
        nodes.back().decided.levelGroup = {0, isLast ? 2u : 5u, isLast};
    }
    nodes[1].declared.outputs.clear();
    const Graph graph = linkValid(nodes);
    const std::map<uint32_t, std::pair<uint32_t, uint32_t>> codes = {
        {12, {1, 0}}, {11, {2, 2}}, {6, {3, 2}}, {1, {4, 1}}};  // by what remains: level and code
    for (const Slot& slot : graph.slots) {
        const auto code = codes.find(slot.remaining);
        EXPECT_EQ(slot.level, code == codes.end() ? 0 : code->second.first) << slot.remaining;
        if (code != codes.end())
            EXPECT_EQ(slot.node, code->second.second) << slot.remaining;
    }
    EXPECT_EQ(mapOf(graph, graph.slots[1]).front(), graph.slots[6].queue);
    EXPECT_EQ(mapOf(graph, graph.slots[6]).front(), graph.slots[11].queue);
}

// Code for some levels of a recursion alone may have lost what only other levels send.
TEST(Levels, NodeThatTheLastLevelsAloneSendTo_IsBelowThem)
{
    Node first = makeEntry("n", {outputTo("n")});
    first.declared.maxRecursion = 3;
    std::vector<Node> nodes = {first, makeNode("x"), first, first};
    nodes[0].declared.outputs.push_back(outputTo("x"));
    nodes[0].declared.outputs[1].budgetPool = 1;
    nodes[2].declared.outputs = {outputTo("x")};
    nodes[2].decided.levelGroup = {0, 2, true};
    nodes[3].decided.levelGroup = {0, 1, false};
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(graph.slots[0].node, 3u);
    EXPECT_EQ(graph.slots[2].level, 3u);
    EXPECT_EQ(slotOf(graph, "x").level, 4u);
}

TEST(Levels, ConsumersOfAQueueShareItsLevel)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b")}), makeDynamic("b"),
                                   sharing(makeNode("s", {outputTo("c")}), {"b", 0}), makeNode("c")});
    EXPECT_EQ(slotOf(graph, "s").level, 2u);
    EXPECT_EQ(slotOf(graph, "c").level, 3u);
    for (uint32_t stream : queueOf(graph, "b").streams)
        EXPECT_EQ(graph.streams[stream].level, 2u);
}

TEST(Levels, DepthLimit)
{
    EXPECT_EQ(linkValid(chain(kMaxDepth)).levels.size(), kMaxDepth + 1);
    const std::string error = linkError(chain(kMaxDepth + 1));
    EXPECT_THAT(error, HasSubstr("257 nodes"));
    EXPECT_THAT(error, HasSubstr("'n256'[0]"));
}

TEST(Levels, DepthLimit_CountsRecursion)
{
    Node node = makeEntry("r", {outputTo("r"), outputTo("t")});
    node.declared.maxRecursion = kMaxDepth - 1;
    EXPECT_EQ(linkValid({node}).levels.size(), kMaxDepth + 1);
    EXPECT_THAT(linkError({node, makeNode("t")}), HasSubstr("maxExecutionGraphDepth"));
    node.declared.maxRecursion = UINT32_MAX;
    EXPECT_THAT(linkError({node}), HasSubstr("maxExecutionGraphDepth"));
}

TEST(Levels, LongUnreachableChain_IsNoError)
{
    std::vector<Node> nodes = chain(3000);
    nodes[0].declared.apiEntry = false;
    EXPECT_EQ(linkValid(nodes).levels.size(), 1u);
}

// A thousand nodes that all may reach a thousand others take no noticeable time.
TEST(Levels, ManyNodesAndLargeArrays)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < 1000; ++i) {
        nodes.push_back(makeNode("a", {arrayTo("b", 1000, 256)}, i));
        nodes.back().declared.apiEntry = true;
        nodes.push_back(makeNode("b", {}, i));
    }
    const Graph graph = linkValid(nodes);
    EXPECT_EQ(graph.levels.size(), 3u);
    EXPECT_EQ(graph.levels[2].slots.size(), 1000u);
    EXPECT_EQ(graph.nodeMap.size(), 1000u);
}

}  // namespace
}  // namespace millrace::graph
