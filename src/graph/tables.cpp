// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "graph/budgets.h"
#include "graph/plan.h"
#include "graph/saturating.h"
#include "graph/scratch_offsets.h"
#include "graph/work.h"

namespace millrace::graph {
namespace {

uint32_t streamStateOffset(const ScratchOffsets& offsets, const Slot& slot)
{
    return static_cast<uint32_t>(offsets.streamStates + slot.stream * sizeof(abi::StreamState));
}

// The queue that all payloads of a slot go to, if the node's code relies on there being no other.
uint32_t onlyQueue(const Graph& graph, const Slot& slot)
{
    const std::vector<NodeOutput>& outputs = graph.nodes[slot.node].declared.outputs;
    for (size_t o = 0; o < outputs.size() && graph.code[slot.node].emits == abi::kEmitsToOne; ++o) {
        const std::vector<uint32_t>& receivers = graph.receiversOf(slot, o);
        if (outputs[o].allocationSites > 0 && !receivers.empty())
            return receivers.front();
    }
    return abi::kNoQueue;
}

// Payloads for which a slot's memory is enough, whatever the limit that the node declares.
uint32_t onlyLimit(const Slot& slot, const Node& node, uint32_t stride)
{
    const uint64_t most = kMaxPayloadsInShare;
    const uint64_t granules = slot.fitGranulesPerGroup / std::max(node.decided.packWidth, 1u);
    return static_cast<uint32_t>(stride == 0 ? most : std::min(most, granules * abi::kGranuleBytes / stride));
}

// Of a stream, units that a payload (dynamic: a workgroup) stands for.
uint32_t unitsPerPayload(const Node& node)
{
    switch (node.declared.mode) {
        case LaunchMode::Static:
            return node.declared.staticGrid[0] * node.declared.staticGrid[1] * node.declared.staticGrid[2];
        case LaunchMode::Coalescing:
            return node.decided.parts;
        case LaunchMode::Dynamic:
            break;
    }
    return 1;
}

abi::QueueInfo queueInfo(const Graph& graph, uint32_t index)
{
    const Queue& queue = graph.queues[index];
    const uint32_t node = graph.slots[queue.baseSlot].node;
    abi::QueueInfo info{};
    info.payloadBytes = inputBytes(graph.nodes[node].declared);
    info.stride = queue.stride;
    info.finishOffset = queue.finishOffset;
    info.finishCount = queue.finishCount;
    const uint32_t first = queue.streams.front();
    const bool isIndexed = graph.streams[first].kind == abi::kStreamIndexed;
    info.indexedStream = isIndexed ? first : abi::kNoStream;
    info.firstDynamic = isIndexed ? first + 1 : first;
    info.dynamicCount = static_cast<uint32_t>(queue.streams.size()) - (isIndexed ? 1 : 0);
    info.node = node;
    return info;
}

abi::OutputInfo outputInfo(const Graph& graph, const NodeOutput& output, abi::OutputInfo map, uint32_t area)
{
    map.area = area;
    map.first = map.mapCount > 0 ? graph.nodeMap[map.mapFirst] : abi::kNoQueue;
    const uint32_t index = output.constantIndex.value_or(map.mapCount);
    map.receiver = index < map.mapCount ? graph.nodeMap[map.mapFirst + index] : abi::kNoQueue;
    if (map.receiver == abi::kNoQueue)
        return map;
    const abi::QueueInfo queue = queueInfo(graph, map.receiver);
    map.receiverStride = queue.stride;
    map.receiverStream = queue.indexedStream;
    return map;
}

// abi::GraphHeader::levelSlots.
std::vector<uint32_t> levelSlots(const Graph& graph)
{
    std::vector<uint32_t> words;
    auto end = static_cast<uint32_t>(graph.levels.size() + 1);
    for (const Level& level : graph.levels) {
        words.push_back(end);
        end += static_cast<uint32_t>(level.slots.size());
    }
    words.push_back(end);
    for (const Level& level : graph.levels) {
        words.insert(words.end(), level.slots.begin(), level.slots.end());
        std::sort(words.end() - static_cast<ptrdiff_t>(level.slots.size()), words.end());
    }
    return words;
}

// SlotPlan::leaving. The plan may have fewer slots of the node than the graph, and none to leave anything to.
uint32_t leaving(const Graph& graph, const DispatchPlan& plan, const Slot& slot)
{
    uint32_t below = 0;
    for (const Slot* s = &slot; s->leftOffset != abi::kNoOffset; ++below) {
        const uint32_t next = graph.queues[s->queue + 1].baseSlot;  // createSlots(): the next is the one below
        if (std::ranges::find(plan.slots, next) == plan.slots.end())
            break;
        s = &graph.slots[next];
    }
    if (below == 0)
        return 0;
    const uint64_t bytes = plan.levels[slot.level].size * uint64_t{abi::kGranuleBytes};
    const uint64_t room = std::min<uint64_t>(bytes / graph.queues[slot.queue + 1].stride, UINT32_MAX);
    return static_cast<uint32_t>(room / abi::kLeavingStep * abi::kLeavingStep) + below;
}

}  // namespace

abi::SlotInfo slotInfo(const Graph& graph, const Slot& slot)
{
    const Node& node = graph.nodes[slot.node];
    abi::SlotInfo info{};
    info.stream = slot.stream;
    info.level = slot.level;
    info.unitsPerPayload = unitsPerPayload(node);
    info.unitsPerGroup = unitsPerGroup(node);
    info.onlyQueue = onlyQueue(graph, slot);
    info.onlyStream = abi::kNoStream;
    if (info.onlyQueue != abi::kNoQueue) {
        const abi::QueueInfo queue = queueInfo(graph, info.onlyQueue);
        info.onlyStride = queue.stride;
        info.onlyStream = queue.indexedStream;
        info.onlyLimit = onlyLimit(slot, node, queue.stride);
    }
    switch (node.declared.mode) {
        case LaunchMode::Static:
            info.kind = abi::kKindStatic;
            break;
        case LaunchMode::Dynamic:
            info.kind = abi::kKindDynamic;
            break;
        case LaunchMode::Coalescing:
            info.kind = isPacked(node) ? abi::kKindPacked : abi::kKindCoalescing;
            break;
    }
    info.payloadStride = graph.queues[slot.queue].stride;
    info.finishOffset = slot.finishOffset;
    info.remainingRecursion = node.decided.depthFirst > 0 ? node.decided.depthFirst : slot.remaining;
    info.remainingOffset = graph.queues[slot.queue].remainingOffset;
    info.leftOffset = slot.leftOffset;
    info.shaderIndex = node.declared.id.index;
    // Depth first, nothing is reserved: what is left to others is left where there happens to be room.
    info.granulesPerGroup = node.decided.depthFirst > 0 ? 0 : slot.granulesPerGroup;
    info.entriesPerGroup = node.decided.depthFirst > 0 ? 0 : slot.entriesPerGroup;
    info.fitGranulesPerGroup = slot.fitGranulesPerGroup;
    info.fitEntriesPerGroup = slot.fitEntriesPerGroup;
    info.name = slot.node;
    return info;
}

abi::StreamInfo streamInfo(const Graph& graph, const Stream& stream)
{
    abi::StreamInfo info{};
    info.kind = stream.kind;
    info.level = stream.level;
    if (stream.kind == abi::kStreamIndexed)
        return info;
    const Node& node = graph.nodes[graph.slots[stream.slots.front()].node];
    info.gridOffset = node.declared.grid.offsetBytes;
    info.gridComponents = node.declared.grid.components;
    info.gridComponentBytes = node.declared.grid.componentBytes;
    const uint32_t any[3] = {kMaxGroupsPerDimension, kMaxGroupsPerDimension, kMaxGroupsPerDimension};
    const uint32_t* most = node.declared.declaresMaxGrid ? node.declared.maxGrid : any;
    info.maxX = std::min(most[0], kMaxGroupsPerDimension);
    info.maxY = std::min(most[1], kMaxGroupsPerDimension);
    info.maxZ = std::min(most[2], kMaxGroupsPerDimension);
    info.maxGroups = maxGroupsPerPayload(node.declared);
    return info;
}

abi::SlotPlan slotPlan(const Graph& graph, const DispatchPlan& plan, size_t place)
{
    const Slot& slot = graph.slots[plan.slots[place]];
    abi::SlotPlan out{};
    out.base = plan.fits ? plan.bases[place] : 0;
    out.most = plan.fits && graph.nodes[slot.node].decided.depthFirst == 0 ? abi::kTakesAll : 0;
    out.leaving = leaving(graph, plan, slot);
    const uint32_t queue = onlyQueue(graph, slot);
    const uint32_t stream = queue == abi::kNoQueue ? abi::kNoStream : queueInfo(graph, queue).indexedStream;
    if (stream != abi::kNoStream) {
        out.onlyTable = plan.streams[stream].table;
        out.onlyCapacity = plan.streams[stream].capacity;
    }
    return out;
}

uint32_t mostPayloadsInSweep(const Graph& graph, const Slot& slot, uint32_t groups)
{
    return std::max(std::min(groups, kMaxFittingUnits - 1) / unitsPerPayload(graph.nodes[slot.node]), 1u);
}

abi::FitArguments fitArguments(const Graph& graph, uint64_t scratchAddress, uint32_t level)
{
    const ScratchOffsets offsets = scratchOffsets(graph, scratchAddress);
    size_t word = graph.levels.size() + 1;  // levelSlots()
    for (uint32_t l = 0; l < level; ++l)
        word += graph.levels[l].slots.size();
    abi::FitArguments arguments{};
    arguments.graph = scratchAddress;
    arguments.list = scratchAddress + offsets.levelSlots + word * sizeof(uint32_t);
    arguments.slots = scratchAddress + offsets.slots;
    arguments.slotStates = scratchAddress + offsets.slotStates;
    arguments.streamStates = scratchAddress + offsets.streamStates;
    arguments.levelState = scratchAddress + offsets.levelStates + level * sizeof(abi::LevelState);
    arguments.slotCount = static_cast<uint32_t>(graph.levels[level].slots.size());
    return arguments;
}

std::vector<SlotPlace> slotPlaces(const Graph& graph, uint64_t scratchAddress)
{
    const ScratchOffsets offsets = scratchOffsets(graph, scratchAddress);
    std::vector<SlotPlace> places;
    for (size_t s = 0; s < graph.slots.size(); ++s)
        places.push_back({.info = static_cast<uint32_t>(offsets.slots + s * sizeof(abi::SlotInfo)),
                          .streamState = streamStateOffset(offsets, graph.slots[s])});
    return places;
}

std::vector<uint32_t> staticTables(const Graph& graph, uint64_t scratchAddress, uint32_t graphId)
{
    const ScratchOffsets offsets = scratchOffsets(graph, scratchAddress);
    std::vector<uint32_t> words(divideUp(offsets.tablesEnd, sizeof(uint32_t)), 0);
    auto write = [&](uint64_t& offset, const auto& value) {
        std::memcpy(reinterpret_cast<std::byte*>(words.data()) + offset, &value, sizeof(value));
        offset += sizeof(value);
    };

    abi::GraphHeader header{};
    header.magic = abi::kGraphMagic;
    header.graph = graphId;
    header.slotCount = static_cast<uint32_t>(graph.slots.size());
    header.streamCount = static_cast<uint32_t>(graph.streams.size());
    header.queueCount = static_cast<uint32_t>(graph.queues.size());
    header.levelCount = static_cast<uint32_t>(graph.levels.size());
    header.apiNodeCount = static_cast<uint32_t>(graph.apiQueues.size());
    header.trashLocation = static_cast<uint32_t>(offsets.trash / abi::kGranuleBytes);
    header.feedGranules = feedChunkGranules(graph);
    header.self = scratchAddress;
    header.slots = scratchAddress + offsets.slots;
    header.outputs = scratchAddress + offsets.outputs;
    header.nodeMap = scratchAddress + offsets.nodeMap;
    header.queues = scratchAddress + offsets.queues;
    header.streams = scratchAddress + offsets.streams;
    header.apiNodes = scratchAddress + offsets.apiNodes;
    header.areas = scratchAddress + offsets.areas;
    header.levelSlots = scratchAddress + offsets.levelSlots;
    header.slotStates = scratchAddress + offsets.slotStates;
    header.streamStates = scratchAddress + offsets.streamStates;
    header.levelStates = scratchAddress + offsets.levelStates;
    uint64_t at = 0;
    write(at, header);

    at = offsets.slots;
    uint64_t outputAt = offsets.outputs;
    uint64_t areaAt = offsets.areas;
    uint32_t outputCount = 0;
    uint32_t areaCount = 0;
    for (const Slot& slot : graph.slots) {
        abi::SlotInfo info = slotInfo(graph, slot);
        info.firstOutput = outputCount;
        info.firstArea = areaCount;
        info.areaCount = static_cast<uint32_t>(slot.areas.size());
        info.streamState = streamStateOffset(offsets, slot);
        write(at, info);
        uint32_t area = 0;
        for (size_t o = 0; o < slot.outputMaps.size(); ++o) {
            const abi::OutputInfo& map = graph.maps[slot.outputMaps[o]];
            write(outputAt, outputInfo(graph, graph.nodes[slot.node].declared.outputs[o], map, area));
            area += map.mapCount;
        }
        for (const abi::AreaInfo& a : slot.areas)
            write(areaAt, a);
        outputCount += static_cast<uint32_t>(slot.outputMaps.size());
        areaCount += static_cast<uint32_t>(slot.areas.size());
    }
    at = offsets.queues;
    for (uint32_t q = 0; q < graph.queues.size(); ++q)
        write(at, queueInfo(graph, q));
    at = offsets.streams;
    for (const Stream& stream : graph.streams)
        write(at, streamInfo(graph, stream));
    at = offsets.apiNodes;
    for (uint32_t queue : graph.apiQueues)
        write(at, queue);
    at = offsets.nodeMap;
    for (uint32_t queue : graph.nodeMap)
        write(at, queue);
    at = offsets.levelSlots;
    for (uint32_t word : levelSlots(graph))
        write(at, word);
    return words;
}

}  // namespace millrace::graph
