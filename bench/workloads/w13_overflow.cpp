// SPDX-License-Identifier: Apache-2.0
// W13: recursion that nobody can foresee, in a quarter of the memory that its largest level needs. The program by hand
// has what it needs.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kDepth = 6;
constexpr uint32_t kPlaces = 1u << 16;
constexpr uint32_t kPayloadBytes = 16;

struct Values {
    VkDeviceAddress sums, from, to, counters, nextCounters;
    uint32_t level;
    uint32_t padding = 0;
};

// As w13/burst.glsl.
uint32_t childrenOf(uint32_t seed)
{
    constexpr uint32_t kBounds[] = {300, 560, 720, 820, 890, 940, 975, 1000};
    const uint32_t h = mix32(seed) & 1023;
    uint32_t count = 0;
    while (count < 8 && h >= kBounds[count])
        ++count;
    return count;
}

struct Reference {
    std::vector<uint32_t> sums = std::vector<uint32_t>(2 * kPlaces);
    uint32_t payloads = 0, most = 0;

    explicit Reference(std::vector<uint32_t> seeds)
    {
        for (uint32_t level = 0; level <= kDepth; ++level) {
            std::vector<uint32_t> next;
            for (uint32_t seed : seeds) {
                sums[2 * (seed % kPlaces)] += 1;
                sums[2 * (seed % kPlaces) + 1] += mix32(seed + level);
                for (uint32_t i = 0; i < childrenOf(seed); ++i)
                    next.push_back(mix32(seed * 9 + i + 1));
            }
            payloads += static_cast<uint32_t>(seeds.size());
            most = std::max(most, static_cast<uint32_t>(seeds.size()));
            seeds = std::move(next);
        }
    }
};

}  // namespace

void overflow(Bench& bench)
{
    const uint32_t inputs = bench.pick(60'000u, 10'000u, 300u);
    std::vector<uint32_t> seeds, payloads;
    for (uint32_t i = 0; i < inputs; ++i) {
        seeds.push_back(mix32(i ^ 0x1234567));
        payloads.insert(payloads.end(), {seeds.back(), 0, 0, 0});
    }
    const Reference reference(seeds);
    harness::Device& device = bench.device();
    Output sums(device, reference.sums);
    const Definitions definitions{{"DEPTH", text(kDepth)}, {"PLACES", text(kPlaces)}};
    Graph graph(device, {{"w13/burst", "burst", definitions}}, 8, VkDeviceSize{reference.most} * kPayloadBytes / 4);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("burst", 0, inputs, payloads)});
    const Memory first(device, seeds);
    const Memory lists[2] = {{device, VkDeviceSize{reference.most} * 4}, {device, VkDeviceSize{reference.most} * 4}};
    std::vector<uint32_t> start(32 * (kDepth + 2));
    start[0] = inputs;
    const Memory counters[2] = {{device, start}, {device, start}};
    const Kernel level(device, "w13/by_hand", sizeof(Values), definitions);
    uint32_t run = 0;
    Case todo;
    todo.name = text(reference.payloads) + " payloads, " + text(reference.most) + " at once";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Graph, "graph, little memory", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "a list for each level",
         [&](VkCommandBuffer cmd) {
             Values values{
                 sums.address(), first.address(), 0, counters[run % 2].address(), counters[(run + 1) % 2].address(), 0};
             ++run;
             for (; values.level <= kDepth; ++values.level) {
                 values.to = lists[values.level % 2].address();
                 level.dispatch(cmd, argumentsOf(values), bench.fullGrid());
                 computeBarrier(cmd);
                 values.from = values.to;
             }
         }},
    };
    const CaseResult result = bench.measure(todo);
    bench.figure("largest level's payloads / scratch memory",
                 static_cast<double>(reference.most) * kPayloadBytes / static_cast<double>(graph.scratchBytes()), "");
    bench.figure("a payload, graph", 1e3 * result.graph() / reference.payloads, "ns");
}

}  // namespace millrace::bench
