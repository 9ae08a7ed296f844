// SPDX-License-Identifier: Apache-2.0
#include "graph/budgets.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/areas.h"
#include "graph/diagnose.h"
#include "graph/saturating.h"

namespace millrace::graph {
namespace {

// What all queues of a node map have in common.
struct MapSummary {
    uint32_t targets = 0;
    uint32_t stride = 0;      // largest
    uint32_t padding = 0;     // most bytes between the end of a run and the next granule
    bool hasDynamic = false;  // streams
    bool hasIndexed = false;
};

uint32_t runPadding(uint32_t stride)
{
    return stride % abi::kGranuleBytes == 0 ? 0 : abi::kGranuleBytes - std::gcd(stride, abi::kGranuleBytes);
}

class Budgets {
public:
    explicit Budgets(Graph& graph) : m_graph(graph), m_entries(graph.queues.size()), m_poolRuns(graph.queues.size()) {}

    Status run();

private:
    struct Entries {
        uint64_t indexed = 0;
        uint64_t dynamic = 0;
    };

    void summarize();
    uint64_t granules(const Slot& slot) const;
    uint64_t entries(const Slot& slot);
    void budgetWhereItFits(Slot& slot, const Node& node);
    uint64_t entriesOfOne(const EmissionBound& bound, const MapSummary& map) const
    {
        return std::max(map.hasIndexed ? bound.runsToOneQueue : 0, map.hasDynamic ? bound.payloads : 0);
    }
    EmissionBound bound(const Slot& slot, size_t output) const
    {
        const Node& node = m_graph.nodes[slot.node];
        const uint32_t map = slot.outputMaps[output];
        return emissionBound(node, node.declared.outputs[output], m_maps[map].targets);
    }

