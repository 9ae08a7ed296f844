// SPDX-License-Identifier: Apache-2.0
#include "graph/work.h"

#include <algorithm>

#include "graph/budgets.h"
#include "graph/saturating.h"

namespace millrace::graph {
namespace {

bool operator==(const GridMember& a, const GridMember& b)
{
    return a.offsetBytes == b.offsetBytes && a.components == b.components && a.componentBytes == b.componentBytes;
}

class Propagation {
public:
    explicit Propagation(const Graph& graph) : m_graph(graph), m_api(graph.queues.size()), m_emitted(graph.maps.size())
    {
        m_work.queues.resize(graph.queues.size());
        m_work.levels.resize(graph.levels.size());
        m_work.groups.resize(graph.slots.size());
        m_work.granules.resize(graph.slots.size());
        m_work.levels[0].granulesPerGroup = feedChunkGranules(graph);
        m_work.levels[0].entriesPerGroup = abi::kFeedChunkPayloads;
    }

    void feedAnything()
    {
        for (uint32_t queue : m_graph.apiQueues)
            if (queue != abi::kNoQueue)
                feed(queue, kUnlimited, 1, std::nullopt);
    }

    void feed(const KnownInput& input)
    {
        // feed.comp drops and reports what is not an entry.
        if (input.node < m_graph.apiQueues.size() && m_graph.apiQueues[input.node] != abi::kNoQueue)
            feed(m_graph.apiQueues[input.node], input.payloadCount, input.infoCount, input.groupCount);
    }

    Work run()
    {
        for (uint32_t level = 1; level < m_graph.levels.size(); ++level) {
            for (uint32_t slot : m_graph.levels[level].slots)
                runSlot(level, slot);
            deliver(level);
        }
        return std::move(m_work);
    }

private:
    // What the API feeds to a queue.
    struct Api {
        uint64_t payloads = 0;
        uint64_t payloadsOfUnknownGrid = 0;
        uint64_t groups = 0;  // of the others
    };
    // What the slots of one level emit through a node map, to each of its queues.
    struct Emitted {
        uint64_t payloads = 0;
        uint64_t runs = 0;
        uint64_t longestRun = 0;
    };

    void feed(uint32_t q, uint64_t payloads, uint64_t infos, std::optional<uint64_t> groups)
    {
        if (payloads == 0)
            return;
        Api& api = m_api[q];
        api.payloads = saturatingAdd(api.payloads, payloads);
        if (groups)
            api.groups = saturatingAdd(api.groups, *groups);
        else
            api.payloadsOfUnknownGrid = saturatingAdd(api.payloadsOfUnknownGrid, payloads);

        // A chunk belongs to one input, and each is a run.
        const uint64_t chunks = payloads == kUnlimited
                                    ? kUnlimited
                                    : std::min(payloads, divideUp(payloads, abi::kFeedChunkPayloads) + infos - 1);
        const uint64_t stride = m_graph.queues[q].stride;
        Work::OfLevel& level = m_work.levels[0];
        level.granules = saturatingAdd(level.granules, fedGranules(payloads, infos, stride));
        level.reservedGranules =
            saturatingAdd(level.reservedGranules, saturatingMultiply(chunks, level.granulesPerGroup));
        level.reservedEntries = saturatingAdd(level.reservedEntries, saturatingMultiply(chunks, level.entriesPerGroup));
        receive(q, 0, {payloads, chunks, abi::kFeedChunkPayloads});
    }

    // The payloads of each info end with a granule; those of its chunks but the last do so anyway.
    static uint64_t fedGranules(uint64_t payloads, uint64_t infos, uint64_t stride)
    {
        const uint64_t bytes = saturatingMultiply(payloads, stride);
        if (bytes == 0 || payloads == kUnlimited)
            return bytes;
        return saturatingAdd(divideUp(bytes, abi::kGranuleBytes), std::min(infos, payloads) - 1);
    }

