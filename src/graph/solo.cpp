// SPDX-License-Identifier: Apache-2.0
#include "graph/solo.h"

#include <algorithm>
#include <string>

#include "graph/saturating.h"
#include "graph/work.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kAlignment = 128 / abi::kGranuleBytes;  // granules; a queue begins at a cache line
constexpr uint32_t kTurn = 32;                             // invocations from one slot of a level to the next
constexpr uint64_t kMostPayloads = 1 << 20;                // of a queue

Diagnostic failure(std::string message)
{
    return {"", "", std::move(message)};
}

class Planner {
public:
    Planner(const Graph& graph, const SoloShape& shape, std::span<const uint32_t> codeOfNode,
            std::span<const KnownInput> inputs, const SoloLimits& limits)
        : m_graph(graph),
          m_shape(shape),
          m_codeOfNode(codeOfNode),
          m_limits(limits),
          m_work(worstCase(graph, inputs)),
          m_fed(graph.queues.size(), 0),
          m_placeOfQueue(graph.queues.size(), 0)
    {
        for (const KnownInput& input : inputs)
            m_fed[graph.apiQueues[input.node]] += input.payloadCount;
        for (const Level& level : graph.levels) {
            for (uint32_t slot : level.slots)
                if (m_work.groups[slot] > 0)
                    m_slots.push_back(slot);
        }
    }

    Result<SoloPlan> run(uint64_t scratchAddress, uint64_t scratchBytes)
    {
        if (m_slots.empty())
            return failure("there is nothing to run");
        Status status = countRounds();
        if (status)
            status = placeQueues(scratchBytes);
        if (!status)
            return status.error();
        m_plan.table[abi::kSoloTrash] = trashLocation(m_graph, scratchAddress);
        writeSteps();
        if (m_plan.table.size() > abi::kSoloTableWords)
            return failure("its table has " + std::to_string(m_plan.table.size()) + " words, more than " +
                           std::to_string(abi::kSoloTableWords));
        return std::move(m_plan);
    }

private:
    const SoloCode& codeOf(uint32_t slot) const { return m_shape.codes[m_codeOfNode[m_graph.slots[slot].node]]; }

    uint32_t beside(uint32_t slot) const
    {
        const SoloCode& code = codeOf(slot);
        return code.runsBeside ? m_shape.invocations / code.invocations : 1;
    }

    // Workgroups of the node, at most and as they are expected (see kSoloRoundsPerLevel).
    struct Units {
        uint64_t most, likely;
    };
    Units unitsOf(uint32_t index) const
    {
        const Slot& slot = m_graph.slots[index];
        const Node& node = m_graph.nodes[slot.node];
        const Work::OfQueue& queue = m_work.queues[slot.queue];
        const uint64_t payloads = queue.payloads;
        if (node.mode == LaunchMode::Dynamic) {
            const uint64_t most = saturatingMultiply(m_work.groups[index], std::max(node.packWidth, 1u));
            const bool isKnown = queue.sources.count() == 1 && queue.sources.test(0);
            return {most, isKnown ? most : std::min(most, payloads)};
        }
        const uint64_t units =
            node.mode == LaunchMode::Static
                ? saturatingMultiply(payloads, uint64_t{node.staticGrid[0]} * node.staticGrid[1] * node.staticGrid[2])
                : divideUp(payloads, isPacked(node) ? 1 : std::max(node.maxInputPayloads, 1u));
        return {units, units};
    }

    Status countRounds()
    {
        uint64_t most = 0, likely = 0, levels = 0;
        uint32_t level = 0;
        for (uint32_t slot : m_slots) {
            const Units units = unitsOf(slot);
            most = saturatingAdd(most, divideUp(std::min<uint64_t>(units.most, UINT32_MAX), beside(slot)));
            likely = saturatingAdd(likely, divideUp(std::min<uint64_t>(units.likely, UINT32_MAX), beside(slot)));
            levels += m_graph.slots[slot].level != level ? 1 : 0;
            level = m_graph.slots[slot].level;
        }
        // Slots of one level overlap, so what counts is what is behind their first rounds.
        const uint64_t allowed = saturatingMultiply(m_limits.roundsPerLevel, levels) + m_slots.size() - levels;
        if (likely > allowed || most > m_limits.mostRounds)
            return failure("it may take one workgroup " + std::to_string(likely > allowed ? likely : most) +
                           " rounds, more than " + std::to_string(likely > allowed ? allowed : m_limits.mostRounds));
        return {};
    }

