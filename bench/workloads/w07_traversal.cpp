// SPDX-License-Identifier: Apache-2.0
// W7: many queries go down a tree; each node that one meets is a payload. A stack in each invocation needs none, and is
// the better program for it.
#include <algorithm>
#include <bit>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kUnits = 16, kQuery = 8;

struct Values {
    VkDeviceAddress hits, from, to, counters, nextCounters;
    uint32_t level;
    uint32_t padding = 0;
};

struct Reference {
    std::vector<uint32_t> hits;
    std::vector<uint32_t> visits;  // of each level, leaves last
    uint32_t depth;

    Reference(uint32_t queries, uint32_t levels) : hits(queries), visits(levels + 1), depth(levels)
    {
        const uint32_t bound = (kUnits << depth) - kQuery;
        for (uint32_t query = 0; query < queries; ++query)
            visit(query, mix32(2 * query) % bound, mix32(2 * query + 1) % bound, 0, 0, 0);
    }

private:
    void visit(uint32_t query, uint32_t qx, uint32_t qy, uint32_t x, uint32_t y, uint32_t level)
    {
        ++visits[level];
        if (level == depth) {
            hits[query] += mix32((x | y << 16) * 31 + query);
            return;
        }
        const uint32_t side = kUnits << (depth - level - 1);
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t cx = 2 * x + i % 2, cy = 2 * y + i / 2;
            if (qx < (cx + 1) * side && qy < (cy + 1) * side && qx + kQuery > cx * side && qy + kQuery > cy * side)
                visit(query, qx, qy, cx, cy, level + 1);
        }
    }
};

}  // namespace

void traversal(Bench& bench)
{
    const uint32_t queries = bench.pick(1'000'000u, 20'000u, 500u);
    // Deep enough that the worst case fits into no memory.
    const uint32_t depth = bench.pick(10u, 8u, 8u);
    const Reference reference(queries, depth);
    const uint32_t most = *std::max_element(reference.visits.begin(), reference.visits.end());
    uint32_t payloads = 0;
    for (uint32_t count : reference.visits)
        payloads += count;
    harness::Device& device = bench.device();
    Output hits(device, reference.hits);
    const Definitions definitions{{"DEPTH", text(depth)}, {"QUERIES", text(queries)}};
    Definitions stack = definitions;
    stack.emplace_back("STACK", "");
    Graph graph(
        device,
        {{"w07/start", "start", definitions}, {"w07/visit", "visit", definitions}, {"w07/leaf", "leaf", definitions}},
        8);
    graph.setArguments(argumentsOf(hits.address()));
    graph.setLaunches({harness::launchWords("start", 0, 1, {})});
    const Memory lists[2] = {{device, VkDeviceSize{most} * 8}, {device, VkDeviceSize{most} * 8}};
    const Memory counters[2] = {{device, std::vector<uint32_t>(32 * (depth + 1))},
                                {device, std::vector<uint32_t>(32 * (depth + 1))}};
    const Kernel level(device, "w07/by_hand", sizeof(Values), definitions);
    const Kernel alone(device, "w07/by_hand", sizeof(Values), stack);
    uint32_t run = 0;
    Case todo;
    todo.name = text(queries) + " queries, " + text(payloads) + " payloads";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { hits.clear(cmd, 0); };
    todo.check = [&] { return hits.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "a list for each level",
         [&](VkCommandBuffer cmd) {
             Values values{hits.address(), 0, 0, counters[run % 2].address(), counters[(run + 1) % 2].address(), 0};
             ++run;
             for (; values.level < depth; ++values.level) {
                 values.from = lists[values.level % 2].address();
                 values.to = lists[(values.level + 1) % 2].address();
                 level.dispatch(cmd, argumentsOf(values), bench.fullGrid());
                 computeBarrier(cmd);
             }
         }},
        {Role::Other, "a stack in each invocation",
         [&](VkCommandBuffer cmd) {
             const Values values{hits.address(), 0, 0, 0, 0, 0};
             alone.dispatch(cmd, argumentsOf(values), groupsFor(queries, 256));
         }},
    };
    bench.measure(todo);
}

}  // namespace millrace::bench