    void receive(uint32_t q, uint32_t level, const Emitted& emitted)
    {
        Work::OfQueue& queue = m_work.queues[q];
        queue.payloads = saturatingAdd(queue.payloads, emitted.payloads);
        queue.runs = saturatingAdd(queue.runs, emitted.runs);
        queue.longestRun = std::max(queue.longestRun, emitted.longestRun);
        queue.sources.set(level);
    }

    // Workgroups of a slot whose grid comes with the payload.
    uint64_t dynamicGroups(const Slot& slot) const
    {
        const Node& node = m_graph.nodes[slot.node];
        const Queue& queue = m_graph.queues[slot.queue];
        const Node& base = m_graph.nodes[m_graph.slots[queue.baseSlot].node];
        const Api& api = m_api[slot.queue];
        const uint64_t most = maxGroupsPerPayload(node.declared);
        uint64_t unknown = m_work.queues[slot.queue].payloads;
        uint64_t groups = 0;
        // KnownInput::groupCount counts the base node's grids.
        if (base.declared.mode == LaunchMode::Dynamic && base.declared.grid == node.declared.grid &&
            unknown != kUnlimited) {
            unknown -= api.payloads - api.payloadsOfUnknownGrid;
            groups = api.groups;
        }
        return saturatingAdd(groups, saturatingMultiply(unknown, most));
    }

    // The node's workgroups, of which one of ours runs packWidth.
    uint64_t nodeGroups(const Slot& slot) const
    {
        const Node& node = m_graph.nodes[slot.node];
        const uint64_t payloads = m_work.queues[slot.queue].payloads;
        if (node.declared.mode == LaunchMode::Dynamic)
            return dynamicGroups(slot);
        if (node.declared.mode == LaunchMode::Static) {
            const uint64_t grid =
                uint64_t(node.declared.staticGrid[0]) * node.declared.staticGrid[1] * node.declared.staticGrid[2];
            return saturatingMultiply(payloads, grid);
        }
        if (isPacked(node) || payloads == kUnlimited)
            return saturatingMultiply(payloads, node.decided.parts);
        return divideUp(payloads, std::max(node.declared.maxInputPayloads, 1u));
    }

    void runSlot(uint32_t level, uint32_t index)
    {
        const Slot& slot = m_graph.slots[index];
        const Node& node = m_graph.nodes[slot.node];
        const uint64_t inNodeGroups = m_work.queues[slot.queue].isLeft ? kUnlimited : nodeGroups(slot);
        if (inNodeGroups == 0)
            return;
        const uint64_t width = std::max(node.decided.packWidth, 1u);
        const uint64_t groups = inNodeGroups == kUnlimited ? kUnlimited : divideUp(inNodeGroups, width);
        m_work.groups[index] = groups;
        const uint64_t senders =
            node.declared.sendsWhenFinished ? std::min(inNodeGroups, m_work.queues[slot.queue].payloads) : inNodeGroups;
        m_work.granules[index] =
            node.decided.depthFirst > 0 ? 0 : saturatingMultiply(senders, slot.fitGranulesPerGroup / width);

        Work::OfLevel& work = m_work.levels[level];
        work.granules = saturatingAdd(work.granules, m_work.granules[index]);
        work.reservedGranules = saturatingAdd(work.reservedGranules, saturatingMultiply(groups, slot.granulesPerGroup));
        work.reservedEntries = saturatingAdd(work.reservedEntries, saturatingMultiply(groups, slot.entriesPerGroup));
        work.granulesPerGroup = std::max(work.granulesPerGroup, slot.granulesPerGroup);
        work.entriesPerGroup = std::max(work.entriesPerGroup, slot.entriesPerGroup);
        if (node.decided.depthFirst > 0) {
            leave(level, slot);
            return;
        }
        for (size_t o = 0; o < node.declared.outputs.size(); ++o) {
            const uint32_t map = slot.outputMaps[o];
            const EmissionBound bound = emissionBound(node, node.declared.outputs[o], m_graph.maps[map].mapCount);
            if (bound.payloads == 0)
                continue;
            Emitted& emitted = m_emitted[map];
            if (emitted.payloads == 0)
                m_emitting.push_back(map);
            emitted.payloads = saturatingAdd(emitted.payloads, saturatingMultiply(senders, bound.payloads));
            const uint64_t runs = saturatingMultiply(senders, bound.runsToOneQueue);
            const uint32_t emits = m_graph.code[slot.node].emits;
            const bool publishesOnce = emits == abi::kEmitsToOne || emits == abi::kEmitsToFew;
            emitted.runs = saturatingAdd(emitted.runs, publishesOnce ? std::min(runs, groups) : runs);
            emitted.longestRun = std::max(emitted.longestRun, bound.payloads * width);
        }
    }

