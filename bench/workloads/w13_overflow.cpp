// SPDX-License-Identifier: Apache-2.0
// W13: recursion that nobody can foresee, from many inputs in a quarter of the memory that its largest level needs, and
// from few with as much as it likes. The program by hand has what it needs.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

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

    Reference(std::vector<uint32_t> seeds, uint32_t depth)
    {
        for (uint32_t level = 0; level <= depth; ++level) {
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

struct Tree {
    std::vector<uint32_t> seeds;  // of the inputs
    uint32_t depth;
    bool inLittleMemory;
};

// Of so many trees, one after the other, as have `payloads` together.
Tree largeTrees(uint32_t inputs, uint32_t depth, uint32_t payloads)
{
    Tree tree{std::vector<uint32_t>(inputs), depth, false};
    for (uint32_t i = 0;; i += inputs) {
        for (uint32_t k = 0; k < inputs; ++k)
            tree.seeds[k] = mix32((i + k) ^ 0x1234567);
        if (Reference(tree.seeds, depth).payloads >= payloads)
            return tree;
    }
}

void measure(Bench& bench, const Tree& tree)
{
    const Reference reference(tree.seeds, tree.depth);
    std::vector<uint32_t> payloads;
    for (const uint32_t seed : tree.seeds)
        payloads.insert(payloads.end(), {seed, 0, 0, 0});
    const auto inputs = static_cast<uint32_t>(tree.seeds.size());
    harness::Device& device = bench.device();
    Output sums(device, reference.sums);
    const Definitions definitions{{"DEPTH", text(tree.depth)}, {"PLACES", text(kPlaces)}};
    const VkDeviceSize most = tree.inLittleMemory ? VkDeviceSize{reference.most} * kPayloadBytes / 4 : VK_WHOLE_SIZE;
    Graph graph(device, {{"w13/burst", "burst", definitions}}, 8, most);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("burst", 0, inputs, payloads)});
    const Memory first(device, tree.seeds);
    const Memory lists[2] = {{device, VkDeviceSize{reference.most} * 4}, {device, VkDeviceSize{reference.most} * 4}};
    std::vector<uint32_t> start(32 * (tree.depth + 2));
    start[0] = inputs;
    const Memory counters[2] = {{device, start}, {device, start}};
    const Kernel level(device, "w13/by_hand", sizeof(Values), definitions);
    uint32_t run = 0;
    Case todo;
    todo.name = text(inputs) + (inputs == 1 ? " input, " : " inputs, ") + text(reference.payloads) + " payloads, " +
                text(reference.most) + " at once";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Graph, tree.inLittleMemory ? "graph, little memory" : "graph",
         [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "a list for each level",
         [&](VkCommandBuffer cmd) {
             Values values{
                 sums.address(), first.address(), 0, counters[run % 2].address(), counters[(run + 1) % 2].address(), 0};
             ++run;
             for (; values.level <= tree.depth; ++values.level) {
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

}  // namespace

void overflow(Bench& bench)
{
    Tree many{std::vector<uint32_t>(bench.pick(60'000u, 10'000u, 300u)), 6, true};
    for (uint32_t i = 0; i < many.seeds.size(); ++i)
        many.seeds[i] = mix32(i ^ 0x1234567);
    measure(bench, many);
    measure(bench, largeTrees(1, bench.pick(14u, 10u, 8u), bench.pick(20'000u, 2'000u, 300u)));
    measure(bench, largeTrees(bench.pick(1000u, 100u, 20u), bench.pick(8u, 6u, 5u), 1));
}

}  // namespace millrace::bench
