// SPDX-License-Identifier: Apache-2.0
// M2: what a node costs that has nothing to do. By hand it is an indirect dispatch of no workgroups.
#include <memory>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress results, grids, payload;
    uint32_t node, value;
};

constexpr uint32_t kValue = 12345;

std::vector<uint32_t> resultsOf(uint32_t node)
{
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 64; ++i)
        words.push_back(mix32(kValue + i) + node);
    return words;
}

CaseResult measure(Bench& bench, uint32_t nodes, const char* axis = "")
{
    harness::Device& device = bench.device();
    const uint32_t active = nodes - 1;
    Output output(device, resultsOf(active));
    const Memory grids(device, std::vector<uint32_t>(nodes * 4));
    const Memory payload(device, 8);
    Graph graph(device, {{"m02/choose", "choose", {{"NODES", text(nodes)}}}, {"m02/work", "work", {}, nodes}},
                sizeof(VkDeviceAddress));
    graph.setArguments(argumentsOf(output.address()));
    graph.setLaunches({harness::launchWords("choose", 0, 1, {active, kValue})});
    const Kernel choose(device, "m02/choose_by_hand", sizeof(Values));
    const Kernel one(device, "m02/work_by_hand", sizeof(Values), {{"ONE", ""}});
    // Real nodes are different pipelines; two that take turns cost as much to change as a thousand.
    const Kernel even(device, "m02/work_by_hand", sizeof(Values), {{"VARIANT", "0"}});
    const Kernel odd(device, "m02/work_by_hand", sizeof(Values), {{"VARIANT", "1"}});
    Values values{output.address(), grids.address(), payload.address(), active, kValue};
    Case todo;
    todo.name = text(nodes) + " nodes, 1 of them active";
    todo.axis = axis;
    todo.x = nodes;
    todo.graph = *axis ? &graph : nullptr;
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) {
        output.clear(cmd);
        grids.fill(cmd, 0);
    };
    todo.check = [&] { return output.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "indirect dispatches",
         [&](VkCommandBuffer cmd) {
             choose.dispatch(cmd, argumentsOf(values), 1);
             indirectBarrier(cmd);
             for (uint32_t i = 0; i < nodes; ++i) {
                 Values each = values;
                 each.node = i;
                 (i % 2 ? odd : even).dispatchIndirect(cmd, argumentsOf(each), grids.handle(), i * 16);
             }
         }},
        {Role::Other, "one dispatch for all nodes",
         [&](VkCommandBuffer cmd) {
             choose.dispatch(cmd, argumentsOf(values), 1);
             computeBarrier(cmd);
             one.dispatch(cmd, argumentsOf(values), 1);
         }},
    };
    return bench.measure(todo);
}

}  // namespace

void idleNodes(Bench& bench)
{
    const std::vector<uint32_t> counts = bench.pick<std::vector<uint32_t>>({1, 16, 128, 1024}, {1, 8, 64}, {1, 8});
    std::vector<CaseResult> results;
    for (uint32_t nodes : counts)
        results.push_back(measure(bench, nodes));
    const uint32_t more = counts.back() - counts.front();
    for (const char* version : {"graph", "indirect dispatches"})
        bench.figure(std::string("an idle node, ") + version,
                     (results.back().of(version) - results.front().of(version)) / more, "us");
    for (uint32_t nodes = 1; bench.options().growth && nodes <= bench.pick(1024u, 64u, 16u); nodes *= 4)
        measure(bench, nodes, "nodes");
}

}  // namespace millrace::bench
