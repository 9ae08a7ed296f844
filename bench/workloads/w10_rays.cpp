// SPDX-License-Identifier: Apache-2.0
// W10: rays of 36 bytes go to one of three single-invocation nodes.
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress colours, rays, counters, nextCounters;
    uint32_t material;
    uint32_t padding = 0;
};

// As w10/scene.glsl.
uint32_t colourAt(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    uint32_t best = 0xffffff, material = 0;
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t h = mix32(i + 77);
        const int32_t dx = static_cast<int32_t>(x) - static_cast<int32_t>((h & 0xffff) % width);
        const int32_t dy = static_cast<int32_t>(y) - static_cast<int32_t>((h >> 16) % height);
        const auto square = static_cast<uint32_t>(dx * dx + dy * dy);
        if (square < 30000 && square + i < best) {
            best = square + i;
            material = 1 + (i & 1);
        }
    }
    uint32_t light = best * (material + 1);
    for (uint32_t i = 0; i < 4 * material + 1; ++i)
        light = light * 1664525u + (x - width / 2) * y + (y - height / 2) * x + 1000;
    return light ^ (mix32(x) & 255);
}

void measure(Bench& bench, uint32_t width, uint32_t height)
{
    std::vector<uint32_t> expected;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x)
            expected.push_back(colourAt(x, y, width, height));
    harness::Device& device = bench.device();
    const Definitions definitions{{"WIDTH", text(width)}, {"HEIGHT", text(height)}};
    const auto with = [&](const char* name, const std::string& value = "") {
        Definitions all = definitions;
        all.emplace_back(name, value);
        return all;
    };
    const VkDeviceSize rayBytes = VkDeviceSize{expected.size()} * 3 * 9 * 4;
    Output colours(device, std::move(expected));
    std::vector<Node> nodes{{"w10/render", "render", definitions}};
    for (uint32_t i = 0; i < 3; ++i)
        nodes.push_back({"w10/shade", "shade", with("MATERIAL", text(i)), 1, {}, i});
    Graph graph(device, nodes, 8);
    graph.setArguments(argumentsOf(colours.address()));
    graph.setLaunches({harness::launchWords("render", 0, 1, {})});
    const Memory rays(device, rayBytes);
    const Memory counters[2] = {{device, 512}, {device, 512}};
    bench.submit([&](VkCommandBuffer cmd) {
        counters[0].fill(cmd, 0);
        counters[1].fill(cmd, 0);
    });
    const Kernel trace(device, "w10/by_hand", sizeof(Values), definitions);
    const Kernel shade(device, "w10/by_hand", sizeof(Values), with("SHADE"));
    const Kernel fused(device, "w10/by_hand", sizeof(Values), with("FUSED"));
    uint32_t run = 0;
    Case todo;
    todo.name = text(width) + " x " + text(height) + " rays";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { colours.clear(cmd); };
    todo.check = [&] { return colours.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "three lists",
         [&](VkCommandBuffer cmd) {
             Values values{colours.address(), rays.address(), counters[run % 2].address(),
                           counters[(run + 1) % 2].address(), 0};
             ++run;
             trace.dispatch(cmd, argumentsOf(values), groupsFor(width, 16), groupsFor(height, 16));
             computeBarrier(cmd);
             for (values.material = 0; values.material < 3; ++values.material)
                 shade.dispatch(cmd, argumentsOf(values), bench.fullGrid());
         }},
        {Role::Other, "fused",
         [&](VkCommandBuffer cmd) {
             const Values values{colours.address(), 0, 0, 0, 0};
             fused.dispatch(cmd, argumentsOf(values), groupsFor(width, 16), groupsFor(height, 16));
         }},
    };
    bench.measure(todo);
}

}  // namespace

void rays(Bench& bench)
{
    if (bench.isSmall())
        return measure(bench, bench.pick(0u, 480u, 100u), bench.pick(0u, 270u, 60u));
    measure(bench, 1920, 1080);
    measure(bench, 3840, 2160);
}

}  // namespace millrace::bench
