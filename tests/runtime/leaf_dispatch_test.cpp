// SPDX-License-Identifier: Apache-2.0
#include "runtime/leaf_dispatch.h"

#include <gtest/gtest.h>

#include <array>

#include "graph/build_nodes.h"
#include "runtime/make_inputs.h"

namespace millrace::runtime {

namespace {

using graph::LaunchMode;
using graph::Node;

class Leaves : public testing::Test {
protected:
    void link(std::vector<Node> nodes)
    {
        Result<graph::Graph> linked = graph::link(std::move(nodes));
        ASSERT_TRUE(linked) << linked.error().text();
        m_graph = std::move(*linked);
    }

    std::optional<LeafDispatch> prepare(const std::vector<Input>& inputs) const
    {
        return prepareLeaves(m_graph, hostInputs(m_graph, inputs), m_scratchBytes, [this](uint32_t) { return m_full; });
    }

    // Of the only launch.
    LeafDispatch::Launch launch(const std::vector<Input>& inputs) const
    {
        const std::optional<LeafDispatch> leaves = prepare(inputs);
        EXPECT_TRUE(leaves && leaves->launches.size() == 1);
        return leaves && !leaves->launches.empty() ? leaves->launches[0] : LeafDispatch::Launch{};
    }

    static std::array<uint32_t, 3> groups(const LeafDispatch::Launch& launch)
    {
        return {launch.groups[0], launch.groups[1], launch.groups[2]};
    }

    static Input payloads(uint32_t count, uint32_t node = 0) { return {node, std::vector<uint32_t>(4 * count), count}; }

    // With a grid of workgroups of 8, `beside` of them in one of ours.
    static Node gridNode(std::array<uint32_t, 3> grid, uint32_t beside)
    {
        Node node = graph::makeEntry("grid");
        std::ranges::copy(grid, node.declared.staticGrid);
        node.declared.localSize[0] = 8;
        node.decided.packWidth = beside;
        return node;
    }

