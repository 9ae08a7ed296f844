// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "abi/dispatch.h"
#include "graph/saturating.h"

namespace millrace::graph {
namespace {

class Simulation {
public:
    Simulation(const Graph& graph, const DispatchPlan& plan, Random& random, uint64_t payloadLimit)
        : m_graph(graph),
          m_plan(plan),
          m_random(random),
          m_payloadsLeft(payloadLimit),
          m_levels(graph.levels.size()),
          m_streams(graph.streams.size()),
          m_cursors(graph.slots.size())
    {
        m_result.groups.resize(graph.slots.size());
    }

    SimulationResult run(std::span<const KnownInput> inputs)
    {
        for (const KnownInput& input : inputs) {
            if (input.node >= m_graph.apiQueues.size() || m_graph.apiQueues[input.node] == abi::kNoQueue)
                continue;
            for (uint64_t i = 0; i < input.payloadCount; i += abi::kFeedChunkPayloads) {
                const uint64_t count = std::min<uint64_t>(input.payloadCount - i, abi::kFeedChunkPayloads);
                m_chunks.push_back({m_graph.apiQueues[input.node], static_cast<uint32_t>(count)});
            }
        }
        do {
            m_hasRun = false;
            sweep();
            ++m_result.sweeps;
            if (!m_hasRun && turn()) {
                ADD_FAILURE() << "a sweep made no progress";
                break;
            }
        } while (turn() && !testing::Test::HasFailure());
        return m_result;
    }

private:
    struct Chunk {
        uint32_t queue;
        uint32_t payloads;
    };
    struct LevelCounts {
        uint64_t reservedGranules = 0;
        uint64_t reservedEntries = 0;
        uint64_t used = 0;
    };
    struct StreamCounts {
        uint64_t entries = 0;
        uint64_t units = 0;
    };

    const Node& nodeOf(uint32_t slot) const { return m_graph.nodes[m_graph.slots[slot].node]; }

    uint64_t unitsOf(uint32_t slot) const
    {
        const Node& node = nodeOf(slot);
        const uint64_t units = m_streams[m_graph.slots[slot].stream].units;
        if (node.declared.mode != LaunchMode::Static)
            return units;
        return units * node.declared.staticGrid[0] * node.declared.staticGrid[1] * node.declared.staticGrid[2];
    }

    bool reserve(uint32_t level, uint64_t granules, uint64_t entries)
    {
        if (m_plan.fits)
            return true;
        LevelCounts& counts = m_levels[level];
        if (counts.reservedGranules + granules > m_plan.levels[level].size ||
            counts.reservedEntries + entries > m_plan.levels[level].entryQuota)
            return false;
        counts.reservedGranules += granules;
        counts.reservedEntries += entries;
        return true;
    }

    void sweep()
    {
        const uint64_t feedGranules = feedReservation();
        while (!m_chunks.empty() && reserve(0, feedGranules, abi::kFeedChunkPayloads)) {
            m_hasRun = true;
            m_publishesOnce = false;
            m_hasAreas = false;
            const uint64_t before = m_levels[0].used;
            publish(0, m_chunks.back().queue, m_chunks.back().payloads);
            m_chunks.pop_back();
            m_levels[0].reservedGranules -= feedGranules - (m_levels[0].used - before);
        }
        for (uint32_t slot : m_plan.slots)
            runSlot(slot);
        // What the plan does not list must have nothing to do.
        for (uint32_t slot = 0; slot < m_graph.slots.size(); ++slot)
            EXPECT_TRUE(unitsOf(slot) == 0 || std::ranges::count(m_plan.slots, slot) == 1);
    }

    uint64_t feedReservation() const
    {
        uint64_t stride = 0;
        for (uint32_t queue : m_graph.apiQueues)
            stride = std::max<uint64_t>(stride, queue == abi::kNoQueue ? 0 : m_graph.queues[queue].stride);
        return abi::kFeedChunkPayloads * stride / abi::kGranuleBytes;
    }

