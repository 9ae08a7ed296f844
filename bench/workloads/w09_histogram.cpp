// SPDX-License-Identifier: Apache-2.0
// W9: a histogram by a tree of payloads of 1 KiB.
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress keys, sums, table;
};

}  // namespace

void histogram(Bench& bench)
{
    const uint32_t count = bench.pick(1u << 26, 1u << 21, 1u << 15);
    const uint32_t tile = bench.pick(1u << 15, 1u << 13, 1u << 11);
    const uint32_t tiles = count / tile;
    uint32_t depth = 0;
    for (uint32_t left = tiles; left > 16; left /= 16)
        ++depth;
    std::vector<uint32_t> keys(count), expected(256);
    for (uint32_t i = 0; i < count; ++i)
        ++expected[(keys[i] = mix32(i)) >> 24];
    harness::Device& device = bench.device();
    Output sums(device, expected);
    const Memory memory(device, keys), table(device, VkDeviceSize{tiles} * 1024);
    const Definitions definitions{{"TILE", text(tile)}, {"TILES", text(tiles)}, {"DEPTH", text(depth)}};
    Graph graph(device, {{"w09/tiles", "tiles", definitions}, {"w09/combine", "combine", definitions}}, 16);
    graph.setArguments(argumentsOf(std::array{memory.address(), sums.address()}));
    graph.setLaunches({harness::launchWords("tiles", 0, 1, {})});
    const auto kernel = [&](const char* part) {
        Definitions all = definitions;
        all.emplace_back(part, "");
        return Kernel(device, "w09/by_hand", sizeof(Values), all);
    };
    const Kernel adding = kernel("ADD"), writing = kernel("TABLE"), combining = kernel("COMBINE");
    const Arguments arguments = argumentsOf(Values{memory.address(), sums.address(), table.address()});
    Case todo;
    todo.name = text(count) + " keys, " + text(tiles) + " tiles";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "one dispatch with atomics", [&](VkCommandBuffer cmd) { adding.dispatch(cmd, arguments, tiles); }},
        {Role::Hand, "two dispatches",
         [&](VkCommandBuffer cmd) {
             writing.dispatch(cmd, arguments, tiles);
             computeBarrier(cmd);
             combining.dispatch(cmd, arguments, 256);
         }},
    };
    bench.measure(todo);
}

}  // namespace millrace::bench
