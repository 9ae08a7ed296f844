// SPDX-License-Identifier: Apache-2.0
// M6: how full workgroups of a coalescing node are.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress results, list, counter, nextCounter;
    uint32_t places, count;
};

// `size`: of the workgroups that send.
void measure(Bench& bench, uint32_t places, uint32_t sparse, uint32_t most, uint32_t size, const char* axis = "")
{
    harness::Device& device = bench.device();
    std::vector<uint32_t> expected(places, Output::kUnwritten);
    uint32_t count = 0;
    for (uint32_t i = 0; i < places; ++i)
        if (mix32(i) % sparse == 0) {
            expected[i] = mix32(i + 1);
            ++count;
        }
    Output results(device, std::move(expected));
    const Memory workgroups(device, 4), list(device, VkDeviceSize{count} * 8 + 8);
    const Memory counters[2] = {{device, 4}, {device, 4}};
    const uint32_t groups = places / size;
    const Definitions definitions{{"SPARSE", text(sparse)},
                                  {"MAX", text(most)},
                                  {"SIZE", text(size)},
                                  {"GRID_X", text(std::min(groups, 1024u))},
                                  {"GRID_Y", text(groupsFor(groups, 1024))}};
    Definitions collect = definitions;
    collect.emplace_back("COLLECT", "");
    Graph graph(device, {{"m06/emit", "emit", definitions}, {"m06/collect", "collect", definitions}}, 16);
    graph.setArguments(argumentsOf(std::array{results.address(), workgroups.address()}));
    graph.setLaunches({harness::launchWords("emit", 0, 1, {})});
    const Kernel emitKernel(device, "m06/by_hand", sizeof(Values), definitions);
    const Kernel collectKernel(device, "m06/by_hand", sizeof(Values), collect);
    bench.submit([&](VkCommandBuffer cmd) {
        counters[0].fill(cmd, 0);
        counters[1].fill(cmd, 0);
    });
    uint32_t run = 0;
    uint32_t taken = 0;
    Case todo;
    const std::string inGroups = size == 64 ? "" : " in workgroups of " + text(size);
    todo.name =
        text(count) + " payloads, 1 of " + text(sparse) + " invocations" + inGroups + ", " + text(most) + " at once";
    todo.scratchBytes = graph.scratchBytes();
    todo.axis = axis;
    todo.x = count;
    if (*axis) {
        todo.graph = &graph;
        todo.liveBytes = VkDeviceSize{count} * 8;
    }
    todo.prepare = [&](VkCommandBuffer cmd) {
        results.clear(cmd);
        workgroups.fill(cmd, 0);
    };
    todo.check = [&] {
        taken = std::max(taken, workgroups.download()[0]);
        return results.difference();
    };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "one list",
         [&](VkCommandBuffer cmd) {
             const Values values{results.address(),
                                 list.address(),
                                 counters[run % 2].address(),
                                 counters[(run + 1) % 2].address(),
                                 places,
                                 count};
             ++run;
             emitKernel.dispatchRows(cmd, argumentsOf(values), groupsFor(places, 1024));
             computeBarrier(cmd);
             collectKernel.dispatchRows(cmd, argumentsOf(values), groupsFor(count, 256));
         }},
    };
    bench.measure(todo);
    if (!*axis)
        bench.figure("fill, 1 of " + text(sparse) + inGroups + ", " + text(most) + " at once",
                     static_cast<double>(count) / taken / most, "");
}

}  // namespace

void coalescing(Bench& bench)
{
    const uint32_t places = bench.pick(1u << 25, 1u << 20, 1u << 12);
    for (uint32_t most : {64u, 256u})
        for (uint32_t sparse : bench.pick<std::vector<uint32_t>>({1, 4, 64}, {1, 4, 64}, {1, 8}))
            measure(bench, places, sparse, most, 64);
    for (uint32_t size : {1u, 8u})
        for (uint32_t sparse : {1u, 4u})
            measure(bench, places / 32, sparse, 64, size);
    // What budgets allow is sixteen times what is sent.
    for (uint32_t i = 5; bench.options().growth && i-- > 0;)
        measure(bench, bench.pick(1u << 26, 1u << 22, 1u << 20) >> i, 16, 64, 64, "payloads of one invocation in 16");
}

}  // namespace millrace::bench
