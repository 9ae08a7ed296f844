// SPDX-License-Identifier: Apache-2.0
// The static tables, read back as a shader reads them.
#include <cstring>

#include "build_nodes.h"
#include "graph/plan.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kAddress = 0x10000040;  // aligned to 64, not to 128
constexpr uint32_t kGraphId = 77;

class Tables : public testing::Test {
protected:
    void load(std::vector<Node> nodes)
    {
        m_graph = linkValid(std::move(nodes));
        m_words = staticTables(m_graph, kAddress, kGraphId);
        m_header = read<abi::GraphHeader>(kAddress, 0);
    }

    template <typename T>
    T read(uint64_t table, uint32_t index) const
    {
        T value{};
        const uint64_t offset = table - kAddress + uint64_t(index) * sizeof(T);
        if (offset + sizeof(T) > m_words.size() * sizeof(uint32_t)) {
            ADD_FAILURE() << "outside the tables";
            return value;
        }
        std::memcpy(&value, reinterpret_cast<const char*>(m_words.data()) + offset, sizeof(T));
        return value;
    }

    abi::SlotInfo slot(uint32_t index) const { return read<abi::SlotInfo>(m_header.slots, index); }
    abi::QueueInfo queue(uint32_t index) const { return read<abi::QueueInfo>(m_header.queues, index); }
    abi::StreamInfo stream(uint32_t index) const { return read<abi::StreamInfo>(m_header.streams, index); }

    uint32_t target(uint32_t slotIndex, uint32_t output, uint32_t nodeIndex) const
    {
        const auto info = read<abi::OutputInfo>(m_header.outputs, slot(slotIndex).firstOutput + output);
        EXPECT_EQ(info.first, info.mapCount > 0 ? read<uint32_t>(m_header.nodeMap, info.mapFirst) : abi::kNoQueue);
        return nodeIndex < info.mapCount ? read<uint32_t>(m_header.nodeMap, info.mapFirst + nodeIndex) : abi::kNoQueue;
    }

    Graph m_graph;
    std::vector<uint32_t> m_words;
    abi::GraphHeader m_header{};
};

TEST_F(Tables, Header)
{
    load({makeEntry("a", {outputTo("b")}), makeDynamic("b"), sharing(makeNode("s"), {"b", 0})});
    EXPECT_EQ(m_header.magic, abi::kGraphMagic);
    EXPECT_EQ(m_header.graph, kGraphId);
    EXPECT_EQ(m_header.self, kAddress);
    EXPECT_EQ(m_header.slotCount, 3u);
    EXPECT_EQ(m_header.streamCount, 3u);
    EXPECT_EQ(m_header.queueCount, 2u);
    EXPECT_EQ(m_header.levelCount, 3u);
    EXPECT_EQ(m_header.apiNodeCount, 3u);
    EXPECT_EQ(m_header.feedGranules, 64u);
    EXPECT_EQ(m_header.status.error, abi::kErrorNone);
}

TEST_F(Tables, EverythingIsAlignedAndInsideTheFixedPart)
{
    for (uint32_t payloadBytes : {16u, 112u, 128u, 5000u}) {
        load({makeEntry("a", {outputTo("b", 1, payloadBytes)}), makeDynamic("b"), sharing(makeNode("s"), {"b", 0})});
        const uint64_t end = kAddress + fixedBytes(m_graph);
        EXPECT_EQ(fixedBytes(m_graph) % 128, 0u);
        const std::pair<uint64_t, uint64_t> ranges[] = {
            {kAddress, sizeof(abi::GraphHeader)},
            {m_header.slots, 3 * sizeof(abi::SlotInfo)},
            {m_header.outputs, sizeof(abi::OutputInfo)},
            {m_header.queues, 2 * sizeof(abi::QueueInfo)},
            {m_header.streams, 3 * sizeof(abi::StreamInfo)},
            {m_header.apiNodes, 3 * sizeof(uint32_t)},
            {m_header.nodeMap, sizeof(uint32_t)},
            {m_header.slotStates, 3 * sizeof(abi::SlotState)},
            {m_header.streamStates, 3 * sizeof(abi::StreamState)},
            {m_header.levelStates, 3 * sizeof(abi::LevelState)},
            {kAddress + uint64_t(m_header.trashLocation) * abi::kGranuleBytes, payloadBytes},
        };
        for (size_t i = 1; i < std::size(ranges); ++i) {
            EXPECT_EQ(ranges[i].first % 128, 0u) << i;
            EXPECT_GE(ranges[i].first, ranges[i - 1].first + ranges[i - 1].second) << i;
            EXPECT_LE(ranges[i].first + ranges[i].second, end) << i;
        }
        EXPECT_LE(m_words.size() * sizeof(uint32_t), m_header.slotStates - kAddress);
    }
}

