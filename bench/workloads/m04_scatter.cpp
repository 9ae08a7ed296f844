// SPDX-License-Identifier: Apache-2.0
// M4: payloads to 1 to 1024 nodes, with neighbours that agree (blocks of R x R) or not.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Picture {
    uint32_t width, height;  // multiples of 64 and of 16
    uint32_t pixels() const { return width * height; }
};

struct Values {
    VkDeviceAddress keys, results, queues, firsts, work, counters, nextCounters;
};

class Scatter {
public:
    Scatter(Bench& bench, const Picture& picture, uint32_t nodes);
    void measure(uint32_t side);

private:
    Definitions definitions() const
    {
        return {{"WIDTH", text(m_picture.width)}, {"HEIGHT", text(m_picture.height)}, {"NODES", text(m_nodes)}};
    }
    Definitions gather() const
    {
        Definitions all = definitions();
        all.emplace_back("GATHER", "");
        return all;
    }
    // Uploads keys and where each node's queue begins; returns the number of workgroups of the second pass.
    uint32_t prepare(uint32_t side);
    void byHand(VkCommandBuffer cmd, uint32_t workgroups);

    Bench& m_bench;
    Picture m_picture;
    uint32_t m_nodes;
    Output m_results;
    Memory m_keys, m_queues, m_firsts, m_work;
    Memory m_counters[2];
    uint32_t m_run = 0;
    Graph m_graph;
    Kernel m_scatter, m_gather;
};

Scatter::Scatter(Bench& bench, const Picture& picture, uint32_t nodes)
    : m_bench(bench),
      m_picture(picture),
      m_nodes(nodes),
      m_results(bench.device(), std::vector<uint32_t>(picture.pixels())),
      m_keys(bench.device(), VkDeviceSize{picture.pixels()} * 4),
      m_queues(bench.device(), VkDeviceSize{picture.pixels()} * 8),
      m_firsts(bench.device(), VkDeviceSize{nodes} * 8),
      m_work(bench.device(), VkDeviceSize{picture.pixels() / 256 + nodes + 1024} * 16),
      m_counters{{bench.device(), VkDeviceSize{nodes} * 128}, {bench.device(), VkDeviceSize{nodes} * 128}},
      m_graph(bench.device(),
              {{"m04/scatter", "scatter", definitions()}, {"m04/gather", "gather", definitions(), nodes}}, 16),
      m_scatter(bench.device(), "m04/by_hand", sizeof(Values), definitions()),
      m_gather(bench.device(), "m04/by_hand", sizeof(Values), gather())
{
    m_graph.setArguments(argumentsOf(std::array{m_keys.address(), m_results.address()}));
    m_graph.setLaunches({harness::launchWords("scatter", 0, 1, {})});
    bench.submit([&](VkCommandBuffer cmd) {
        m_counters[0].fill(cmd, 0);
        m_counters[1].fill(cmd, 0);
    });
}

uint32_t Scatter::prepare(uint32_t side)
{
    std::vector<uint32_t> keys(m_picture.pixels()), expected(m_picture.pixels()), counts(m_nodes);
    for (uint32_t i = 0; i < keys.size(); ++i) {
        const uint32_t x = i % m_picture.width, y = i / m_picture.width;
        keys[i] = mix32(x / side * 7919u + y / side * 104729u) % m_nodes;
        expected[i] = mix32(i) + keys[i];
        ++counts[keys[i]];
    }
    std::vector<uint32_t> firsts, work;
    uint32_t first = 0;
    for (uint32_t node = 0; node < m_nodes; ++node) {
        firsts.insert(firsts.end(), {first, counts[node]});
        for (uint32_t at = 0; at < counts[node]; at += 256)
            work.insert(work.end(), {node, first + at, std::min(256u, counts[node] - at), 0});
        first += counts[node];
    }
    // The second pass is a rectangle of workgroups, the last of which have no items.
    const auto workgroups = static_cast<uint32_t>(work.size() / 4);
    work.resize(m_work.size() / 4);
    m_keys.upload(keys);
    m_firsts.upload(firsts);
    m_work.upload(work);
    m_results.expect(std::move(expected));
    return workgroups;
}

void Scatter::byHand(VkCommandBuffer cmd, uint32_t workgroups)
{
    const Values values{m_keys.address(),
                        m_results.address(),
                        m_queues.address(),
                        m_firsts.address(),
                        m_work.address(),
                        m_counters[m_run % 2].address(),
                        m_counters[(m_run + 1) % 2].address()};
    ++m_run;
    m_scatter.dispatch(cmd, argumentsOf(values), m_picture.width / 64, m_picture.height / 16);
    computeBarrier(cmd);
    m_gather.dispatchRows(cmd, argumentsOf(values), workgroups);
}

void Scatter::measure(uint32_t side)
{
    const uint32_t workgroups = prepare(side);
    Case todo;
    todo.name = text(m_picture.pixels()) + " payloads, " + text(m_nodes) + " nodes, R = " + text(side);
    todo.scratchBytes = m_graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { m_results.clear(cmd); };
    todo.check = [&] { return m_results.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { m_graph.record(cmd); }},
        {Role::Hand, "queues of known capacity", [&](VkCommandBuffer cmd) { byHand(cmd, workgroups); }},
    };
    const CaseResult result = m_bench.measure(todo);
    m_bench.figure("a payload, " + todo.name, 1e3 * result.graph() / m_picture.pixels(), "ns");
}

}  // namespace

void scatter(Bench& bench)
{
    const auto picture = bench.pick(Picture{3840, 1760}, Picture{512, 512}, Picture{128, 128});
    for (uint32_t nodes : bench.pick<std::vector<uint32_t>>({1, 8, 111, 1024}, {1, 8, 111}, {1, 8})) {
        Scatter workload(bench, picture, nodes);
        for (uint32_t side : bench.pick<std::vector<uint32_t>>({1, 8, 24, 128}, {1, 24}, {1, 24}))
            workload.measure(side);
    }
    if (!bench.isSmall())
        Scatter(bench, {8192, 8192}, 111).measure(24);
}

}  // namespace millrace::bench
