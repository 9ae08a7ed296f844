// SPDX-License-Identifier: Apache-2.0
// What the host tells the only workgroup of a first level to write is what begin.comp would leave, member by member
// (device/begin_dispatch.glsl), and nothing else.
#include <cstring>

#include "build_nodes.h"
#include "graph/plan.h"
#include "graph/scratch_offsets.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kScratch = 0x10040;  // no multiple of 128
constexpr uint64_t kStatus = 0x123456789ab8;
constexpr uint64_t kBytes = 1 << 20;

// Two levels, a producer whose payloads all go to one node.
Graph twoLevels()
{
    std::vector<Node> nodes = {makeNode("first"), makeNode("second")};
    nodes[0].declared.apiEntry = true;
    nodes[0].declared.payloadBytes = nodes[1].declared.payloadBytes = 8;
    nodes[0].declared.outputs.push_back(outputTo("second", 4, 8));
    nodes[0].declared.outputs[0].constantIndex = 0;
    return linkValid(nodes);
}

class BeginStores : public ::testing::Test {
protected:
    BeginStores() : m_memory(kBytes, std::byte{0xcd})
    {
        const std::vector<uint32_t> tables = staticTables(m_graph, kScratch, 7);
        std::memcpy(m_memory.data(), tables.data(), tables.size() * sizeof(uint32_t));
        m_before = m_memory;
        for (const abi::BeginStore& store : beginStores(m_graph, m_plan, kScratch, kStatus))
            std::memcpy(&m_memory.at(store.place * sizeof store.value), &store.value, sizeof store.value);
    }

    template <typename T>
    T read(uint64_t offset, const std::vector<std::byte>& from) const
    {
        T value;
        std::memcpy(&value, &from.at(offset), sizeof value);
        return value;
    }

    template <typename T>
    T read(uint64_t offset) const
    {
        return read<T>(offset, m_memory);
    }

    Graph m_graph = twoLevels();
    DispatchPlan m_plan =
        plan(m_graph, kBytes, std::vector<KnownInput>{{.node = 0, .payloadCount = 3, .groupCount = {}}});
    ScratchOffsets m_offsets = scratchOffsets(m_graph, kScratch);
    std::vector<std::byte> m_memory, m_before;
};

TEST_F(BeginStores, Header_KeepsWhatIsStatic)
{
    const auto header = read<abi::GraphHeader>(0);
    const auto before = read<abi::GraphHeader>(0, m_before);
    EXPECT_EQ(header.hostStatus, kStatus);
    EXPECT_EQ(header.feedCursor + header.feedTotal + header.feedCounted, 0u);
    const abi::GraphStatus none{};
    EXPECT_EQ(std::memcmp(&header.status, &none, sizeof none), 0);
    EXPECT_EQ(header.feedGranules, before.feedGranules);
    EXPECT_EQ(std::memcmp(&header, &before, offsetof(abi::GraphHeader, feedGranules)), 0);
    EXPECT_EQ(std::memcmp(&header.self, &before.self, offsetof(abi::GraphHeader, feedCursor) - 40), 0);
}

TEST_F(BeginStores, Slots_HaveTheirPlansAndNothingIsTaken)
{
    ASSERT_TRUE(m_plan.fits);
    for (size_t i = 0; i < m_plan.slots.size(); ++i) {
        const size_t s = m_plan.slots[i];
        const uint64_t at = m_offsets.slots + s * sizeof(abi::SlotInfo);
        const auto info = read<abi::SlotInfo>(at);
        auto wanted = read<abi::SlotInfo>(at, m_before);
        const abi::SlotPlan slot = slotPlan(m_graph, m_plan, i);
        wanted.base = slot.base;
        wanted.onlyTable = slot.onlyTable;
        wanted.onlyCapacity = slot.onlyCapacity;
        wanted.leaving = slot.leaving;
        wanted.most = abi::kTakesAll;
        EXPECT_EQ(std::memcmp(&info, &wanted, sizeof info), 0) << s;
        const auto state = read<abi::SlotState>(m_offsets.slotStates + s * sizeof(abi::SlotState));
        EXPECT_EQ(state.cursor + state.counted + state.ticket, 0u) << s;
    }
    EXPECT_GT(slotPlan(m_graph, m_plan, 0).onlyCapacity, 0u) << "the test needs a slot with one queue";
}

TEST_F(BeginStores, Streams_AreAsPlanned)
{
    for (size_t s = 0; s < m_plan.streams.size(); ++s) {
        const auto state = read<abi::StreamState>(m_offsets.streamStates + s * sizeof(abi::StreamState));
        const abi::StreamPlan& stream = m_plan.streams[s];
        EXPECT_EQ(state.counter, stream.counter) << s;
        EXPECT_EQ(state.appended, stream.counter >> abi::kUnitBits) << s;
        EXPECT_EQ(state.table, kScratch + uint64_t{stream.table} * abi::kGranuleBytes) << s;
        EXPECT_EQ(state.capacity, stream.capacity) << s;
        EXPECT_EQ(state.firstLocation, stream.firstLocation) << s;
    }
}

TEST_F(BeginStores, Levels_AreAsPlanned)
{
    for (size_t l = 0; l < m_plan.levels.size(); ++l) {
        const auto state = read<abi::LevelState>(m_offsets.levelStates + l * sizeof(abi::LevelState));
        const abi::LevelPlan& level = m_plan.levels[l];
        EXPECT_EQ(state.reserved + state.reservedGranules + state.reservedEntries + state.startEntries, 0u) << l;
        EXPECT_EQ(state.used, level.used) << l;
        EXPECT_EQ(state.startUsed, level.used) << l;
        EXPECT_EQ(state.begin, level.begin) << l;
        EXPECT_EQ(state.size, level.size) << l;
        EXPECT_EQ(state.entryQuota, level.entryQuota) << l;
        EXPECT_EQ(state.groups, level.groups) << l;
    }
}

}  // namespace
}  // namespace millrace::graph