TEST_F(Tables, SlotKinds)
{
    Node grid = makeEntry("grid");
    grid.declared.staticGrid[0] = 2;
    grid.declared.staticGrid[1] = 3;
    grid.declared.staticGrid[2] = 5;
    Node recursive = makePacked("packed", {outputTo("packed")});
    recursive.declared.id.index = 9;
    recursive.declared.maxRecursion = 1;
    recursive.declared.apiEntry = true;
    load({grid, makeDynamic("dynamic"), makeCoalescing("coalescing", 12), recursive});

    EXPECT_EQ(slot(0).kind, abi::kKindStatic);
    EXPECT_EQ(slot(0).unitsPerPayload, 30u);
    EXPECT_EQ(slot(0).unitsPerGroup, 1u);
    EXPECT_EQ(slot(0).level, 1u);
    EXPECT_EQ(slot(0).payloadStride, 16u);
    EXPECT_EQ(slot(0).finishOffset, abi::kNoOffset);
    EXPECT_EQ(slot(1).kind, abi::kKindDynamic);
    EXPECT_EQ(slot(1).level, 0u);
    EXPECT_EQ(slot(2).kind, abi::kKindCoalescing);
    EXPECT_EQ(slot(2).unitsPerGroup, 12u);
    EXPECT_EQ(slot(2).unitsPerPayload, 1u);
    EXPECT_EQ(slot(3).kind, abi::kKindPacked);
    EXPECT_EQ(slot(3).unitsPerGroup, 64u);
    EXPECT_EQ(slot(3).remainingRecursion, 1u);
    EXPECT_EQ(slot(4).remainingRecursion, 0u);
    EXPECT_EQ(slot(4).shaderIndex, 9u);
    EXPECT_EQ(slot(4).name, 3u);
    EXPECT_EQ(slot(3).granulesPerGroup, 64u);
    EXPECT_EQ(slot(3).entriesPerGroup, 64u);
    EXPECT_EQ(slot(4).granulesPerGroup, 0u);
    EXPECT_EQ(target(3, 0, 9), 4u);
    EXPECT_EQ(target(4, 0, 9), abi::kNoQueue);
    EXPECT_EQ(target(3, 0, 0), abi::kNoQueue);
    EXPECT_EQ(target(3, 0, 10), abi::kNoQueue);
}

TEST_F(Tables, QueuesAndStreams)
{
    Node base = makeDynamic("b", 9);
    base.declared.grid = {.offsetBytes = 4, .components = 2, .componentBytes = 2};
    base.declared.usesFinishWriting = true;
    base.declared.maxGrid[1] = 7;
    load({makeEntry("a", {outputTo("b")}), base, sharing(makeNode("s"), {"b", 0})});
    EXPECT_EQ(queue(1).payloadBytes, 16u);
    EXPECT_EQ(queue(1).stride, 32u);
    EXPECT_EQ(queue(1).finishOffset, 16u);
    EXPECT_EQ(queue(1).finishCount, 1u);
    EXPECT_EQ(queue(1).dynamicCount, 1u);
    EXPECT_EQ(queue(1).node, 1u);

    const uint32_t first = queue(1).indexedStream;
    EXPECT_EQ(queue(1).firstDynamic, first + 1);
    EXPECT_EQ(stream(first).kind, abi::kStreamIndexed);
    EXPECT_EQ(stream(first).level, 2u);
    const abi::StreamInfo dynamic = stream(first + 1);
    EXPECT_EQ(dynamic.kind, abi::kStreamDynamic);
    EXPECT_EQ(dynamic.gridOffset, 4u);
    EXPECT_EQ(dynamic.gridComponents, 2u);
    EXPECT_EQ(dynamic.gridComponentBytes, 2u);
    EXPECT_EQ(dynamic.maxX, 9u);
    EXPECT_EQ(dynamic.maxY, 7u);
    EXPECT_EQ(dynamic.maxZ, 1u);
    EXPECT_EQ(dynamic.maxGroups, 63u);
    EXPECT_EQ(slot(1).stream, first + 1);
    EXPECT_EQ(slot(2).stream, first);
    EXPECT_EQ(slot(1).finishOffset, 16u);
    EXPECT_EQ(read<uint32_t>(m_header.apiNodes, 0), 0u);
    EXPECT_EQ(read<uint32_t>(m_header.apiNodes, 1), abi::kNoQueue);
    EXPECT_EQ(read<uint32_t>(m_header.apiNodes, 2), abi::kNoQueue);
}