    // How many slots of a node that recurses depth first leave payloads to the next. Once for each time that the first
    // slot's payloads have to multiply by what becomes of one until they keep the device busy, and twice for those
    // whose trees are larger than others, or once where neighbours share such trees. On an H200, 60,000 inputs of W13
    // take 500 us with two, 633 with three and 640 with five, 1,000 of them 176, 112, 106 and 110 with two to five, and
    // one 614, 274, 148 and 113; each slot without work takes 4. Shared, they take 300 us with one, 94 with two and 93
    // with two.
    uint64_t leavingSlots(const Node& node, uint32_t topQueue) const
    {
        const bool isShared = node.decided.sharers > 1;
        // An invocation keeps 32 (nodes/fusion/depth_first.cpp); those that share run more levels in a slot as well.
        const uint64_t kept = isShared ? 65536 : 32;
        constexpr uint64_t kNodesSend = 16;  // of as many payloads as nodes may send, one comes at least
        const uint64_t bound = m_work.queues[topQueue].payloads;
        if (bound == kUnlimited)
            return node.declared.maxRecursion;
        const uint64_t known = m_api[topQueue].payloads;
        uint64_t slots = isShared ? 1 : 2;
        for (uint64_t reached = 2 * std::max(known + (bound - known) / kNodesSend, uint64_t{1});
             reached < node.decided.busyPayloads; reached *= kept)
            ++slots;
        return slots;
    }

    // Recursion depth first needs no memory, but leaves payloads to the next slot where there is some.
    void leave(uint32_t level, const Slot& slot)
    {
        const Node& node = m_graph.nodes[slot.node];
        const uint32_t before = node.declared.maxRecursion - slot.remaining;
        if (before >= leavingSlots(node, slot.queue - before))  // createSlots(): the node's queues follow each other
            return;
        for (const uint32_t q : m_graph.receiversOf(slot, 0)) {
            m_work.levels[level].leaves = true;
            m_work.queues[q].isLeft = true;
            m_work.queues[q].sources.set(level);
        }
    }

    // Any queue of a map may get everything. Consumers are on deeper levels, so nothing is missing when they run.
    void deliver(uint32_t level)
    {
        for (uint32_t m : m_emitting) {
            for (const uint32_t q : m_graph.receivers[m])
                receive(q, level, m_emitted[m]);
            m_emitted[m] = {};
        }
        m_emitting.clear();
    }

    const Graph& m_graph;
    Work m_work;
    std::vector<Api> m_api;          // per queue
    std::vector<Emitted> m_emitted;  // per Graph::maps, of the current level
    std::vector<uint32_t> m_emitting;
};

}  // namespace

Work worstCase(const Graph& graph, std::optional<std::span<const KnownInput>> inputs)
{
    Propagation propagation(graph);
    if (inputs)
        for (const KnownInput& input : *inputs)
            propagation.feed(input);
    else
        propagation.feedAnything();
    return propagation.run();
}

uint32_t feedChunkGranules(const Graph& graph)
{
    uint32_t stride = 0;
    for (uint32_t queue : graph.apiQueues)
        if (queue != abi::kNoQueue)
            stride = std::max(stride, graph.queues[queue].stride);
    return abi::kFeedChunkPayloads * stride / abi::kGranuleBytes;
}

}  // namespace millrace::graph
