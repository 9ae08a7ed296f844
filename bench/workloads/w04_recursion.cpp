// SPDX-License-Identifier: Apache-2.0
// W4: two recursive single-invocation nodes that grow by 4 and by 8 a level.
#include <array>

#include "bench/workloads/list.h"
#include "bench/workloads/w04_reference.h"

namespace millrace::bench {

namespace {

using w04::Depths;
using w04::kTriangle;
using w04::Line;

struct Values {
    VkDeviceAddress from, to;
    uint32_t count;
    int32_t third = 0;
};

class ByHand {
public:
    ByHand(harness::Device& device, const Depths& depths, VkDeviceAddress segments, VkDeviceAddress squares)
        : m_depths(depths),
          m_segments(segments),
          m_squares(squares),
          m_triangle(device, triangle()),
          m_box(device, {0, 0}),
          m_lines{{device, VkDeviceSize{depths.segments()} * 16}, {device, VkDeviceSize{depths.segments()} * 16}},
          m_boxes{{device, VkDeviceSize{depths.squares()} * 8}, {device, VkDeviceSize{depths.squares()} * 8}},
          m_koch(device, "w04/koch_by_hand", sizeof(Values)),
          m_sponge(device, "w04/sponge_by_hand", sizeof(Values))
    {
    }

    void record(VkCommandBuffer cmd) const
    {
        int32_t third = m_depths.boxSize() / 3;
        for (uint32_t i = 0; i < std::max(m_depths.koch, m_depths.sponge); ++i, third /= 3) {
            if (i < m_depths.koch) {
                const Values values{i == 0 ? m_triangle.address() : m_lines[i % 2].address(),
                                    i + 1 == m_depths.koch ? m_segments : m_lines[(i + 1) % 2].address(),
                                    3u << (2 * i)};
                m_koch.dispatch(cmd, argumentsOf(values), groupsFor(values.count, 128));
            }
            if (i < m_depths.sponge) {
                const Values values{i == 0 ? m_box.address() : m_boxes[i % 2].address(),
                                    i + 1 == m_depths.sponge ? m_squares : m_boxes[(i + 1) % 2].address(),
                                    8u << (3 * i), third};
                m_sponge.dispatch(cmd, argumentsOf(values), groupsFor(values.count, 128));
            }
            computeBarrier(cmd);
        }
    }

private:
    static std::vector<uint32_t> triangle()
    {
        std::vector<uint32_t> words;
        for (const Line& line : kTriangle)
            words.insert(words.end(), line.begin(), line.end());
        return words;
    }

    Depths m_depths;
    VkDeviceAddress m_segments, m_squares;
    Memory m_triangle, m_box;
    Memory m_lines[2], m_boxes[2];
    Kernel m_koch, m_sponge;
};

void measure(Bench& bench, const Depths& depths)
{
    harness::Device& device = bench.device();
    Output output(device, w04::expectedFor(depths));
    const VkDeviceAddress squares = output.address() + VkDeviceSize{depths.segments()} * 16;
    const Definitions definitions{{"KOCH_DEPTH", text(depths.koch)},
                                  {"SPONGE_DEPTH", text(depths.sponge)},
                                  {"BOX_SIZE", text(static_cast<uint32_t>(depths.boxSize()))}};
    Graph graph(
        device,
        {{"w04/start", "start", definitions}, {"w04/koch", "koch", definitions}, {"w04/sponge", "sponge", definitions}},
        16);
    graph.setArguments(argumentsOf(std::array{output.address(), squares}));
    graph.setLaunches({harness::launchWords("start", 0, 1, {})});
    const ByHand byHand(device, depths, output.address(), squares);
    Case todo;
    todo.name = "snowflake " + text(depths.koch) + ", sponge " + text(depths.sponge) + " levels";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { output.clear(cmd); };
    todo.check = [&] { return output.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "direct dispatches, leaves fused", [&](VkCommandBuffer cmd) { byHand.record(cmd); }},
    };
    bench.measure(todo);
}

}  // namespace

void shapes(Bench& bench)
{
    for (const Depths& depths : bench.pick<std::vector<Depths>>({{8, 6}, {10, 6}}, {{6, 4}, {8, 6}}, {{3, 2}}))
        measure(bench, depths);
}

}  // namespace millrace::bench
