// SPDX-License-Identifier: Apache-2.0
#include "runtime/fed_leaves.h"

#include <gtest/gtest.h>

#include "graph/build_nodes.h"
#include "graph/plan.h"
#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

using graph::Node;

class FedLeavesTest : public testing::Test {
protected:
    void link(std::vector<Node> nodes)
    {
        Result<graph::Graph> linked = graph::link(std::move(nodes));
        ASSERT_TRUE(linked) << linked.error().text();
        m_graph = std::move(*linked);
        m_tables = graph::roundUp(graph::fixedBytes(m_graph), abi::kGranuleBytes);
        m_scratchBytes = m_tables + (1u << 20);
    }

    std::optional<FedLeaves> prepare(const DeviceInfos& infos = {kInfos}) const
    {
        return prepareFedLeaves(m_graph, infos, kScratch, m_scratchBytes, [](uint32_t) { return kFull; });
    }

    static constexpr uint64_t kScratch = 1u << 20;
    static constexpr uint64_t kInfos = 0x1000;
    static constexpr uint32_t kFull = 100;
    graph::Graph m_graph;
    uint64_t m_tables = 0;
    uint64_t m_scratchBytes = 0;
};

}  // namespace

TEST_F(FedLeavesTest, EachNodeOfTheApi_FillsTheDevice)
{
    link({graph::makeEntry("a"), graph::makeEntry("b")});
    const std::optional<FedLeaves> leaves = prepare({kInfos, 3, 24});
    ASSERT_TRUE(leaves);
    ASSERT_EQ(leaves->launches.size(), 2u);
    EXPECT_EQ(leaves->apiNodes, (std::vector<uint32_t>{1, 1}));
    for (uint32_t i = 0; i < 2; ++i) {
        const FedLeaves::Launch& launch = leaves->launches[i];
        EXPECT_EQ(launch.groups[0], kFull);
        EXPECT_EQ(launch.arguments.infos, kInfos);
        EXPECT_EQ(launch.arguments.count, 3u);
        EXPECT_EQ(launch.arguments.stride, 24u);
        EXPECT_EQ(launch.arguments.nodeAndAlignment, i | 16u << 16);
    }
}

TEST_F(FedLeavesTest, CountOnTheDevice_IsLeftToIt)
{
    link({graph::makeEntry("a")});
    const std::optional<FedLeaves> leaves = prepare();
    ASSERT_TRUE(leaves && leaves->launches.size() == 1);
    EXPECT_EQ(leaves->launches[0].arguments.count, abi::kCountOnDevice);
}

TEST_F(FedLeavesTest, Copies_LieBehindTheTablesAndApart)
{
    link({graph::makeEntry("a"), graph::makeEntry("b")});
    m_scratchBytes = m_tables + 100;
    const std::optional<FedLeaves> leaves = prepare();
    ASSERT_TRUE(leaves);
    uint64_t end = kScratch + m_tables;
    for (const FedLeaves::Launch& launch : leaves->launches) {
        EXPECT_GE(launch.leaf.copies, end);
        EXPECT_GE(launch.leaf.copyCount, 1u);
        end = launch.leaf.copies + uint64_t{launch.leaf.copyCount} * launch.leaf.copyBytes;
    }
    EXPECT_LE(end, kScratch + m_scratchBytes);
    m_scratchBytes = m_tables + 16;
    EXPECT_FALSE(prepare()) << "no room for two copies";
}

TEST_F(FedLeavesTest, Copies_HoldWhatOneWorkgroupLooksAt)
{
    Node alone = graph::makeEntry("alone");
    alone.declared.staticGrid[0] = 100;
    link({alone});
    EXPECT_EQ(prepare()->launches[0].leaf.copyBytes, 2 * 16u) << "as if one workgroup of ours could span two payloads";
    Node beside = alone;
    beside.declared.localSize[0] = 8;
    beside.decided.packWidth = 8;
    beside.declared.staticGrid[0] = 3;
    link({beside});
    EXPECT_EQ(prepare()->launches[0].leaf.copyBytes, 4 * 16u) << "8 workgroups are of 4 payloads at most, 3 of each";
}

TEST_F(FedLeavesTest, OtherGraphs_AreForTheScheduler)
{
    Node dynamic = graph::makeDynamic("dynamic");
    dynamic.declared.apiEntry = true;
    Node other = graph::makeEntry("other");
    other.declared.vulkanMemoryModel = true;
    const Node sender = graph::makeEntry("sender", {graph::outputTo("leaf")});
    const Node leaf = graph::makeNode("leaf");
    link({leaf});
    EXPECT_FALSE(prepare()) << "nothing may be sent, which somebody has to tell";
    for (const std::vector<Node>& nodes : {std::vector<Node>{dynamic}, std::vector<Node>{graph::makeEntry("a"), other},
                                           std::vector<Node>{sender, leaf}}) {
        link(nodes);
        EXPECT_FALSE(prepare()) << nodes[0].declared.id.name;
        EXPECT_TRUE(fedNodes(m_graph).empty());
    }
}

TEST_F(FedLeavesTest, EmptyGrid_IsForTheScheduler)
{
    Node empty = graph::makeEntry("empty");
    empty.declared.staticGrid[1] = 0;
    link({empty});
    EXPECT_FALSE(prepare()) << "nobody can say which payload a workgroup has";
}

TEST_F(FedLeavesTest, ManyNodesOrInfos_AreForTheScheduler)
{
    std::vector<Node> nodes;
    for (size_t i = 0; i < kMostFedLaunches; ++i)
        nodes.push_back(graph::makeEntry(graph::numbered("n", static_cast<uint32_t>(i))));
    link(nodes);
    EXPECT_TRUE(prepare());
    EXPECT_TRUE(prepare({kInfos, kMostFedInfos, 24}));
    EXPECT_FALSE(prepare({kInfos, kMostFedInfos + 1, 24}));
    EXPECT_FALSE(prepare({kInfos, 1, uint64_t{1} << 32}));
    nodes.push_back(graph::makeEntry("last"));
    link(nodes);
    EXPECT_FALSE(prepare());
}

}  // namespace millrace::runtime
