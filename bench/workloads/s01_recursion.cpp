// SPDX-License-Identifier: Apache-2.0
// S1: the published emulation's test of recursion without its atomics: 254 payloads of 8 bytes from each input, over
// eight levels.
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kDepth = 7;

struct Values {
    VkDeviceAddress from, to, leaves;
    uint32_t count, isLast;
};

void measure(Bench& bench, uint32_t inputs)
{
    harness::Device& device = bench.device();
    std::vector<uint32_t> expected(size_t{inputs} << kDepth);
    for (uint32_t i = 0; i < expected.size(); ++i)
        expected[i] = i ^ 0x5a5au;
    Output leaves(device, std::move(expected));
    std::vector<uint32_t> payloads;
    for (uint32_t i = 0; i < inputs; ++i)
        payloads.insert(payloads.end(), {0, i});
    Graph graph(device, {{"s01/fork", "fork", {}, 1, {{0, kDepth}}}}, sizeof(VkDeviceAddress));
    graph.setArguments(argumentsOf(leaves.address()));
    graph.setLaunches({harness::launchWords("fork", 0, inputs, payloads)});
    const Memory first(device, payloads);
    const Memory even(device, VkDeviceSize{inputs} << kDepth << 3);
    const Memory odd(device, VkDeviceSize{inputs} << kDepth << 3);
    const Kernel level(device, "s01/level", sizeof(Values));
    Case todo;
    todo.name = "8 levels, " + text(inputs) + " inputs";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { leaves.clear(cmd); };
    todo.check = [&] { return leaves.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "direct dispatches",
         [&](VkCommandBuffer cmd) {
             for (uint32_t i = 0; i <= kDepth; ++i) {
                 const Values values{i == 0 ? first.address() : (i % 2 ? odd : even).address(),
                                     (i % 2 ? even : odd).address(), leaves.address(), inputs << i, i == kDepth};
                 level.dispatch(cmd, argumentsOf(values), groupsFor(values.count, 256));
                 computeBarrier(cmd);
             }
         }},
    };
    bench.measure(todo);
}

}  // namespace

void recursion(Bench& bench)
{
    for (uint32_t inputs : bench.pick<std::vector<uint32_t>>({1, 1000, 100'000}, {1, 1000}, {1, 20}))
        measure(bench, inputs);
}

}  // namespace millrace::bench
