// SPDX-License-Identifier: Apache-2.0
// S2 and S3: the published emulation's tests of two levels: an input's workgroup of 8 invocations sends 64 payloads to
// a single-invocation node (S2), or 8 that start a workgroup of 8 invocations each (S3).
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kWords = 1u << 20;

struct Values {
    VkDeviceAddress sums, inputs, list;
    uint32_t count;
    uint32_t padding = 0;
};

void measure(Bench& bench, uint32_t inputs, bool hasGrids)
{
    std::vector<uint32_t> words, expected(kWords);
    for (uint32_t i = 0; i < inputs; ++i) {
        const uint32_t offset = i * 64 % kWords, increment = 1 + i % 3;
        words.insert(words.end(), {1, 0, 1, offset, increment});
        for (uint32_t j = 0; j < 64; ++j)
            expected[offset + j] += increment;
    }
    harness::Device& device = bench.device();
    Output sums(device, expected);
    const uint32_t items = inputs * (hasGrids ? 8 : 64);
    const Memory memory(device, words), list(device, VkDeviceSize{items} * 8);
    Definitions definitions;
    if (hasGrids)
        definitions.emplace_back("GRIDS", "");
    Definitions second = definitions;
    second.emplace_back("ADD", "");
    Graph graph(device, {{"s02/entry", "entry", definitions}, {"s02/add", "add", definitions}}, 8);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("entry", 0, inputs, words)});
    const Kernel make(device, "s02/by_hand", sizeof(Values), definitions);
    const Kernel add(device, "s02/by_hand", sizeof(Values), second);
    const Values values{sums.address(), memory.address(), list.address(), items};
    Case todo;
    todo.name = text(inputs) + " inputs, " + text(items) + (hasGrids ? " workgroups" : " payloads");
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "known places",
         [&](VkCommandBuffer cmd) {
             make.dispatchRows(cmd, argumentsOf(values), groupsFor(items, 256));
             computeBarrier(cmd);
             add.dispatchRows(cmd, argumentsOf(values), groupsFor(inputs * 64, 256));
         }},
    };
    bench.measure(todo);
}

std::vector<uint32_t> inputCounts(const Bench& bench)
{
    return bench.pick<std::vector<uint32_t>>({1, 1000, 100'000, 1'000'000}, {1, 1000, 10'000}, {1, 40});
}

}  // namespace

void twoLevels(Bench& bench)
{
    for (uint32_t inputs : inputCounts(bench))
        measure(bench, inputs, false);
}

void twoLevelGrids(Bench& bench)
{
    for (uint32_t inputs : inputCounts(bench))
        measure(bench, inputs, true);
}

}  // namespace millrace::bench
