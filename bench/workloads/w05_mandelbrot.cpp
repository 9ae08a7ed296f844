// SPDX-License-Identifier: Apache-2.0
// W5: the Mandelbrot set by Mariani and Silver's subdivision: recursion, shared inputs that are written to, and a last
// workgroup that decides.
// This file must be compiled without fused multiply-add.
#include <memory>

#include "bench/workloads/list.h"
#include "bench/workloads/w05_reference.h"

namespace millrace::bench {

namespace {

using w05::kLeast;
using w05::Level;
using w05::Picture;
using w05::Reference;

struct Values {
    VkDeviceAddress dwells, squares, parts, same, counters, nextCounters;
};

// Direct dispatches: the reference knows how many squares each level has.
class ByHand {
public:
    ByHand(harness::Device& device, const Picture& picture, const Reference& reference, VkDeviceAddress dwells);
    void record(VkCommandBuffer cmd);

private:
    struct Step {
        Level level;
        std::unique_ptr<Kernel> look, fill;
        std::unique_ptr<Memory> parts, same;
    };

    VkDeviceAddress m_dwells;
    std::vector<Step> m_steps;
    std::unique_ptr<Kernel> m_draw;
    Memory m_counters[2];
    uint32_t m_run = 0;
};

Definitions definitionsFor(const Picture& picture)
{
    return {{"TILES", text(picture.tiles)}, {"TILE", text(picture.tile)}, {"LEAST", text(kLeast)}};
}

ByHand::ByHand(harness::Device& device, const Picture& picture, const Reference& reference, VkDeviceAddress dwells)
    : m_dwells(dwells), m_counters{{device, 4096}, {device, 4096}}
{
    for (const Level& level : reference.levels) {
        Step step;
        step.level = level;
        const bool isLast = m_steps.size() + 1 == reference.levels.size();
        Definitions definitions = definitionsFor(picture);
        definitions.emplace_back("LEVEL", text(m_steps.size()));
        definitions.emplace_back("SIZE", text(level.size));
        // A power of two with which each invocation has a pixel or a few.
        uint32_t local = 32;
        while (local < 1024 && local * 2 < 4 * level.size)
            local *= 2;
        definitions.emplace_back("LOCAL", text(local));
        if (isLast)
            definitions.emplace_back("LAST", "");
        step.look = std::make_unique<Kernel>(device, "w05/square_by_hand", sizeof(Values), definitions);
        step.fill = std::make_unique<Kernel>(device, "w05/region_by_hand", sizeof(Values), definitions);
        step.parts = std::make_unique<Memory>(device, VkDeviceSize{level.squares} * 4 * 8);
        step.same = std::make_unique<Memory>(device, VkDeviceSize{level.squares} * 16);
        if (isLast) {
            definitions.emplace_back("DRAW", "");
            m_draw = std::make_unique<Kernel>(device, "w05/region_by_hand", sizeof(Values), definitions);
        }
        m_steps.push_back(std::move(step));
    }
    device.submit([&](VkCommandBuffer cmd) {
        m_counters[0].fill(cmd, 0);
        m_counters[1].fill(cmd, 0);
    });
}

void ByHand::record(VkCommandBuffer cmd)
{
    Values values{m_dwells, 0, 0, 0, m_counters[m_run % 2].address(), m_counters[(m_run + 1) % 2].address()};
    ++m_run;
    for (const Step& step : m_steps) {
        values.parts = step.parts->address();
        values.same = step.same->address();
        step.look->dispatch(cmd, argumentsOf(values), step.level.squares);
        computeBarrier(cmd);
        values.squares = values.parts;
    }
    const auto region = [&](const Kernel& kernel, uint32_t size, uint32_t count) {
        if (count > 0)
            kernel.dispatch(cmd, argumentsOf(values), groupsFor(size - 2, 16), groupsFor(size - 2, 16), count);
    };
    for (const Step& step : m_steps) {
        values.same = step.same->address();
        region(*step.fill, step.level.size, step.level.same);
    }
    region(*m_draw, m_steps.back().level.size, m_steps.back().level.drawn);
}

}  // namespace

void mandelbrot(Bench& bench)
{
    const auto picture = bench.pick(Picture{6, 766}, Picture{4, 190}, Picture{2, 46});
    harness::Device& device = bench.device();
    const Reference reference(picture);
    Output dwells(device, reference.dwells);
    Definitions definitions = definitionsFor(picture);
    definitions.emplace_back("DEPTH", text(reference.levels.size() - 1));
    Definitions draw = definitions;
    draw.emplace_back("DRAW", "");
    Graph graph(device,
                {{"w05/tiles", "tiles", definitions},
                 {"w05/square", "square", definitions},
                 {"w05/region", "fill", definitions},
                 {"w05/region", "draw", draw}},
                sizeof(VkDeviceAddress));
    graph.setArguments(argumentsOf(dwells.address()));
    graph.setLaunches({harness::launchWords("tiles", 0, 1, {})});
    ByHand byHand(device, picture, reference, dwells.address());
    Case todo;
    todo.name =
        text(picture.width()) + " x " + text(picture.width()) + " pixels, " + text(reference.levels.size()) + " levels";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { dwells.clear(cmd); };
    todo.check = [&] { return dwells.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "a workgroup for each square", [&](VkCommandBuffer cmd) { byHand.record(cmd); }},
    };
    bench.measure(todo);
}

}  // namespace millrace::bench
