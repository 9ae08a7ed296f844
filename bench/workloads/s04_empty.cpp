// SPDX-License-Identifier: Apache-2.0
// S4: the published emulation's test of empty payloads: 72 from each input to 14 nodes, each of which counts in one
// word. Its coalescing nodes are single-invocation nodes here.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Target {
    const char* name;
    uint32_t index, count;
};

constexpr Target kTargets[] = {{"a", 0, 5}, {"b", 0, 5}, {"c", 0, 4}, {"c", 1, 6}, {"d", 0, 4},
                               {"d", 1, 6}, {"e", 1, 3}, {"e", 3, 2}, {"f", 1, 3}, {"f", 3, 2},
                               {"g", 7, 9}, {"g", 8, 7}, {"h", 7, 9}, {"h", 8, 7}};

struct Values {
    VkDeviceAddress counts;
    uint32_t place, count;
};

void measure(Bench& bench, uint32_t inputs)
{
    harness::Device& device = bench.device();
    std::vector<uint32_t> expected;
    std::vector<Node> nodes{{"s04/entry", "entry"}};
    for (const Target& target : kTargets) {
        nodes.push_back({"s04/count", target.name, {{"PLACE", text(expected.size())}}, 1, {}, target.index, "count"});
        expected.push_back(inputs * target.count);
    }
    Output counts(device, expected);
    Graph graph(device, nodes, 8);
    graph.setArguments(argumentsOf(counts.address()));
    graph.setLaunches({harness::launchWords("entry", 0, inputs, {})});
    const Kernel kernel(device, "s04/by_hand", sizeof(Values));
    Case todo;
    todo.name = text(inputs) + " inputs, 72 payloads each";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { counts.clear(cmd, 0); };
    todo.check = [&] { return counts.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "14 dispatches",
         [&](VkCommandBuffer cmd) {
             for (uint32_t i = 0; i < std::size(kTargets); ++i) {
                 const Values values{counts.address(), i, inputs * kTargets[i].count};
                 kernel.dispatchRows(cmd, argumentsOf(values), groupsFor(values.count, 256));
             }
         }},
    };
    bench.measure(todo);
}

}  // namespace

void emptyPayloads(Bench& bench)
{
    for (uint32_t inputs : bench.pick<std::vector<uint32_t>>({1, 1000, 100'000, 1'000'000}, {1, 1000, 10'000}, {1, 40}))
        measure(bench, inputs);
}

}  // namespace millrace::bench
