// SPDX-License-Identifier: Apache-2.0
// W4: two recursive single-invocation nodes that grow by 4 and by 8 a level.
#include <array>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

using Line = std::array<int32_t, 4>;
using Square = std::array<int32_t, 2>;

struct Depths {
    uint32_t koch, sponge;
    uint32_t segments() const { return 3u << (2 * koch); }
    uint32_t squares() const { return 1u << (3 * sponge); }
    int32_t boxSize() const
    {
        int32_t size = 1;
        for (uint32_t i = 0; i < sponge; ++i)
            size *= 3;
        return size;
    }
};

constexpr std::array<Line, 3> kTriangle{{{0, 0, 131072, 0}, {131072, 0, 65536, 113512}, {65536, 113512, 0, 0}}};

std::vector<Line> bend(const std::vector<Line>& lines)
{
    std::vector<Line> out;
    out.reserve(4 * lines.size());
    for (const auto& [ax, ay, bx, by] : lines) {
        const int32_t dx = bx - ax, dy = by - ay;
        const int32_t xs[] = {ax, ax + dx / 3, ax + dx / 2 + dy * 4731 / 16384, ax + 2 * dx / 3, bx};
        const int32_t ys[] = {ay, ay + dy / 3, ay + dy / 2 + -dx * 4731 / 16384, ay + 2 * dy / 3, by};
        for (uint32_t i = 0; i < 4; ++i)
            out.push_back({xs[i], ys[i], xs[i + 1], ys[i + 1]});
    }
    return out;
}

// Segments, then squares.
std::vector<uint32_t> expectedFor(const Depths& depths)
{
    std::vector<Line> lines(kTriangle.begin(), kTriangle.end());
    for (uint32_t i = 0; i < depths.koch; ++i)
        lines = bend(lines);
    std::vector<Square> squares{{0, 0}};
    for (int32_t third = depths.boxSize() / 3; third > 0; third /= 3) {
        std::vector<Square> next;
        for (const Square& square : squares)
            for (int32_t part : {0, 1, 2, 3, 5, 6, 7, 8})
                next.push_back({square[0] + third * (part % 3), square[1] + third * (part / 3)});
        squares = std::move(next);
    }
    std::vector<uint32_t> words;
    for (const Line& line : lines)
        words.insert(words.end(), line.begin(), line.end());
    for (const Square& square : squares)
        words.insert(words.end(), square.begin(), square.end());
    return words;
}

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
    Output output(device, expectedFor(depths));
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