    void runSlot(uint32_t index)
    {
        const Slot& slot = m_graph.slots[index];
        const Node& node = nodeOf(index);
        const uint64_t perGroup = unitsPerGroup(node);
        const uint64_t total = unitsOf(index);
        while (m_cursors[index] < total && reserve(slot.level, slot.granulesPerGroup, slot.entriesPerGroup)) {
            const uint64_t units = std::min(perGroup, total - m_cursors[index]);
            m_cursors[index] += units;
            m_hasRun = true;
            ++m_result.groups[index];
            const uint64_t before = m_levels[slot.level].used;
            m_groupEntries.clear();
            m_areas.clear();
            m_joinedBytes.clear();
            m_publishesOnce = m_plan.fits && m_graph.code[slot.node].emits == abi::kEmitsToOne;
            m_hasAreas = m_plan.fits && m_graph.code[slot.node].emits == abi::kEmitsToFew;
            for (uint64_t i = 0; i < (node.decided.packWidth > 0 ? units : 1); ++i)
                emit(slot, node);
            const uint64_t granules = m_levels[slot.level].used - before;
            EXPECT_LE(granules, m_plan.fits ? slot.fitGranulesPerGroup : slot.granulesPerGroup);
            for (const auto& [stream, entries] : m_groupEntries)
                EXPECT_LE(entries, slot.entriesPerGroup);
            m_levels[slot.level].reservedGranules -= slot.granulesPerGroup - granules;
        }
    }

    // One of the node's workgroups.
    void emit(const Slot& slot, const Node& node)
    {
        std::vector<uint32_t> budgets;
        for (const NodeOutput& output : node.declared.outputs)
            budgets.push_back(draw(m_random, 0, 1) == 0 ? output.budget : draw(m_random, 0, output.budget));
        std::vector<uint32_t> sites;
        for (uint32_t o = 0; o < node.declared.outputs.size(); ++o)
            sites.insert(sites.end(), node.declared.outputs[o].allocationSites, o);
        std::shuffle(sites.begin(), sites.end(), m_random);
        for (uint32_t o : sites) {
            const uint32_t executions = node.declared.outputs[o].allocatesInLoop ? draw(m_random, 1, 8) : 1;
            for (uint32_t i = 0; i < executions; ++i)
                allocate(slot, node, o, budgets[node.declared.outputs[o].budgetPool]);
        }
    }

    // One executed allocation: in the worst cases one payload per invocation, each to another node.
    void allocate(const Slot& slot, const Node& node, uint32_t o, uint32_t& budget)
    {
        const std::span<const uint32_t> map = m_graph.queuesOf(slot, o);
        const uint32_t invocations = node.declared.outputs[o].perInvocation ? node.declared.localSize[0] : 1;
        const bool together = map.size() <= 256 && node.decided.packWidth == 0;
        std::map<uint32_t, uint32_t> sharedRuns;  // payloads by queue
        for (uint32_t i = 0; i < invocations && !map.empty(); ++i) {
            const uint32_t most = std::min<uint64_t>(budget, m_payloadsLeft);
            const uint32_t count = draw(m_random, 0, 1) == 0 ? std::min(most, 1u) : draw(m_random, 0, most);
            const uint32_t index = draw(m_random, 0, static_cast<uint32_t>(map.size() - 1));
            const uint32_t queue = map[index];
            if (queue == abi::kNoQueue || count == 0)
                continue;
            budget -= count;
            m_payloadsLeft -= count;
            m_joinsRun = m_hasAreas && !m_areas.insert({o, index}).second;
            m_area = {o, index};
            if (together && !m_hasAreas)
                sharedRuns[queue] += count;
            else
                publish(slot.level, queue, count);
            m_joinsRun = false;
        }
        for (const auto& [queue, count] : sharedRuns)
            publish(slot.level, queue, count);
    }

