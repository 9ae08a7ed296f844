// SPDX-License-Identifier: Apache-2.0
// Areas against numbers worked out by hand.
#include "graph/areas.h"
#include "build_nodes.h"

namespace millrace::graph {
namespace {

std::vector<Node> arrayOf(const std::string& name, uint32_t count)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < count; ++i)
        nodes.push_back(makeNode(name, {}, i));
    return nodes;
}

Graph graphOf(const Node& producer, std::vector<Node> receivers)
{
    receivers.insert(receivers.begin(), producer);
    return linkValid(std::move(receivers));
}

TEST(Areas, OneForEachNodeIndex_OneBehindTheOther)
{
    std::vector<Node> receivers = arrayOf("c", 3);
    receivers.push_back(makeNode("d"));
    const Graph graph = graphOf(makeEntry("p", {arrayTo("c", 3, 5), outputTo("d", 2)}), receivers);
    const Slot& slot = slotOf(graph, "p");
    EXPECT_EQ(graph.code[slot.node].emits, abi::kEmitsToFew);
    ASSERT_EQ(slot.areas.size(), 4u);
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(slot.areas[i].offset, 5 * i) << i;  // payloads have one granule
        EXPECT_EQ(slot.areas[i].limit, i < 3 ? 5u : 2u) << i;
        EXPECT_EQ(slot.areas[i].stride, 16u) << i;
        EXPECT_NE(slot.areas[i].stream, abi::kNoStream) << i;
    }
    EXPECT_EQ(slot.granulesPerGroup, 7u);      // the array's limit counts once
    EXPECT_EQ(slot.fitGranulesPerGroup, 17u);  // and here for each of its nodes
}

TEST(Areas, NodesThatAreMissingTakeNoMemory)
{
    NodeOutput sparse = arrayTo("c", 4, 3);
    sparse.sparse = true;
    std::vector<Node> receivers = {makeNode("c", {}, 0), makeNode("c", {}, 3)};
    const Graph graph = graphOf(makeEntry("p", {sparse}), receivers);
    const Slot& slot = slotOf(graph, "p");
    ASSERT_EQ(slot.areas.size(), 4u);
    EXPECT_EQ(slot.areas[1].stream, abi::kNoStream);
    EXPECT_EQ(slot.areas[1].limit, 0u);
    EXPECT_EQ(slot.areas[3].offset, 3u);
    EXPECT_EQ(slot.fitGranulesPerGroup, 6u);
}

TEST(Areas, NoneWhereTheyTakeTooMuchMemory)
{
    // Each node may get all of what they share.
    EXPECT_FALSE(slotOf(graphOf(makeEntry("p", {arrayTo("c", 4, 8)}), arrayOf("c", 4)), "p").areas.empty());
    const Graph graph = graphOf(makeEntry("p", {arrayTo("c", 5, 8)}), arrayOf("c", 5));
    EXPECT_TRUE(slotOf(graph, "p").areas.empty());
    EXPECT_EQ(graph.code[slotOf(graph, "p").node].emits, abi::kEmitsToSeveral);
    EXPECT_EQ(slotOf(graph, "p").fitGranulesPerGroup, slotOf(graph, "p").granulesPerGroup);
}

TEST(Areas, NoneForLimitsBeyondCounting)
{
    const std::vector<NodeOutput> outputs = {outputTo("c", kMaxPayloadsInShare), outputTo("d")};
    const std::vector<Node> receivers = {makeNode("c"), makeNode("d")};
    EXPECT_EQ(slotOf(graphOf(makeEntry("p", outputs), receivers), "p").areas.size(), 2u);
    std::vector<NodeOutput> more = outputs;
    more[0].budget = kMaxPayloadsInShare + 1;
    EXPECT_TRUE(slotOf(graphOf(makeEntry("p", more), receivers), "p").areas.empty());
}

TEST(Areas, NoneForMoreThanFit)
{
    std::vector<NodeOutput> outputs;
    std::vector<Node> receivers;
    for (uint32_t i = 0; i <= abi::kMaxAreas; ++i) {
        outputs.push_back(outputTo(numbered("c", i)));
        receivers.push_back(makeNode(numbered("c", i)));
    }
    EXPECT_TRUE(slotOf(graphOf(makeEntry("p", outputs), receivers), "p").areas.empty());
    outputs.pop_back();
    receivers.pop_back();
    EXPECT_EQ(slotOf(graphOf(makeEntry("p", outputs), receivers), "p").areas.size(), abi::kMaxAreas);
}

}  // namespace
}  // namespace millrace::graph
