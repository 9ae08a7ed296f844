// SPDX-License-Identifier: Apache-2.0
// The host's part of device/begin_inside.glsl.
#include <cstddef>

#include "graph/plan.h"
#include "graph/scratch_offsets.h"
#include "graph/work.h"

namespace millrace::graph {

namespace {

class Stores {
public:
    // The eight bytes at `offset` from the start of the scratch memory.
    void add(uint64_t offset, uint64_t value)
    {
        m_list.push_back({value, static_cast<uint32_t>(offset / sizeof value), 0});
    }
    void add(uint64_t offset, uint32_t low, uint32_t high) { add(offset, low | uint64_t{high} << 32); }
    std::vector<abi::BeginStore> take() { return std::move(m_list); }

private:
    std::vector<abi::BeginStore> m_list;
};

void addHeader(Stores& stores, const Graph& graph, uint64_t status)
{
    using abi::GraphHeader;
    static_assert(offsetof(GraphHeader, feedGranules) % 8 == 0 && offsetof(GraphHeader, status) % 8 == 0 &&
                  sizeof(abi::GraphStatus) % 8 == 0 && abi::kErrorNone == 0);
    stores.add(offsetof(GraphHeader, feedGranules), feedChunkGranules(graph), 0);  // and feedCounted
    stores.add(offsetof(GraphHeader, feedCursor), 0);
    stores.add(offsetof(GraphHeader, feedTotal), 0);
    stores.add(offsetof(GraphHeader, hostStatus), status);
    for (size_t at = 0; at < sizeof(abi::GraphStatus); at += 8)
        stores.add(offsetof(GraphHeader, status) + at, 0);
}

// The parts of a slot's tables that the dispatch decides, with the neighbours that share their eight bytes.
void addSlot(Stores& stores, uint64_t infoAt, uint64_t stateAt, const abi::SlotInfo& info, const abi::SlotPlan& plan)
{
    using abi::SlotInfo;
    using abi::SlotState;
    static_assert(offsetof(SlotInfo, base) % 8 == 0 && offsetof(SlotInfo, onlyTable) == offsetof(SlotInfo, base) + 4 &&
                  offsetof(SlotInfo, remainingOffset) == offsetof(SlotInfo, onlyCapacity) + 4 &&
                  offsetof(SlotInfo, leaving) == offsetof(SlotInfo, leftOffset) + 4 &&
                  offsetof(SlotInfo, most) == offsetof(SlotInfo, startUnit) + 4);
    stores.add(infoAt + offsetof(SlotInfo, base), plan.base, plan.onlyTable);
    stores.add(infoAt + offsetof(SlotInfo, onlyCapacity), plan.onlyCapacity, info.remainingOffset);
    stores.add(infoAt + offsetof(SlotInfo, leftOffset), info.leftOffset, plan.leaving);
    stores.add(infoAt + offsetof(SlotInfo, start), 0);
    stores.add(infoAt + offsetof(SlotInfo, startUnit), 0, plan.most);
    for (const size_t member : {offsetof(SlotState, cursor), offsetof(SlotState, counted), offsetof(SlotState, ticket)})
        stores.add(stateAt + member, 0);
}

void addStream(Stores& stores, uint64_t at, const abi::StreamPlan& plan, uint64_t scratchAddress)
{
    using abi::StreamState;
    static_assert(offsetof(StreamState, pending) == offsetof(StreamState, capacity) + 4);
    stores.add(at + offsetof(StreamState, counter), plan.counter);
    stores.add(at + offsetof(StreamState, appended), static_cast<uint32_t>(plan.counter >> abi::kUnitBits), 0);
    stores.add(at + offsetof(StreamState, table), scratchAddress + uint64_t{plan.table} * abi::kGranuleBytes);
    stores.add(at + offsetof(StreamState, capacity), plan.capacity, 0);
    stores.add(at + offsetof(StreamState, firstLocation), plan.firstLocation, 0);
}

void addLevel(Stores& stores, uint64_t at, const abi::LevelPlan& plan)
{
    using abi::LevelState;
    static_assert(offsetof(LevelState, size) == offsetof(LevelState, begin) + 4 &&
                  offsetof(LevelState, groups) == offsetof(LevelState, entryQuota) + 4 &&
                  offsetof(LevelState, startEntries) == offsetof(LevelState, startUsed) + 4);
    stores.add(at + offsetof(LevelState, reserved), 0);
    stores.add(at + offsetof(LevelState, reservedGranules), 0);  // and reservedEntries
    stores.add(at + offsetof(LevelState, used), plan.used, 0);
    stores.add(at + offsetof(LevelState, begin), plan.begin, plan.size);
    stores.add(at + offsetof(LevelState, entryQuota), plan.entryQuota, plan.groups);
    stores.add(at + offsetof(LevelState, startUsed), plan.used, 0);
}

}  // namespace

std::vector<abi::BeginStore> beginStores(const Graph& graph, const DispatchPlan& plan, uint64_t scratchAddress,
                                         uint64_t status)
{
    std::vector<abi::SlotPlan> slotPlans(graph.slots.size());
    for (size_t i = 0; i < plan.slots.size(); ++i)
        slotPlans[plan.slots[i]] = slotPlan(graph, plan, i);
    const ScratchOffsets offsets = scratchOffsets(graph, scratchAddress);
    Stores stores;
    addHeader(stores, graph, status);
    for (size_t s = 0; s < graph.slots.size(); ++s)
        addSlot(stores, offsets.slots + s * sizeof(abi::SlotInfo), offsets.slotStates + s * sizeof(abi::SlotState),
                slotInfo(graph, graph.slots[s]), slotPlans[s]);
    for (size_t s = 0; s < plan.streams.size(); ++s)
        addStream(stores, offsets.streamStates + s * sizeof(abi::StreamState), plan.streams[s], scratchAddress);
    for (size_t l = 0; l < plan.levels.size(); ++l)
        addLevel(stores, offsets.levelStates + l * sizeof(abi::LevelState), plan.levels[l]);
    return stores.take();
}

}  // namespace millrace::graph