    Graph& m_graph;
    std::vector<MapSummary> m_maps;  // per Graph::maps
    // Per queue, all 0 between two slots.
    std::vector<Entries> m_entries;
    std::vector<uint64_t> m_poolRuns;
};

void Budgets::summarize()
{
    m_maps.resize(m_graph.maps.size());
    for (size_t m = 0; m < m_maps.size(); ++m) {
        MapSummary& summary = m_maps[m];
        for (const uint32_t q : m_graph.receivers[m]) {
            const Queue& queue = m_graph.queues[q];
            ++summary.targets;
            summary.stride = std::max(summary.stride, queue.stride);
            summary.padding = std::max(summary.padding, runPadding(queue.stride));
            const bool hasIndexed = m_graph.streams[queue.streams.front()].kind == abi::kStreamIndexed;
            summary.hasIndexed |= hasIndexed;
            summary.hasDynamic |= queue.streams.size() > (hasIndexed ? 1u : 0u);
        }
    }
}

// Of one of the node's workgroups.
uint64_t Budgets::granules(const Slot& slot) const
{
    const std::vector<NodeOutput>& outputs = m_graph.nodes[slot.node].declared.outputs;
    struct Pool {
        uint64_t payloads = 0;
        uint64_t runs = 0;
        uint32_t stride = 0;
        uint32_t padding = 0;
    };
    std::vector<Pool> pools(outputs.size());
    for (size_t o = 0; o < outputs.size(); ++o) {
        const EmissionBound emission = bound(slot, o);
        if (emission.payloads == 0)
            continue;
        const MapSummary& map = m_maps[slot.outputMaps[o]];
        Pool& pool = pools[outputs[o].budgetPool];
        pool.payloads = emission.payloads;
        pool.runs = std::min(pool.runs + emission.runs, emission.payloads);
        pool.stride = std::max(pool.stride, map.stride);
        pool.padding = std::max(pool.padding, map.padding);
    }
    uint64_t total = 0;
    for (const Pool& pool : pools) {
        // Each payload in a run of its own is the worst that can happen; mostly the number of runs says more.
        const uint64_t apart = pool.payloads * divideUp(pool.stride, abi::kGranuleBytes);
        const uint64_t inRuns = (pool.payloads * pool.stride + pool.runs * pool.padding) / abi::kGranuleBytes;
        total += std::min(apart, inRuns);
    }
    return total;
}

// The most that one of the node's workgroups appends to any one stream.
uint64_t Budgets::entries(const Slot& slot)
{
    const std::vector<NodeOutput>& outputs = m_graph.nodes[slot.node].declared.outputs;
    std::vector<size_t> emitting;
    for (size_t o = 0; o < outputs.size(); ++o)
        if (bound(slot, o).payloads > 0)
            emitting.push_back(o);
    if (emitting.empty())
        return 0;
    if (emitting.size() == 1)
        return entriesOfOne(bound(slot, emitting[0]), m_maps[slot.outputMaps[emitting[0]]]);

    // Several outputs may lead to the same queue.
    std::ranges::stable_sort(emitting, {}, [&](size_t o) { return outputs[o].budgetPool; });
    for (auto it = emitting.begin(); it != emitting.end();) {
        const uint32_t pool = outputs[*it].budgetPool;
        const auto end = std::find_if(it, emitting.end(), [&](size_t o) { return outputs[o].budgetPool != pool; });
        const uint64_t budget = outputs[pool].budget;
        for (auto o = it; o != end; ++o) {
            const EmissionBound emission = bound(slot, *o);
            for (uint32_t q : m_graph.receiversOf(slot, *o))
                m_poolRuns[q] += emission.runsToOneQueue;
        }
        for (auto o = it; o != end; ++o) {
            for (uint32_t q : m_graph.receiversOf(slot, *o)) {
                if (m_poolRuns[q] == 0)
                    continue;
                m_entries[q].indexed += std::min(m_poolRuns[q], budget);
                m_entries[q].dynamic += budget;
                m_poolRuns[q] = 0;
            }
        }
        it = end;
    }
    uint64_t most = 0;
    for (size_t o : emitting) {
        for (uint32_t q : m_graph.receiversOf(slot, o)) {
            for (uint32_t stream : m_graph.queues[q].streams) {
                const bool isIndexed = m_graph.streams[stream].kind == abi::kStreamIndexed;
                most = std::max(most, isIndexed ? m_entries[q].indexed : m_entries[q].dynamic);
            }
            m_entries[q] = {};
        }
    }
    return most;
}

// Where everything fits, a chunk publishes once for each queue or area.
void Budgets::budgetWhereItFits(Slot& slot, const Node& node)
{
    slot.fitGranulesPerGroup = slot.granulesPerGroup;
    slot.fitEntriesPerGroup = slot.entriesPerGroup;
    const CodeTraits& code = m_graph.code[slot.node];
    if (code.emits == abi::kEmitsToFew)
        slot.fitGranulesPerGroup = makeAreas(m_graph, slot) * std::max(node.decided.packWidth, 1u);
    if (code.sendsGrids())
        return;
    if (code.emits == abi::kEmitsToOne)
        slot.fitEntriesPerGroup = std::min(slot.entriesPerGroup, 1u);
    else if (code.emits == abi::kEmitsToFew)
        slot.fitEntriesPerGroup = std::min(slot.entriesPerGroup, static_cast<uint32_t>(slot.areas.size()));
}

Status Budgets::run()
{
    summarize();
    std::vector<const Slot*> computed(m_graph.nodes.size(), nullptr);  // per node: the slot seen last
    for (Slot& slot : m_graph.slots) {
        const Node& node = m_graph.nodes[slot.node];
        // Slots of a node differ in their own queues alone, which are all alike, and at the leaf have none.
        const Slot* like = std::exchange(computed[slot.node], &slot);
        if (like && ((like->remaining > 0 && slot.remaining > 0) || like->outputMaps == slot.outputMaps)) {
            slot.granulesPerGroup = like->granulesPerGroup;
            slot.entriesPerGroup = like->entriesPerGroup;
            slot.fitGranulesPerGroup = like->fitGranulesPerGroup;
            slot.fitEntriesPerGroup = like->fitEntriesPerGroup;
            if (m_graph.code[slot.node].emits == abi::kEmitsToFew)
                makeAreas(m_graph, slot);
            continue;
        }
        const uint64_t width = std::max(node.decided.packWidth, 1u);
        const uint64_t granulesPerGroup = saturatingMultiply(granules(slot), width);
        const uint64_t entriesPerGroup = saturatingMultiply(entries(slot), width);
        if (granulesPerGroup > UINT32_MAX || entriesPerGroup > kMaxStreamEntries) {
            return diagnose(node.declared, "one workgroup may enqueue " +
                                               std::to_string(granulesPerGroup / ((1u << 20) / abi::kGranuleBytes)) +
                                               " MiB in " + std::to_string(entriesPerGroup) +
                                               " pieces, which is too much");
        }
        slot.granulesPerGroup = static_cast<uint32_t>(granulesPerGroup);
        slot.entriesPerGroup = static_cast<uint32_t>(entriesPerGroup);
        budgetWhereItFits(slot, node);
    }
    return {};
}

}  // namespace

EmissionBound emissionBound(const Node& node, const NodeOutput& output, uint32_t targets)
{
    EmissionBound bound;
    const uint64_t budget = node.declared.outputs[output.budgetPool].budget;
    if (targets == 0 || output.allocationSites == 0)
        return bound;
    const uint64_t executions = output.allocatesInLoop ? budget : output.allocationSites;
    const uint64_t invocations =
        output.perInvocation ? saturatingMultiply(uint64_t(node.declared.localSize[0]) * node.declared.localSize[1],
                                                  node.declared.localSize[2])
                             : 1;
    // Side by side with others, nothing keeps the invocations of a workgroup together: each may make runs of its own.
    const bool isApart = node.decided.packWidth > 0;
    const uint64_t runsAtOnce = isApart ? invocations : std::min<uint64_t>(targets, invocations);
    bound.payloads = budget;
    bound.runs = std::min(budget, saturatingMultiply(executions, runsAtOnce));
    bound.runsToOneQueue = std::min(budget, isApart ? bound.runs : executions);
    return bound;
}

uint32_t inputBytes(const NodeDeclaration& node)
{
    // indexNames() has written the implicit payload into payloadBytes.
    return node.declaresPayload || node.mode == LaunchMode::Dynamic ? node.payloadBytes : 0;
}

uint32_t maxGroupsPerPayload(const NodeDeclaration& node)
{
    if (!node.declaresMaxGrid)
        return kMaxGroups;
    uint64_t groups = 1;
    for (uint32_t size : node.maxGrid)
        groups *= std::min(size, kMaxGroupsPerDimension);
    return static_cast<uint32_t>(std::min<uint64_t>(groups, kMaxGroups));
}

namespace {

// What a queue's payloads have to have room for.
struct Payload {
    uint32_t bytes = 0;
    uint32_t alignment = 4;

