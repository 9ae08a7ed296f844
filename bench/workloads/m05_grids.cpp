// SPDX-License-Identifier: Apache-2.0
// M5: payloads that bring their grid, from equal ones to very different ones of which half are empty.
#include <algorithm>
#include <cmath>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr const char* kDirect = "a workgroup each, list known";

struct Deal {
    std::string name;
    std::vector<uint32_t> grids;
    uint32_t fixed = 0;  // the grid is part of the node
    uint32_t most = 65535;
};

struct Values {
    VkDeviceAddress results, table, before, blocks;
    uint32_t groups;
    uint32_t padding = 0;
};

// Half of them empty, the rest log-normal with standard deviation 2, scaled to about ten workgroups on average.
std::vector<uint32_t> skewed(uint32_t count)
{
    Random random(5);
    std::vector<uint32_t> grids(count);
    for (uint32_t& grid : grids) {
        const double radius = std::sqrt(-2 * std::log(random.unit() + 1e-12));
        const double normal = radius * std::cos(6.283185307179586 * random.unit());
        if (random.word() & 1)
            grid = std::min(65000u, static_cast<uint32_t>(2.7 * std::exp(2 * normal)));
    }
    return grids;
}

std::vector<uint32_t> uniform(uint32_t count, uint32_t most)
{
    Random random(6);
    std::vector<uint32_t> grids(count);
    for (uint32_t& grid : grids)
        grid = random.below(most + 1);
    return grids;
}

CaseResult measure(Bench& bench, const Deal& deal)
{
    const auto hands = static_cast<uint32_t>(deal.grids.size());
    std::vector<uint32_t> table, owners, expected;
    for (uint32_t i = 0; i < hands; ++i) {
        table.insert(table.end(), {deal.grids[i], static_cast<uint32_t>(owners.size())});
        for (uint32_t j = 0; j < deal.grids[i]; ++j) {
            owners.push_back(i);
            for (uint32_t lane = 0; lane < 64; ++lane)
                expected.push_back(i * 2654435761u + j * 64 + lane);
        }
    }
    const auto groups = static_cast<uint32_t>(owners.size());
    harness::Device& device = bench.device();
    Output results(device, std::move(expected));
    const Memory tables(device, table), ownerList(device, owners);
    const Memory before(device, VkDeviceSize{hands} * 4), blocks(device, 4096);
    Definitions definitions{{"HANDS", text(hands)}, {"MAX", text(deal.most)}};
    if (deal.fixed)
        definitions.emplace_back("FIXED", text(deal.fixed));
    Graph graph(device, {{"m05/deal", "deal", definitions}, {"m05/play", "play", definitions}}, 16);
    graph.setArguments(argumentsOf(std::array{results.address(), tables.address()}));
    graph.setLaunches({harness::launchWords("deal", 0, 1, {})});
    const Kernel direct(device, "m05/direct", sizeof(Values), definitions);
    const Kernel scan(device, "m05/scan", sizeof(Values), definitions);
    const Kernel packed(device, "m05/packed", sizeof(Values), definitions);
    const Values values{results.address(), tables.address(), before.address(), blocks.address(), groups};
    Values listed = values;
    listed.blocks = ownerList.address();
    Case todo;
    todo.name = text(hands) + " payloads, " + text(groups) + " workgroups, " + deal.name;
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { results.clear(cmd); };
    todo.check = [&] { return results.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, kDirect, [&](VkCommandBuffer cmd) { direct.dispatchRows(cmd, argumentsOf(listed), groups); }},
        {Role::Hand, "prefix sum, 16 in a workgroup",
         [&](VkCommandBuffer cmd) {
             scan.dispatch(cmd, argumentsOf(values), groupsFor(hands, 1024));
             computeBarrier(cmd);
             packed.dispatchRows(cmd, argumentsOf(values), groupsFor(groups, 16));
         }},
    };
    todo.goal = kDirect;
    return bench.measure(todo);
}

}  // namespace

void grids(Bench& bench)
{
    const uint32_t hands = bench.pick(100'000u, 4'000u, 200u);
    measure(bench, {"all 10", std::vector<uint32_t>(hands, 10), 10});
    measure(bench, {"0 to 20", uniform(hands, 20), 0, 20});
    Deal deal{"skewed", skewed(hands)};
    const CaseResult without = measure(bench, deal);
    const uint32_t outlier = bench.pick(65535u, 65535u, 3000u);
    deal.name = "and one of " + text(outlier);
    deal.grids[hands / 2] = outlier;
    const CaseResult with = measure(bench, deal);
    for (const char* version : {"graph", kDirect})
        bench.figure("skewed, with one of " + text(outlier) + " / without, " + version,
                     with.of(version) / without.of(version), "");
}

}  // namespace millrace::bench
