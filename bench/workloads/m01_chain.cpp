// SPDX-License-Identifier: Apache-2.0
// M1: what a level costs.
#include <map>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress from, to;
    uint32_t steps;
    uint32_t padding = 0;
};

class Chain {
public:
    Chain(Bench& bench, uint32_t inputs)
        : m_bench(bench),
          m_inputs(inputs),
          m_output(bench.device(), std::vector<uint32_t>(inputs)),
          m_first(bench.device(), seeds()),
          m_links{{bench.device(), VkDeviceSize{inputs} * 4}, {bench.device(), VkDeviceSize{inputs} * 4}},
          m_grid(bench.device(), {inputs, 1, 1}),
          m_level(bench.device(), "m01/level", sizeof(Values))
    {
    }

    CaseResult measure(uint32_t levels, const char* axis = "");

private:
    std::vector<uint32_t> seeds() const
    {
        std::vector<uint32_t> words(m_inputs);
        for (uint32_t i = 0; i < m_inputs; ++i)
            words[i] = mix32(i);
        return words;
    }
    std::vector<uint32_t> results(uint32_t levels) const
    {
        std::vector<uint32_t> words = seeds();
        for (uint32_t& word : words)
            for (uint32_t i = 0; i < levels; ++i)
                word = word * 1664525u + 1013904223u;
        return words;
    }
    void record(VkCommandBuffer cmd, uint32_t levels, bool isIndirect) const;

    Bench& m_bench;
    uint32_t m_inputs;
    Output m_output;
    Memory m_first;
    Memory m_links[2];
    Memory m_grid;
    Kernel m_level;
};

void Chain::record(VkCommandBuffer cmd, uint32_t levels, bool isIndirect) const
{
    for (uint32_t i = 0; i < levels; ++i) {
        const Values values{i == 0 ? m_first.address() : m_links[i % 2].address(),
                            i + 1 == levels ? m_output.address() : m_links[(i + 1) % 2].address(), 1};
        if (isIndirect)
            m_level.dispatchIndirect(cmd, argumentsOf(values), m_grid.handle(), 0);
        else
            m_level.dispatch(cmd, argumentsOf(values), m_inputs);
        if (isIndirect)
            indirectBarrier(cmd);
        else
            computeBarrier(cmd);
    }
}

CaseResult Chain::measure(uint32_t levels, const char* axis)
{
    Graph graph(m_bench.device(), {{"m01/chain", "chain", {}, 1, {{0, levels - 1}}}}, sizeof(VkDeviceAddress));
    graph.setArguments(argumentsOf(m_output.address()));
    std::vector<uint32_t> payloads;
    const std::vector<uint32_t> first = seeds();
    for (uint32_t i = 0; i < m_inputs; ++i)
        payloads.insert(payloads.end(), {i, first[i]});
    graph.setLaunches({harness::launchWords("chain", 0, m_inputs, payloads)});
    m_output.expect(results(levels));
    Case todo;
    todo.name = text(levels) + " levels, " + text(m_inputs) + " workgroups";
    todo.axis = axis;
    todo.x = levels;
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { m_output.clear(cmd); };
    todo.check = [&] { return m_output.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "direct", [&](VkCommandBuffer cmd) { record(cmd, levels, false); }},
        {Role::Hand, "indirect", [&](VkCommandBuffer cmd) { record(cmd, levels, true); }},
        {Role::Other, "one dispatch of loops",
         [&](VkCommandBuffer cmd) {
             const Values values{m_first.address(), m_output.address(), levels};
             m_level.dispatch(cmd, argumentsOf(values), m_inputs);
         }},
    };
    return m_bench.measure(todo);
}

}  // namespace

void chain(Bench& bench)
{
    const std::vector<uint32_t> depths = bench.pick<std::vector<uint32_t>>({1, 8, 32}, {1, 8, 32}, {1, 4});
    const std::vector<uint32_t> widths = bench.pick<std::vector<uint32_t>>({1, 64, 1024}, {1, 64}, {1, 8});
    for (uint32_t inputs : widths) {
        Chain workload(bench, inputs);
        std::vector<CaseResult> results;
        for (uint32_t levels : depths)
            results.push_back(workload.measure(levels));
        const CaseResult& deep = results.back();
        const CaseResult& flat = results[results.size() - 2];
        const uint32_t more = depths.back() - depths[depths.size() - 2];
        std::map<std::string, double> level;
        for (const char* version : {"graph", "direct", "indirect"}) {
            level[version] = (deep.of(version) - flat.of(version)) / more;
            bench.figure("a level, " + text(inputs) + " workgroups, " + version, level[version], "us");
        }
        bench.figure("a level, " + text(inputs) + " workgroups, graph / direct", level["graph"] / level["direct"], "");
    }
    if (bench.options().growth) {
        Chain workload(bench, 64);
        for (uint32_t levels = 1; levels <= 32; levels *= 2)
            workload.measure(levels, "levels");
    }
}

}  // namespace millrace::bench
