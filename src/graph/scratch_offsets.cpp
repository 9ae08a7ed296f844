// SPDX-License-Identifier: Apache-2.0
#include "graph/scratch_offsets.h"

#include <algorithm>
#include <cassert>

#include "abi/graph_memory.h"
#include "graph/plan.h"
#include "graph/saturating.h"

namespace millrace::graph {

namespace {

// Tables and states begin at multiples of this, so that counters share no cache line with anything.
constexpr uint64_t kTableAlignment = 128;
constexpr uint64_t kScratchAlignment = 64;  // VUID 09144

static_assert(sizeof(abi::SlotState) % kTableAlignment == 0 && sizeof(abi::StreamState) % kTableAlignment == 0 &&
              sizeof(abi::LevelState) % kTableAlignment == 0 && sizeof(abi::StreamState) == abi::kStreamStateBytes);
static_assert(sizeof(abi::GraphHeader) % sizeof(uint32_t) == 0);
static_assert(sizeof(abi::SlotInfo) == abi::kSlotInfoBytes && abi::kSlotInfoBytes > abi::kFlagMask);
static_assert(sizeof(abi::OutputInfo) == abi::kOutputInfoBytes);
static_assert(sizeof(abi::AreaInfo) == abi::kAreaInfoBytes);

uint64_t trashBytes(const Graph& graph)
{
    uint64_t bytes = abi::kGranuleBytes;
    for (const Queue& queue : graph.queues)
        bytes = std::max<uint64_t>(bytes, queue.stride);
    for (const Node& node : graph.nodes)
        for (const NodeOutput& output : node.declared.outputs)
            bytes = std::max<uint64_t>(bytes, output.payloadBytes);
    return roundUp(bytes, abi::kGranuleBytes);
}

}  // namespace

ScratchOffsets scratchOffsets(const Graph& graph, uint64_t scratchAddress)
{
    assert(scratchAddress % kScratchAlignment == 0);
    uint64_t end = sizeof(abi::GraphHeader);
    auto place = [&](uint64_t count, uint64_t size) {
        const uint64_t offset = roundUp(scratchAddress + end, kTableAlignment) - scratchAddress;
        end = offset + count * size;
        return offset;
    };
    uint64_t outputCount = 0;
    uint64_t areaCount = 0;
    for (const Slot& slot : graph.slots) {
        outputCount += slot.outputMaps.size();
        areaCount += slot.areas.size();
    }

    ScratchOffsets offsets{};
    offsets.slots = place(graph.slots.size(), sizeof(abi::SlotInfo));
    offsets.outputs = place(outputCount, sizeof(abi::OutputInfo));
    offsets.queues = place(graph.queues.size(), sizeof(abi::QueueInfo));
    offsets.streams = place(graph.streams.size(), sizeof(abi::StreamInfo));
    offsets.apiNodes = place(graph.apiQueues.size(), sizeof(uint32_t));
    offsets.nodeMap = place(graph.nodeMap.size(), sizeof(uint32_t));
    offsets.areas = place(areaCount, sizeof(abi::AreaInfo));
    offsets.levelSlots = place(graph.levels.size() + 1 + graph.slots.size(), sizeof(uint32_t));
    offsets.tablesEnd = end;
    offsets.slotStates = place(graph.slots.size(), sizeof(abi::SlotState));
    offsets.streamStates = place(graph.streams.size(), sizeof(abi::StreamState));
    offsets.levelStates = place(graph.levels.size(), sizeof(abi::LevelState));
    offsets.trash = place(trashBytes(graph), 1);
    offsets.end = end;
    return offsets;
}

uint64_t fixedBytes(const Graph& graph)
{
    // Where the scratch address is not a multiple of kTableAlignment, everything moves a little.
    return roundUp(scratchOffsets(graph, 0).end + kTableAlignment - kScratchAlignment, kTableAlignment);
}

}  // namespace millrace::graph