    void publish(uint32_t level, uint32_t q, uint32_t count)
    {
        const Queue& queue = m_graph.queues[q];
        LevelCounts& counts = m_levels[level];
        // What is published once lies there without gaps.
        uint64_t alone = 0;
        uint64_t& bytes = m_hasAreas ? m_joinedBytes[m_area] : m_publishesOnce ? m_joinedBytes[{}] : alone;
        counts.used -= divideUp(bytes, abi::kGranuleBytes);
        bytes += uint64_t(count) * queue.stride;
        counts.used += divideUp(bytes, abi::kGranuleBytes);
        EXPECT_LE(counts.used, m_plan.levels[level].size);
        for (uint32_t stream : queue.streams) {
            if (m_graph.streams[stream].kind == abi::kStreamIndexed) {
                append(stream, count);
                continue;
            }
            const Node& node = nodeOf(m_graph.streams[stream].slots.front());
            uint32_t most = 3;
            if (node.declared.declaresMaxGrid)
                most = node.declared.maxGrid[0] * node.declared.maxGrid[1] * node.declared.maxGrid[2];
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t groups = draw(m_random, 0, 2) == 0 ? draw(m_random, 0, most) : most;
                if (groups > 0)
                    append(stream, groups);
            }
        }
    }

    void append(uint32_t stream, uint64_t units)
    {
        m_streams[stream].units += units;
        // What a workgroup of ours sends to a single queue, or to an area, is one run.
        const bool isIndexed = m_graph.streams[stream].kind == abi::kStreamIndexed;
        if (isIndexed && (m_joinsRun || (m_publishesOnce && m_groupEntries[stream] > 0)))
            return;
        ++m_streams[stream].entries;
        ++m_groupEntries[stream];
        EXPECT_LE(m_streams[stream].entries, m_plan.streams[stream].capacity);
    }

    // turn.comp; returns whether work remains. Doing it twice changes nothing.
    bool turn()
    {
        bool remains = !m_chunks.empty();
        uint32_t deepest = 0;
        std::vector<bool> pending(m_streams.size());
        for (uint32_t slot = 0; slot < m_cursors.size(); ++slot) {
            if (m_cursors[slot] >= unitsOf(slot))
                continue;
            remains = true;
            pending[m_graph.slots[slot].stream] = true;
            deepest = std::max(deepest, m_graph.slots[slot].level);
        }
        for (uint32_t slot = 0; slot < m_cursors.size(); ++slot)
            if (!pending[m_graph.slots[slot].stream])
                m_cursors[slot] = 0;
        for (uint32_t stream = 0; stream < m_streams.size(); ++stream)
            if (!pending[stream])
                m_streams[stream] = {};
        for (uint32_t level = deepest; level < m_levels.size(); ++level)
            m_levels[level] = {};
        return remains;
    }

    const Graph& m_graph;
    const DispatchPlan& m_plan;
    Random& m_random;
    uint64_t m_payloadsLeft;
    std::vector<LevelCounts> m_levels;
    std::vector<StreamCounts> m_streams;
    std::vector<uint64_t> m_cursors;
    std::vector<Chunk> m_chunks;
    std::map<uint32_t, uint64_t> m_groupEntries;  // of the current workgroup of ours, by stream
    bool m_publishesOnce = false;                 // it does
    bool m_hasAreas = false;                      // it has, and used these: output and node index
    std::set<std::pair<uint32_t, uint32_t>> m_areas;
    bool m_joinsRun = false;                                          // what is published,
    std::pair<uint32_t, uint32_t> m_area;                             // where
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_joinedBytes;  // of what is published once
    bool m_hasRun = false;
    SimulationResult m_result;
};

}  // namespace

SimulationResult simulate(const Graph& graph, const DispatchPlan& plan, std::span<const KnownInput> inputs,
                          Random& random, uint64_t payloadLimit)
{
    return Simulation(graph, plan, random, payloadLimit).run(inputs);
}

}  // namespace millrace::graph