    graph::Graph m_graph;
    uint32_t m_full = 4;
    uint64_t m_scratchBytes = 0;
};

using Groups = std::array<uint32_t, 3>;

}  // namespace

TEST_F(Leaves, StaticGrid_IsTheDispatch)
{
    link({gridNode({5, 6, 7}, 0)});
    const LeafDispatch::Launch one = launch({payloads(1)});
    EXPECT_EQ(groups(one), (Groups{5, 6, 7}));
    EXPECT_EQ(one.arguments.units, 0u);
    EXPECT_EQ(one.arguments.stride, 16u);
    EXPECT_EQ(groups(launch({payloads(3)})), (Groups{5, 6, 21})) << "payloads are behind each other in z";
}

TEST_F(Leaves, SideBySide_TakePartsOfRows)
{
    link({gridNode({33, 6, 1}, 4)});
    EXPECT_EQ(groups(launch({payloads(1)})), (Groups{9, 6, 1})) << "33 of 36 places of a row are used";
    link({gridNode({5, 6, 1}, 4)});
    const LeafDispatch::Launch numbered = launch({payloads(2)});
    EXPECT_EQ(groups(numbered), (Groups{15, 1, 1})) << "60 workgroups, of which 5 would leave 3 places of 8";
    EXPECT_EQ(numbered.arguments.units, 60u);
}

TEST_F(Leaves, ShortCode_StridesOverRowsOnceTheDeviceIsFull)
{
    Node node = gridNode({10, 100, 1}, 1);
    node.decided.leafRows = 16;
    link({node});
    EXPECT_EQ(groups(launch({payloads(1)})), (Groups{10, 7, 1})) << "16 rows each at most";
    m_full = 40;
    EXPECT_EQ(groups(launch({payloads(1)})), (Groups{10, 34, 1})) << "three rows each: eight times 40 workgroups";
    m_full = 1000;
    EXPECT_EQ(groups(launch({payloads(1)})), (Groups{10, 100, 1}));
}

TEST_F(Leaves, ManyPayloads_AreNumbered)
{
    link({gridNode({1, 1, 1}, 0)});
    const LeafDispatch::Launch many = launch({payloads(200000)});
    EXPECT_EQ(groups(many), (Groups{50000, 4, 1}));
    EXPECT_EQ(many.arguments.units, 200000u);
}

TEST_F(Leaves, Coalescing_CountsPayloads)
{
    Node node = graph::makeEntry("coalescing");
    node.declared.mode = LaunchMode::Coalescing;
    node.declared.maxInputPayloads = 8;
    link({node});
    const LeafDispatch::Launch coalescing = launch({payloads(17)});
    EXPECT_EQ(groups(coalescing), (Groups{3, 1, 1}));
    EXPECT_EQ(coalescing.arguments.units, 17u);
}

TEST_F(Leaves, DynamicGrids_AreADispatchEach)
{
    Node node = graph::makeEntry("dynamic");
    node.declared.mode = LaunchMode::Dynamic;
    link({node});
    const std::optional<LeafDispatch> leaves = prepare({{0, {2, 3, 4, 0, 5, 0, 1, 0, 7, 1, 1, 0}, 3}});
    ASSERT_TRUE(leaves);
    ASSERT_EQ(leaves->launches.size(), 2u) << "the second is empty";
    EXPECT_EQ(groups(leaves->launches[0]), (Groups{2, 3, 4}));
    EXPECT_EQ(leaves->launches[0].arguments.grid, 2u | 3u << 16);
    EXPECT_EQ(groups(leaves->launches[1]), (Groups{7, 1, 1}));
    EXPECT_EQ(leaves->launches[1].arguments.payloads, 32u);
    EXPECT_FALSE(prepare({{0, {70000, 1, 1, 0}, 1}})) << "the scheduler reports it";
}

TEST_F(Leaves, LaunchesAreFew)
{
    std::vector<Node> nodes;
    std::vector<Input> inputs;
    for (uint32_t i = 0; i < kMostLeafLaunches; ++i) {
        nodes.push_back(graph::makeEntry("node" + std::to_string(i)));
        inputs.push_back(payloads(1, i));
    }
    nodes.push_back(graph::makeEntry("more"));
    link(nodes);
    EXPECT_TRUE(prepare(inputs));
    inputs.push_back(payloads(1, kMostLeafLaunches));
    EXPECT_FALSE(prepare(inputs));
    const std::optional<LeafDispatch> nothing = prepare({payloads(0)});
    EXPECT_TRUE(nothing && nothing->launches.empty());
}

// However many there are, in any order.
TEST_F(Leaves, InfosOfOneNode_AreOneLaunch)
{
    Node coalescing = graph::makeEntry("coalescing");
    coalescing.declared.mode = LaunchMode::Coalescing;
    coalescing.declared.payloadBytes = 4;
    coalescing.declared.maxInputPayloads = 8;
    Node dynamic = graph::makeEntry("dynamic");
    dynamic.declared.mode = LaunchMode::Dynamic;
    link({coalescing, dynamic});
    std::vector<Input> inputs;
    for (uint32_t i = 0; i < 5000; ++i)
        inputs.push_back({0, {i}, 1});
    inputs.insert(inputs.begin() + 1, {1, {2, 1, 1, 0}, 1});
    inputs.push_back({1, {3, 1, 1, 0}, 1});
    const std::vector<Input>& given = inputs;
    const HostInputs host = hostInputs(m_graph, given);
    const std::optional<LeafDispatch> leaves = prepareLeaves(m_graph, host, 0, [](uint32_t) { return 4u; });
    ASSERT_TRUE(leaves);
    ASSERT_EQ(leaves->launches.size(), 3u);
    EXPECT_EQ(leaves->launches[0].arguments.units, 5000u);
    EXPECT_EQ(leaves->launches[0].arguments.stride, 4u);
    EXPECT_EQ(leaves->launches[1].arguments.payloads, 20000u);
    EXPECT_EQ(leaves->launches[2].arguments.payloads, 20016u);
    std::vector<uint32_t> words(leaves->payloads.bytes() / 4, ~0u);
    leaves->payloads.write(host, reinterpret_cast<std::byte*>(words.data()));
    ASSERT_EQ(words.size(), 5008u);
    EXPECT_EQ(words[4999], 4999u);
    EXPECT_EQ(words[5000], 2u);
    EXPECT_EQ(words[5004], 3u);
}

TEST_F(Leaves, OthersNeedTheScheduler)
{
    Node sends = graph::makeEntry("sends", {graph::outputTo("to")});
    link({sends, graph::makeNode("to")});
    EXPECT_FALSE(prepare({payloads(1)}));
    Node writes = graph::makeEntry("writes");
    writes.declared.writesInput = true;
    link({writes});
    EXPECT_FALSE(prepare({payloads(1)})) << "the next submission would see it";
    Node tracks = graph::makeEntry("tracks");
    tracks.declared.usesFinishWriting = true;
    link({tracks});
    EXPECT_FALSE(prepare({payloads(1)}));
    EXPECT_FALSE(prepare({payloads(1, 7)})) << "there is no such node";
}

TEST_F(Leaves, SharedInput_AllThatShareItAreLaunched)
{
    Node base = graph::makeEntry("base");
    Node twin = graph::makeNode("twin");
    twin.declared.sharesInputWith = base.declared.id;
    twin.declared.staticGrid[0] = 3;
    link({base, twin});
    const std::optional<LeafDispatch> leaves = prepare({payloads(2)});
    ASSERT_TRUE(leaves);
    ASSERT_EQ(leaves->launches.size(), 2u);
    EXPECT_EQ(groups(leaves->launches[0]), (Groups{1, 1, 2}));
    EXPECT_EQ(groups(leaves->launches[1]), (Groups{3, 1, 2}));
    EXPECT_EQ(leaves->launches[0].arguments.payloads, leaves->launches[1].arguments.payloads);
}

// As many workgroups as run at once, each with its memory behind the tables; the rest is theirs, one after the other.
TEST_F(Leaves, KeptPayloads_TakeScratchMemory)
{
    Node node = gridNode({100, 3, 1}, 0);
    node.decided.groupMemoryBytes = 256;
    Node other = node;
    other.declared.id.index = 1;
    link({node, other});
    const uint64_t tables = graph::fixedBytes(m_graph);
    m_scratchBytes = tables + 8 * 256;
    const std::optional<LeafDispatch> leaves = prepare({payloads(2), payloads(1, 1)});
    ASSERT_TRUE(leaves);
    EXPECT_TRUE(leaves->usesScratch);
    ASSERT_EQ(leaves->launches.size(), 2u);
    EXPECT_EQ(groups(leaves->launches[0]), (Groups{4, 1, 1}));
    EXPECT_EQ(leaves->launches[0].arguments.units, 600u);
    EXPECT_EQ(leaves->launches[0].arguments.memory, tables);
    EXPECT_EQ(leaves->launches[1].arguments.memory, tables + 4 * 256u) << "they run at the same time";
    m_scratchBytes -= 1;
    EXPECT_FALSE(prepare({payloads(2), payloads(1, 1)})) << "the scheduler has code that needs none";
}

TEST_F(Leaves, PartsOfPayloads_AreUnits)
{
    Node node = graph::makePacked("tree", {});
    node.declared.apiEntry = true;
    node.decided.parts = 100;
    node.decided.leafRows = 16;
    link({node});
    const uint32_t width = node.decided.packWidth;
    const LeafDispatch::Launch few = launch({payloads(3)});
    EXPECT_EQ(few.arguments.units, 300u);
    EXPECT_EQ(groups(few), (Groups{(300 + width - 1) / width, 1, 1}));
    // The device runs four at once; eight times as many are enough, and none takes more than 16 times its width.
    EXPECT_EQ(groups(launch({payloads(width)})), (Groups{(100 + 2) / 3, 1, 1}));
    EXPECT_EQ(groups(launch({payloads(100 * width)})), (Groups{10000 / 16, 1, 1}));
}

TEST_F(Leaves, OthersTakeNoScratchMemory)
{
    link({gridNode({5, 6, 7}, 0)});
    EXPECT_FALSE(prepare({payloads(1)})->usesScratch);
    EXPECT_EQ(launch({payloads(1)}).arguments.memory, 0u);
}

}  // namespace millrace::runtime
