// SPDX-License-Identifier: Apache-2.0
// W8: breadth-first search in a graph of very different degrees (R-MAT). Each level has a node for vertices of few,
// some and many neighbours.
#include <algorithm>
#include <memory>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kPart = 1024;  // neighbours, to a workgroup of a vertex of many

struct Network {
    std::vector<uint32_t> offsets;  // of each vertex in `neighbours`, and the end
    std::vector<uint32_t> neighbours;

    Network(uint32_t scale, uint32_t edgeFactor);
    uint32_t vertices() const { return static_cast<uint32_t>(offsets.size() - 1); }
    uint32_t degree(uint32_t vertex) const { return offsets[vertex + 1] - offsets[vertex]; }
};

// Both directions of random edges; the usual probabilities 0.57, 0.19, 0.19, 0.05.
Network::Network(uint32_t scale, uint32_t edgeFactor) : offsets((size_t{1} << scale) + 1)
{
    Random random(8);
    std::vector<std::pair<uint32_t, uint32_t>> edges(size_t{edgeFactor} << scale);
    for (auto& [a, b] : edges) {
        for (uint32_t i = 0; i < scale; ++i) {
            const uint32_t r = random.below(100);
            a = 2 * a + (r >= 76);
            b = 2 * b + ((r >= 57 && r < 76) || r >= 95);
        }
        ++offsets[a + 1];
        ++offsets[b + 1];
    }
    for (size_t i = 1; i < offsets.size(); ++i)
        offsets[i] += offsets[i - 1];
    neighbours.resize(2 * edges.size());
    std::vector<uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (const auto& [a, b] : edges) {
        neighbours[next[a]++] = b;
        neighbours[next[b]++] = a;
    }
}

struct Reference {
    std::vector<uint32_t> distances;
    uint32_t levels = 0;  // largest distance
    uint64_t edges = 0;   // looked at

    Reference(const Network& network, uint32_t source) : distances(network.vertices(), ~0u)
    {
        std::vector<uint32_t> now{source};
        distances[source] = 0;
        while (true) {
            std::vector<uint32_t> next;
            for (uint32_t vertex : now)
                for (uint32_t i = network.offsets[vertex]; i < network.offsets[vertex + 1]; ++i) {
                    const uint32_t other = network.neighbours[i];
                    ++edges;
                    if (distances[other] == ~0u) {
                        distances[other] = levels + 1;
                        next.push_back(other);
                    }
                }
            if (next.empty())
                return;
            ++levels;
            now = std::move(next);
        }
    }
};

struct Values {
    VkDeviceAddress distances, offsets, neighbours, from, to, counters;
    uint32_t room, level;
};

std::vector<Node> nodesFor(uint32_t levels, uint32_t groups)
{
    std::vector<Node> nodes;
    const char* const names[] = {"few", "some", "many"};
    for (uint32_t level = 0; level <= levels; ++level)
        for (uint32_t kind = 0; kind < 3; ++kind) {
            Definitions definitions{
                {"LEVEL", text(level)}, {"KIND", text(kind)}, {"PART", text(kPart)}, {"MANY_GROUPS", text(groups)}};
            if (level == levels)
                definitions.emplace_back("LAST", "");
            nodes.push_back({"w08/expand", names[kind], definitions, 1, {}, level});
        }
    return nodes;
}

class ByHand {
public:
    ByHand(harness::Device& device, const Network& network, const Reference& reference, Values values)
        : m_levels(reference.levels),
          m_values(values),
          m_lists{{device, VkDeviceSize{16} * network.vertices()}, {device, VkDeviceSize{16} * network.vertices()}},
          m_counters(device, VkDeviceSize{128} * 3 * (reference.levels + 2))
    {
        m_values.room = network.vertices();
        m_values.counters = m_counters.address();
        for (uint32_t kind = 0; kind < 3; ++kind)
            m_kernels.push_back(std::make_unique<Kernel>(device, "w08/by_hand", sizeof(Values),
                                                         Definitions{{"KIND", text(kind)}, {"PART", text(kPart)}}));
    }

    // The source is of some neighbours.
    void prepare(VkCommandBuffer cmd, uint32_t source) const
    {
        m_counters.fill(cmd, 0);
        const uint32_t one = 1;
        vkCmdUpdateBuffer(cmd, m_counters.handle(), 128, 4, &one);
        vkCmdUpdateBuffer(cmd, m_lists[0].handle(), VkDeviceSize{m_values.room} * 4, 4, &source);
        harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    }
    void record(VkCommandBuffer cmd, uint32_t grid) const
    {
        Values values = m_values;
        for (; values.level <= m_levels; ++values.level) {
            values.from = m_lists[values.level % 2].address();
            values.to = m_lists[(values.level + 1) % 2].address();
            for (const auto& kernel : m_kernels)
                kernel->dispatch(cmd, argumentsOf(values), grid);
            computeBarrier(cmd);
        }
    }

private:
    uint32_t m_levels;
    Values m_values;
    Memory m_lists[2];
    Memory m_counters;
    std::vector<std::unique_ptr<Kernel>> m_kernels;
};

}  // namespace

void breadthFirst(Bench& bench)
{
    const Network network(bench.pick(20u, 14u, 7u), 16);
    uint32_t source = 0, most = 0;
    for (uint32_t i = 0; i < network.vertices(); ++i)
        most = std::max(most, network.degree(i));
    while (network.degree(source) < 32 || network.degree(source) >= 1024)
        ++source;
    const Reference reference(network, source);
    harness::Device& device = bench.device();
    Output distances(device, reference.distances);
    const Memory offsets(device, network.offsets), neighbours(device, network.neighbours);
    Graph graph(device, nodesFor(reference.levels, groupsFor(most, kPart)), 24);
    graph.setArguments(argumentsOf(std::array{distances.address(), offsets.address(), neighbours.address()}));
    graph.setLaunches({harness::launchWords("some", 0, 1, {source})});
    const ByHand byHand(device, network, reference,
                        {distances.address(), offsets.address(), neighbours.address(), 0, 0, 0, 0, 0});
    Case todo;
    todo.name = "search, " + text(network.vertices()) + " vertices, " + text(reference.edges) + " edges, " +
                text(reference.levels + 1) + " levels";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) {
        distances.clear(cmd, ~0u);
        const uint32_t zero = 0;
        vkCmdUpdateBuffer(cmd, distances.handle(), VkDeviceSize{source} * 4, 4, &zero);
        byHand.prepare(cmd, source);
    };
    todo.check = [&] { return distances.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "three lists for each level",
         [&](VkCommandBuffer cmd) { byHand.record(cmd, bench.fullGrid() / 2); }},
    };
    const CaseResult result = bench.measure(todo);
    for (const Times& times : result.versions)
        bench.figure("edges, " + times.name, static_cast<double>(reference.edges) / times.median() * 1e-3, "G/s");
}

}  // namespace millrace::bench