TEST_F(Tables, StreamsOfAQueueFollowEachOther)
{
    load({makeEntry("a"), sharing(makeDynamic("d", 1), {"a", 0}), sharing(makeDynamic("e", 1), {"a", 0}),
          makeNode("z")});
    EXPECT_EQ(queue(0).indexedStream, 0u);
    EXPECT_EQ(queue(0).firstDynamic, 1u);
    EXPECT_EQ(queue(0).dynamicCount, 2u);
    EXPECT_EQ(m_graph.queues[0].streams, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(Tables, OnlyQueue)
{
    load({makeEntry("one", {outputTo("b"), outputTo("b")}), makeEntry("two", {outputTo("b"), outputTo("c")}),
          makeNode("b"), makeNode("c")});
    const uint32_t only = m_graph.slots[2].queue;
    EXPECT_EQ(slot(0).onlyQueue, only);
    EXPECT_EQ(slot(0).onlyStride, queue(only).stride);
    EXPECT_EQ(slot(0).onlyLimit, slot(0).granulesPerGroup * abi::kGranuleBytes / queue(only).stride);
    EXPECT_EQ(slot(0).onlyStream, queue(only).indexedStream);
    EXPECT_EQ(slot(1).onlyStream, abi::kNoStream);
    EXPECT_EQ(slot(1).onlyQueue, abi::kNoQueue);
    EXPECT_EQ(slot(2).onlyQueue, abi::kNoQueue);
}

TEST_F(Tables, Receivers)
{
    NodeOutput constant = outputTo("b"), beyond = outputTo("b");
    constant.constantIndex = 0;
    beyond.constantIndex = 7;
    load({makeEntry("a", {constant, outputTo("b"), beyond}), makeNode("b")});
    const auto output = [&](uint32_t number) {
        return read<abi::OutputInfo>(m_header.outputs, slot(0).firstOutput + number);
    };
    const uint32_t receiver = m_graph.slots[1].queue;
    EXPECT_EQ(output(0).receiver, receiver);
    EXPECT_EQ(output(0).receiverStride, queue(receiver).stride);
    EXPECT_EQ(output(0).receiverStream, queue(receiver).indexedStream);
    EXPECT_EQ(output(1).receiver, abi::kNoQueue) << "the index is not known";
    EXPECT_EQ(output(2).receiver, abi::kNoQueue) << "there is no such node";
}

// Shaders find SlotInfo and StreamState by what the host says, without looking into the header.
TEST_F(Tables, SlotPlaces)
{
    load({makeEntry("a", {outputTo("b")}), makeDynamic("b")});
    const std::vector<SlotPlace> places = slotPlaces(m_graph, kAddress);
    ASSERT_EQ(places.size(), 2u);
    for (uint32_t s = 0; s < 2; ++s) {
        EXPECT_EQ(kAddress + places[s].info, m_header.slots + s * sizeof(abi::SlotInfo));
        EXPECT_EQ(kAddress + places[s].streamState, m_header.streamStates + slot(s).stream * sizeof(abi::StreamState));
        EXPECT_EQ(places[s].info & abi::kFlagMask, 0u);
    }
}

TEST_F(Tables, UndeclaredMaxGrid_IsTheLimit)
{
    Node node = makeDynamic("d");
    node.declared.declaresMaxGrid = false;
    load({node});
    EXPECT_EQ(stream(0).maxX, kMaxGroupsPerDimension);
    EXPECT_EQ(stream(0).maxZ, kMaxGroupsPerDimension);
    EXPECT_EQ(stream(0).maxGroups, kMaxGroups);
}

}  // namespace
}  // namespace millrace::graph