    void include(uint32_t otherBytes, uint32_t otherAlignment = 4)
    {
        bytes = std::max(bytes, otherBytes);
        alignment = std::max({alignment, otherAlignment, payloadAlignment(otherBytes)});
    }
    void include(const Payload& other)
    {
        bytes = std::max(bytes, other.bytes);
        alignment = std::max(alignment, other.alignment);
    }
};

}  // namespace

Status computeStrides(Graph& graph)
{
    // A producer writes what it declares, which may be more than the receiver reads. Both rely on payloadAlignment().
    std::vector<Payload> payloads(graph.queues.size());
    for (const Slot& slot : graph.slots)
        payloads[slot.queue].include(inputBytes(graph.nodes[slot.node].declared),
                                     graph.nodes[slot.node].declared.payloadAlignment);
    std::vector<Payload> sent(graph.maps.size());
    for (const Slot& slot : graph.slots) {
        const std::vector<NodeOutput>& outputs = graph.nodes[slot.node].declared.outputs;
        for (size_t o = 0; o < outputs.size(); ++o)
            sent[slot.outputMaps[o]].include(outputs[o].payloadBytes);
    }
    for (size_t m = 0; m < sent.size(); ++m)
        for (const uint32_t q : graph.receivers[m])
            payloads[q].include(sent[m]);
    for (size_t q = 0; q < payloads.size(); ++q) {
        Queue& queue = graph.queues[q];
        uint64_t end = roundUp(payloads[q].bytes, 4);
        queue.finishOffset = static_cast<uint32_t>(end);
        queue.finishCount = 0;
        for (uint32_t s : queue.slots) {
            const Node& node = graph.nodes[graph.slots[s].node];
            if (!node.declared.usesFinishWriting)
                continue;
            graph.slots[s].finishOffset = static_cast<uint32_t>(end);
            end += 4;
            ++queue.finishCount;
        }
        const Slot& base = graph.slots[queue.baseSlot];
        const Node& owner = graph.nodes[base.node];
        if (owner.decided.depthFirst > 0 && base.remaining < owner.declared.maxRecursion) {
            queue.remainingOffset = static_cast<uint32_t>(end);
            end += 4;
        }
        end = roundUp(end, payloads[q].alignment);
        if (end > kMaxStride) {
            return diagnose(
                graph.nodes[graph.slots[queue.baseSlot].node].declared,
                "its payloads need " + std::to_string(end) + " bytes each, more than " + std::to_string(kMaxStride));
        }
        queue.stride = static_cast<uint32_t>(end);
    }
    for (Slot& slot : graph.slots)
        if (graph.nodes[slot.node].decided.depthFirst > 0 && slot.remaining > 0)
            slot.leftOffset = graph.queues[slot.queue + 1].remainingOffset;  // createSlots(): the next is the one below
    return {};
}

Status computeBudgets(Graph& graph)
{
    return Budgets(graph).run();
}

}  // namespace millrace::graph
