// SPDX-License-Identifier: Apache-2.0
// M7: node bodies that need many registers or much workgroup memory: what it costs that workgroups of ours loop over
// those of the node, against a workgroup each.
#include <array>
#include <cstring>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr const char* kDirect = "a workgroup each, list known";
constexpr uint32_t kSeeds = 256;  // as in body.glsl

struct Values {
    VkDeviceAddress results, table;
    uint32_t rounds, groups;
    VkDeviceAddress owners;
};

struct Body {
    std::string name;
    uint32_t size;    // invocations of a workgroup
    uint32_t shared;  // words of workgroup memory; 0: registers
    uint32_t rounds;
    uint32_t hands;
    uint32_t most = 20;      // workgroups of a hand
    bool isSingles = false;  // a single-invocation node, of which the programs by hand run `size` in a workgroup

    Definitions definitions() const
    {
        Definitions all{{"SIZE", text(size)}, {"HANDS", text(hands)}, {"MAX", text(most)}};
        if (shared)
            all.emplace_back("SHARED", text(shared));
        else
            all.emplace_back("REGISTERS", "");
        return all;
    }
};

uint32_t ofRegisters(uint32_t seed, uint32_t rounds)
{
    constexpr uint32_t kVectors = 28;
    uint32_t a[kVectors][4];
    for (uint32_t i = 0; i < kVectors; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            a[i][k] = (4 * i + k + seed) * 2654435761u;
    for (uint32_t round = 0; round < rounds; ++round)
        for (uint32_t i = 0; i < kVectors; ++i) {
            const uint32_t* other = a[(i + 9) % kVectors];
            for (uint32_t k = 0; k < 4; ++k)
                a[i][k] = a[i][k] * 1664525u + (other[(k + 1) % 4] ^ round);
        }
    uint32_t sum[4] = {};
    for (const auto& vector : a)
        for (uint32_t k = 0; k < 4; ++k)
            sum[k] = sum[k] * 31u + vector[k];
    return sum[0] ^ sum[1] * 3 ^ sum[2] * 5 ^ sum[3] * 7;
}

// What all invocations of a workgroup get.
std::vector<uint32_t> ofSharedMemory(uint32_t seed, const Body& body)
{
    std::vector<uint32_t> values(body.shared);
    for (uint32_t i = 0; i < body.shared; ++i)
        values[i] = (i + seed) * 2654435761u;
    for (uint32_t round = 0; round < body.rounds; ++round)
        for (uint32_t i = 0; i < body.shared; ++i)
            if ((i >> round & 1) == 0) {
                uint32_t& low = values[i];
                uint32_t& high = values[i | 1u << round];
                const uint32_t before = low;
                low = low * 1664525u + high;
                high = high * 1013904223u ^ before >> 7;
            }
    std::vector<uint32_t> sums(body.size);
    for (uint32_t i = 0; i < body.shared; ++i)
        sums[i % body.size] = sums[i % body.size] * 31u + values[i];
    return sums;
}

// By seed and invocation.
std::vector<std::vector<uint32_t>> resultsBySeed(const Body& body)
{
    std::vector<std::vector<uint32_t>> all(kSeeds);
    for (uint32_t seed = 0; seed < kSeeds; ++seed)
        if (body.shared)
            all[seed] = ofSharedMemory(seed, body);
        else
            for (uint32_t lane = 0; lane < body.size; ++lane)
                all[seed].push_back(ofRegisters(seed * body.size + lane, body.rounds));
    return all;
}

// Which workgroups the hands want, and what comes out.
struct Work {
    std::vector<uint32_t> table, owners, expected;

    explicit Work(const Body& body)
    {
        const auto bySeed = resultsBySeed(body);
        Random random(7);
        for (uint32_t hand = 0; hand < body.hands; ++hand) {
            const uint32_t grid = body.isSingles ? 1 : random.below(body.most + 1);
            table.insert(table.end(), {grid, static_cast<uint32_t>(owners.size())});
            for (uint32_t group = 0; group < grid; ++group) {
                owners.push_back(hand);
                for (uint32_t lane = 0; lane < body.size; ++lane)
                    expected.push_back(bySeed[(hand * 7 + group) % kSeeds][lane] + hand * 2654435761u + group * 64 +
                                       lane);
            }
        }
    }
};

std::unique_ptr<Graph> createGraph(Bench& bench, const Body& body)
{
    const Definitions definitions = body.definitions();
    std::vector<Node> nodes{{"m05/deal", "deal", definitions}, {"m07/play", "play", definitions}};
    if (body.isSingles) {
        const uint32_t groups = body.hands * body.size / 64;
        const uint32_t wide = std::min(groups, 1024u);
        nodes = {{"m07/spread", "spread", {{"GRID_X", text(wide)}, {"GRID_Y", text(groups / wide)}}},
                 {"m07/single", "single", definitions}};
    }
    auto graph = std::make_unique<Graph>(bench.device(), nodes, static_cast<uint32_t>(sizeof(Values)));
    graph->setLaunches({harness::launchWords(nodes.front().node, 0, 1, {})});
    return graph;
}

void measure(Bench& bench, const Body& body)
{
    const Work work(body);
    harness::Device& device = bench.device();
    Output results(device, work.expected);
    const Memory table(device, work.table), owners(device, work.owners);
    const auto groups = static_cast<uint32_t>(work.owners.size());
    const Arguments arguments =
        argumentsOf(Values{results.address(), table.address(), body.rounds, groups, owners.address()});
    const std::unique_ptr<Graph> graph = createGraph(bench, body);
    graph->setArguments(arguments);
    Definitions looping = body.definitions();
    looping.emplace_back("LOOPING", "");
    const Kernel direct(device, "m07/by_hand", sizeof(Values), body.definitions());
    const Kernel loop(device, "m07/by_hand", sizeof(Values), looping);
    Case todo;
    todo.name = body.name + ", " + text(groups) + " workgroups of " + text(body.size);
    todo.scratchBytes = graph->scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { results.clear(cmd); };
    todo.check = [&] { return results.difference(); };
    todo.goal = kDirect;
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph->record(cmd); }},
        {Role::Hand, kDirect, [&](VkCommandBuffer cmd) { direct.dispatchRows(cmd, arguments, groups); }},
        {Role::Hand, "looping, list known",
         [&](VkCommandBuffer cmd) { loop.dispatch(cmd, arguments, bench.fullGrid() * 256 / body.size); }},
    };
    bench.measure(todo);
}

}  // namespace

void heavyBodies(Bench& bench)
{
    const uint32_t hands = bench.pick(8192u, 512u, 8u);
    const uint32_t rounds = bench.pick(32u, 32u, 4u);
    const uint32_t singles = bench.pick(1u << 14, 1u << 10, 1u << 4);
    measure(bench, {"112 registers", 64, 0, rounds, hands});
    measure(bench, {"112 registers", 256, 0, rounds, hands / 4});
    measure(bench, {"112 registers, single invocations", 64, 0, rounds, singles, 1, true});
    // A node has less than the device: scheduling takes some.
    constexpr uint32_t kOurs = 12 << 10;
    for (const uint32_t kib : {8u, 16u, 32u}) {
        const Body body{text(kib) + " KiB of workgroup memory", 256, kib << 8, bench.pick(11u, 11u, 3u), hands / 4};
        if (bench.hasSharedMemory((kib << 10) + kOurs, body.name))
            measure(bench, body);
    }
}

}  // namespace millrace::bench
