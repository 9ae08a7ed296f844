// SPDX-License-Identifier: Apache-2.0
#include "runtime/prepared_feed.h"

#include <gtest/gtest.h>

#include <cstring>

#include "graph/build_nodes.h"
#include "graph/plan.h"
#include "runtime/make_inputs.h"

namespace millrace::runtime {

namespace {

// "a", whose payloads the API sends, sends up to 1,000 to "b" for each.
class PreparedFeeds : public testing::Test {
protected:
    void SetUp() override
    {
        graph::Node a = graph::makeEntry("a", {graph::outputTo("b")});
        a.declared.outputs[0].budget = 1000;
        Result<graph::Graph> linked = graph::link({a, graph::makeNode("b")});
        ASSERT_TRUE(linked) << linked.error().text();
        m_graph = std::move(*linked);
        m_payloadWords = m_graph.nodes[0].declared.payloadBytes / 4;
    }

    // In as little memory as can be.
    std::optional<PreparedFeed> prepare(const std::vector<Input>& inputs)
    {
        const HostInputs host = hostInputs(m_graph, inputs);
        m_plan = plan(host);
        std::optional<PreparedFeed> feed = prepareFeed(m_graph, host, m_plan);
        if (feed) {
            m_payloads.assign(feed->payloads.bytes(), std::byte{0xff});
            feed->payloads.write(host, m_payloads.data());
        }
        return feed;
    }

    graph::DispatchPlan plan(const HostInputs& host) const
    {
        return graph::plan(m_graph, graph::scratchSizes(m_graph, 1 << 20).minBytes, knownInputs(m_graph, host));
    }

    Input payloads(uint32_t count, uint32_t node = 0) const
    {
        return {node, std::vector<uint32_t>(size_t{count} * m_payloadWords, 7), count};
    }

    uint64_t counterOfInputs() const { return m_plan.streams[m_graph.queues[m_graph.apiQueues[0]].streams[0]].counter; }

    graph::Graph m_graph;
    graph::DispatchPlan m_plan;
    std::vector<std::byte> m_payloads;  // that were fed
    size_t m_payloadWords = 0;
};

TEST_F(PreparedFeeds, NotProvenToFit_FedWhereLevel0HasRoom)
{
    const std::optional<PreparedFeed> feed = prepare({payloads(20), payloads(3)});
    ASSERT_FALSE(m_plan.fits);
    ASSERT_TRUE(feed);
    EXPECT_EQ(counterOfInputs(), uint64_t{2} << abi::kUnitBits | 23);
    EXPECT_GT(m_plan.levels[0].used, 0u);
    EXPECT_LE(m_plan.levels[0].used, m_plan.levels[0].size);
    ASSERT_EQ(feed->parts.size(), 2u) << "payloads and entries";
    EXPECT_EQ(feed->parts[0].to, m_plan.levels[0].begin);
    uint32_t word = 0;
    std::memcpy(&word, m_payloads.data(), sizeof word);
    EXPECT_EQ(word, 7u);
}

TEST_F(PreparedFeeds, MorePayloadsThanLevel0HasRoomFor_None)
{
    EXPECT_FALSE(prepare({payloads(100000)}));
    EXPECT_FALSE(m_plan.fits);
}

TEST_F(PreparedFeeds, MoreEntriesThanItMayAppend_None)
{
    const std::vector<Input> inputs(9, payloads(5));
    const HostInputs host = hostInputs(m_graph, inputs);
    m_plan = plan(host);
    ASSERT_FALSE(m_plan.fits);
    m_plan.levels[0].entryQuota = 9;
    graph::DispatchPlan less = m_plan;
    less.levels[0].entryQuota = 8;
    EXPECT_FALSE(prepareFeed(m_graph, host, less));
    EXPECT_TRUE(prepareFeed(m_graph, host, m_plan));
}

TEST_F(PreparedFeeds, NoEntryOfTheGraph_None)
{
    EXPECT_FALSE(prepare({payloads(1, 9)}));
}

}  // namespace

}  // namespace millrace::runtime
