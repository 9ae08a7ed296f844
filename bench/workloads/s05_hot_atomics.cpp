// SPDX-License-Identifier: Apache-2.0
// S5: the published emulation's test of recursion: 254 payloads from each input, each of which adds to one of 14 words.
// These additions take most of the time of any program.
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kRecursion = 6;

struct Values {
    VkDeviceAddress sums, from, to;
    uint32_t count, left;
};

void measure(Bench& bench, uint32_t inputs)
{
    std::vector<uint32_t> expected(16), payloads(16);  // payloads of each place, at one level
    payloads[1] = payloads[2] = inputs;
    for (uint32_t left = kRecursion;; --left) {
        std::vector<uint32_t> next(16);
        for (uint32_t place = 0; place < 14; ++place) {
            expected[place] += payloads[place] * (left + 1);
            next[place + 1] += payloads[place];
            next[place + 2] += payloads[place];
        }
        expected[14] += payloads[14] * (left + 1);
        payloads = std::move(next);
        if (left == 0)
            break;
    }
    harness::Device& device = bench.device();
    Output sums(device, expected);
    Graph graph(device, {{"s05/entry", "entry"}, {"s05/recursive", "recursive"}}, 8);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("entry", 0, inputs, {})});
    const Memory lists[2] = {{device, VkDeviceSize{inputs} << 9}, {device, VkDeviceSize{inputs} << 9}};
    const Kernel level(device, "s05/by_hand", sizeof(Values));
    Case todo;
    todo.name = "8 levels, " + text(inputs) + " inputs";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "direct dispatches",
         [&](VkCommandBuffer cmd) {
             for (uint32_t i = 0; i <= kRecursion; ++i) {
                 const Values values{sums.address(), lists[i % 2].address(), lists[(i + 1) % 2].address(),
                                     inputs << (i + 1), kRecursion - i};
                 level.dispatchRows(cmd, argumentsOf(values), groupsFor(values.count, 256));
                 computeBarrier(cmd);
             }
         }},
    };
    bench.measure(todo);
}

}  // namespace

void hotAtomics(Bench& bench)
{
    for (uint32_t inputs : bench.pick<std::vector<uint32_t>>({1, 1000, 100'000, 1'000'000}, {1, 1000, 10'000}, {1, 40}))
        measure(bench, inputs);
}

}  // namespace millrace::bench