    bool hasGrids(uint32_t queue) const
    {
        return std::ranges::any_of(m_graph.queues[queue].streams, [&](uint32_t stream) {
            return m_graph.streams[stream].kind == abi::kStreamDynamic;
        });
    }

    Status placeQueues(uint64_t scratchBytes)
    {
        const uint64_t begin = fixedBytes(m_graph) / abi::kGranuleBytes;
        uint64_t fed = 0;
        for (size_t q = 0; q < m_fed.size(); ++q) {
            if (m_fed[q] == 0)
                continue;
            m_plan.fed.push_back({static_cast<uint32_t>(q), static_cast<uint32_t>(fed)});
            fed += divideUp(m_fed[q] * m_graph.queues[q].stride, abi::kGranuleBytes);
            if (fed > abi::kSoloGranules)
                return failure("its inputs have more than " + std::to_string(abi::kSoloGranules * abi::kGranuleBytes) +
                               " bytes");
        }
        m_plan.begin = static_cast<uint32_t>(begin);
        m_plan.fedGranules = static_cast<uint32_t>(fed);
        m_plan.table.assign(abi::kSoloHeaderWords, 0);
        m_plan.table[abi::kSoloQueues] = abi::kSoloHeaderWords;
        m_at = roundUp(begin + fed, kAlignment);
        for (uint32_t q = 0; q < m_graph.queues.size(); ++q) {
            if (const Status status = placeQueue(q); !status)
                return status;
        }
        if (m_at > std::min<uint64_t>(scratchBytes / abi::kGranuleBytes, UINT32_MAX))
            return failure("its payloads may take " + std::to_string(m_at * abi::kGranuleBytes) +
                           " bytes of scratch memory");
        return {};
    }

    // Those that cannot get payloads have a place as well: nodes may ask whether they are there.
    Status placeQueue(uint32_t q)
    {
        const Queue& queue = m_graph.queues[q];
        const uint64_t payloads = m_work.queues[q].payloads;
        if (payloads > kMostPayloads)
            return failure("a node may receive more than " + std::to_string(kMostPayloads) + " payloads");
        const uint64_t most =
            std::min<uint64_t>(abi::kSoloGridPayloads, uint64_t{m_shape.invocations} * abi::kSoloGridsEach);
        if (hasGrids(q) && payloads > most)
            return failure("a node whose grids come with payloads may receive more than " + std::to_string(most));
        std::vector<uint32_t>& words = m_plan.table;
        const size_t place = words.size();
        m_placeOfQueue[q] = static_cast<uint32_t>(place);
        words.resize(place + abi::kSoloQueueWords, 0);
        const auto fed = std::ranges::find(m_plan.fed, q, &SoloPlan::Fed::queue);
        words[place + abi::kSoloQueueCount] = static_cast<uint32_t>(m_fed[q]);
        words[place + abi::kSoloQueueFailed] = UINT32_MAX;
        words[place + abi::kSoloQueueCapacity] = static_cast<uint32_t>(payloads);
        words[place + abi::kSoloQueueStride] = queue.stride;
        words[place + abi::kSoloQueueFed] = static_cast<uint32_t>(m_fed[q]);
        words[place + abi::kSoloQueueFedAt] = m_plan.begin + (fed != m_plan.fed.end() ? fed->at : 0);
        words[place + abi::kSoloQueueAt] = static_cast<uint32_t>(std::min<uint64_t>(m_at, UINT32_MAX));
        words[place + abi::kSoloQueueFinish] = queue.finishOffset;
        words[place + abi::kSoloQueueFinishCount] = queue.finishCount;
        m_at += roundUp(divideUp((payloads - m_fed[q]) * queue.stride, abi::kGranuleBytes), kAlignment);
        return {};
    }

    void writeSteps()
    {
        std::vector<uint32_t>& words = m_plan.table;
        words[abi::kSoloSteps] = static_cast<uint32_t>(words.size());
        words[abi::kSoloStepCount] = static_cast<uint32_t>(m_slots.size());
        words.resize(words.size() + m_slots.size() * abi::kSoloStepWords, 0);
        uint32_t turn = 0;
        for (size_t s = 0; s < m_slots.size(); ++s) {
            const bool isNew = s > 0 && m_graph.slots[m_slots[s]].level != m_graph.slots[m_slots[s - 1]].level;
            turn = isNew ? 0 : turn + kTurn;
            const size_t at = words[abi::kSoloSteps] + s * abi::kSoloStepWords;
            writeStep(at, m_slots[s], isNew);
            if (beside(m_slots[s]) == m_shape.invocations)
                words[at + abi::kSoloStepTurn] = turn % m_shape.invocations;
        }
    }

    void writeStep(size_t at, uint32_t index, bool isNewLevel)
    {
        const Slot& slot = m_graph.slots[index];
        const Node& node = m_graph.nodes[slot.node];
        const uint32_t outputs = writeOutputs(slot);
        uint32_t* step = m_plan.table.data() + at;
        step[abi::kSoloStepCode] = m_codeOfNode[slot.node];
        step[abi::kSoloStepNewLevel] = isNewLevel ? 1 : 0;
        step[abi::kSoloStepQueue] = m_placeOfQueue[slot.queue];
        step[abi::kSoloStepSize] = codeOf(index).invocations;
        step[abi::kSoloStepBeside] = beside(index);
        step[abi::kSoloStepUnits] = 1;
        step[abi::kSoloStepRemaining] = slot.remaining;
        step[abi::kSoloStepShader] = node.id.index;
        step[abi::kSoloStepName] = m_graph.ownerOf(slot);
        step[abi::kSoloStepFinish] = slot.finishOffset;
        step[abi::kSoloStepOutputs] = outputs;
        switch (node.mode) {
            case LaunchMode::Static:
                step[abi::kSoloStepKind] = abi::kKindStatic;
                step[abi::kSoloStepUnits] = node.staticGrid[0] * node.staticGrid[1] * node.staticGrid[2];
                std::copy_n(node.staticGrid, 3, step + abi::kSoloStepGrid);
                break;
            case LaunchMode::Dynamic:
                step[abi::kSoloStepKind] = abi::kKindDynamic;
                writeGrid(step, streamInfo(m_graph, m_graph.streams[slot.stream]));
                break;
            case LaunchMode::Coalescing:
                step[abi::kSoloStepKind] = isPacked(node) ? abi::kKindPacked : abi::kKindCoalescing;
                step[abi::kSoloStepUnits] = isPacked(node) ? 1 : std::max(node.maxInputPayloads, 1u);
                break;
        }
    }

    static void writeGrid(uint32_t* step, const abi::StreamInfo& stream)
    {
        step[abi::kSoloStepGrid] = stream.maxX;
        step[abi::kSoloStepGrid + 1] = stream.maxY;
        step[abi::kSoloStepGrid + 2] = stream.maxZ;
        step[abi::kSoloStepMaxGroups] = stream.maxGroups;
        step[abi::kSoloStepGridOffset] = stream.gridOffset;
        step[abi::kSoloStepGridParts] = stream.gridComponents | stream.gridComponentBytes << 16;
    }

    uint32_t writeOutputs(const Slot& slot)
    {
        std::vector<uint32_t> outputs;
        for (uint32_t map : slot.outputMaps) {
            outputs.push_back(placeOfMap(map));
            outputs.push_back(m_graph.maps[map].mapCount);
        }
        const auto place = static_cast<uint32_t>(m_plan.table.size());
        m_plan.table.insert(m_plan.table.end(), outputs.begin(), outputs.end());
        return place;
    }

    uint32_t placeOfMap(uint32_t map)
    {
        const auto known = std::ranges::find(m_maps, map, &Map::map);
        if (known != m_maps.end())
            return known->place;
        const abi::OutputInfo& info = m_graph.maps[map];
        m_maps.push_back({map, static_cast<uint32_t>(m_plan.table.size())});
        for (uint32_t i = 0; i < info.mapCount; ++i) {
            const uint32_t queue = m_graph.nodeMap[info.mapFirst + i];
            m_plan.table.push_back(queue == abi::kNoQueue ? abi::kNoQueue : m_placeOfQueue[queue]);
        }
        return m_maps.back().place;
    }

    struct Map {
        uint32_t map, place;
    };

    const Graph& m_graph;
    const SoloShape& m_shape;
    const std::span<const uint32_t> m_codeOfNode;
    const SoloLimits m_limits;
    const Work m_work;
    std::vector<uint64_t> m_fed;           // per queue, payloads
    std::vector<uint32_t> m_placeOfQueue;  // in the table
    std::vector<uint32_t> m_slots;         // that can run, in order of level
    std::vector<Map> m_maps;
    uint64_t m_at = 0;  // granule behind the last queue
    SoloPlan m_plan;
};

}  // namespace

Result<SoloPlan> planSolo(const Graph& graph, const SoloShape& shape, std::span<const uint32_t> codeOfNode,
                          std::span<const KnownInput> inputs, uint64_t scratchAddress, uint64_t scratchBytes,
                          const SoloLimits& limits)
{
    return Planner(graph, shape, codeOfNode, inputs, limits).run(scratchAddress, scratchBytes);
}

}  // namespace millrace::graph
