// SPDX-License-Identifier: Apache-2.0
// W1: pixels go to the nodes of their materials. Blocks of R x R pixels have one material.
#include <algorithm>
#include <cmath>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Picture {
    uint32_t width, height, materials;

    uint32_t pixels() const { return width * height; }
    Definitions definitions() const
    {
        return {{"WIDTH", text(width)}, {"HEIGHT", text(height)}, {"MATERIALS", text(materials)}};
    }
    std::vector<uint32_t> blocks(uint32_t side) const
    {
        std::vector<uint32_t> out;
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x)
                out.push_back(mix32(x / side * 7919u + y / side * 104729u) % materials);
        return out;
    }
};

struct GraphValues {
    VkDeviceAddress materials, colours;
};
struct Values {
    VkDeviceAddress materials, colours, payloads, counters, nextCounters, extra;
    uint32_t capacity, node;
};

Definitions with(Definitions definitions, const std::string& name, const std::string& value = "")
{
    definitions.emplace_back(name, value);
    return definitions;
}

constexpr VkDeviceSize kCounterBytes = 256 * 128;

// The programs without a graph, and their memory.
class ByHand {
public:
    ByHand(Bench& bench, const Picture& picture, const Memory& materials, const Output& colours);
    void setCapacity(uint32_t most);
    void twoPasses(VkCommandBuffer cmd, uint32_t each);
    void onePass(VkCommandBuffer cmd);
    void onePassSimple(VkCommandBuffer cmd);
    void fused(VkCommandBuffer cmd);
    void peer(VkCommandBuffer cmd);

private:
    Kernel kernel(const char* name, const Definitions& definitions) const
    {
        return {m_bench.device(), std::string("w01/") + name, sizeof(Values), definitions};
    }
    Arguments nextArguments();

    Bench& m_bench;
    Picture m_picture;
    Definitions m_all = m_picture.definitions();
    Values m_values{};
    Memory m_counters[2];  // one run clears those of the next
    uint32_t m_run = 0;
    std::unique_ptr<Memory> m_payloads;
    Memory m_extra;
    Kernel m_count4 = kernel("count", with(m_all, "EACH", "4"));
    Kernel m_count8 = kernel("count", with(m_all, "EACH", "8"));
    Kernel m_scatter4 = kernel("count", with(with(m_all, "EACH", "4"), "SCATTER"));
    Kernel m_scatter8 = kernel("count", with(with(m_all, "EACH", "8"), "SCATTER"));
    Kernel m_colour = kernel("colour", m_all);
    Kernel m_queue = kernel("queue", m_all);
    Kernel m_queueSimple = kernel("queue_simple", m_all);
    Kernel m_colourQueues = kernel("colour", with(m_all, "QUEUES"));
    Kernel m_fused = kernel("fused", m_all);
    Kernel m_peerClassify = kernel("peer_classify", m_all);
    Kernel m_peerSetup = kernel("peer_setup", m_all);
    Kernel m_peerExpand = kernel("peer_expand", m_all);
    Kernel m_peerShade = kernel("peer_shade", m_all);
};

ByHand::ByHand(Bench& bench, const Picture& picture, const Memory& materials, const Output& colours)
    : m_bench(bench),
      m_picture(picture),
      m_counters{{bench.device(), kCounterBytes}, {bench.device(), kCounterBytes}},
      m_extra(bench.device(), 4 * (2048 + 3 * (VkDeviceSize{picture.pixels()} + 1)))
{
    m_values.materials = materials.address();
    m_values.colours = colours.address();
    m_values.extra = m_extra.address();
    bench.submit([&](VkCommandBuffer cmd) {
        for (const Memory* memory : {&m_counters[0], &m_counters[1], &m_extra})
            memory->fill(cmd, 0);
    });
}

void ByHand::setCapacity(uint32_t most)
{
    m_values.capacity = most;
    m_payloads.reset();
    m_payloads = std::make_unique<Memory>(m_bench.device(), VkDeviceSize{most} * m_picture.materials * 8);
    m_values.payloads = m_payloads->address();
}

Arguments ByHand::nextArguments()
{
    m_values.counters = m_counters[m_run % 2].address();
    m_values.nextCounters = m_counters[(m_run + 1) % 2].address();
    ++m_run;
    return argumentsOf(m_values);
}

void ByHand::twoPasses(VkCommandBuffer cmd, uint32_t each)
{
    const Arguments arguments = nextArguments();
    const uint32_t groups = groupsFor(m_picture.pixels(), 256 * each);
    (each == 4 ? m_count4 : m_count8).dispatch(cmd, arguments, groups);
    computeBarrier(cmd);
    (each == 4 ? m_scatter4 : m_scatter8).dispatch(cmd, arguments, groups);
    computeBarrier(cmd);
    m_colour.dispatch(cmd, arguments, m_bench.fullGrid());
}

void ByHand::onePass(VkCommandBuffer cmd)
{
    const Arguments arguments = nextArguments();
    m_queue.dispatch(cmd, arguments, groupsFor(m_picture.width, 64), groupsFor(m_picture.height, 16));
    computeBarrier(cmd);
    m_colourQueues.dispatch(cmd, arguments, m_bench.fullGrid());
}

void ByHand::onePassSimple(VkCommandBuffer cmd)
{
    const Arguments arguments = nextArguments();
    m_queueSimple.dispatch(cmd, arguments, groupsFor(m_picture.width, 8), groupsFor(m_picture.height, 8));
    computeBarrier(cmd);
    m_colourQueues.dispatch(cmd, arguments, m_bench.fullGrid());
}

void ByHand::fused(VkCommandBuffer cmd)
{
    m_fused.dispatch(cmd, argumentsOf(m_values), groupsFor(m_picture.pixels(), 1024));
}

void ByHand::peer(VkCommandBuffer cmd)
{
    const Arguments arguments = argumentsOf(m_values);
    m_peerClassify.dispatch(cmd, arguments, groupsFor(m_picture.width, 8), groupsFor(m_picture.height, 8));
    computeBarrier(cmd);
    m_peerSetup.dispatch(cmd, arguments, 1);
    indirectBarrier(cmd);
    m_peerExpand.dispatchIndirect(cmd, arguments, m_extra.handle(), 4 * 4);
    indirectBarrier(cmd);
    for (uint32_t node = 0; node < m_picture.materials; ++node) {
        Values values = m_values;
        values.node = node;
        m_peerShade.dispatchIndirect(cmd, argumentsOf(values), m_extra.handle(), 4 * (512 + 4 * node));
    }
}

std::vector<uint32_t> coloursOf(const std::vector<uint32_t>& materials)
{
    std::vector<uint32_t> out;
    out.reserve(2 * materials.size());
    for (uint32_t material : materials) {
        out.push_back(material * 77 + 1);
        out.push_back(material);
    }
    return out;
}

uint32_t mostOf(const std::vector<uint32_t>& materials, uint32_t count)
{
    std::vector<uint32_t> counts(count);
    for (uint32_t material : materials)
        ++counts[material];
    return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

void classification(Bench& bench)
{
    const auto picture = bench.pick(Picture{3831, 1757, 111}, Picture{1916, 878, 111}, Picture{251, 130, 5});
    Memory materials(bench.device(), VkDeviceSize{picture.pixels()} * 4);
    Output colours(bench.device(), std::vector<uint32_t>(2 * picture.pixels()));
    ByHand byHand(bench, picture, materials, colours);
    Graph graph(bench.device(),
                {{"w01/classify", "classify", picture.definitions()},
                 {"w01/shade", "shade", picture.definitions(), picture.materials}},
                sizeof(GraphValues));
    graph.setArguments(argumentsOf(GraphValues{materials.address(), colours.address()}));
    graph.setLaunches({harness::launchWords("classify", 0, 1, {})});
    Case todo;
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { colours.clear(cmd); };
    todo.check = [&] { return colours.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "two passes, 4 pixels each", [&](VkCommandBuffer cmd) { byHand.twoPasses(cmd, 4); }},
        {Role::Hand, "two passes, 8 pixels each", [&](VkCommandBuffer cmd) { byHand.twoPasses(cmd, 8); }},
        {Role::Hand, "one pass, known capacities", [&](VkCommandBuffer cmd) { byHand.onePass(cmd); }},
        {Role::Hand, "one pass, an atomic for each pixel", [&](VkCommandBuffer cmd) { byHand.onePassSimple(cmd); }},
        {Role::Other, "fused", [&](VkCommandBuffer cmd) { byHand.fused(cmd); }},
    };
    if (bench.options().peer)
        todo.versions.push_back({Role::Peer, "published scheme", [&](VkCommandBuffer cmd) { byHand.peer(cmd); }});
    double logs = 0;
    const std::vector<uint32_t> sides{1, 8, 24, 128};
    for (uint32_t side : sides) {
        const std::vector<uint32_t> blocks = picture.blocks(side);
        materials.upload(blocks);
        colours.expect(coloursOf(blocks));
        byHand.setCapacity(mostOf(blocks, picture.materials));
        todo.name = text(picture.pixels()) + " pixels, R = " + text(side);
        const CaseResult result = bench.measure(todo);
        logs += std::log(result.graph() /
                         std::min(result.of("two passes, 4 pixels each"), result.of("two passes, 8 pixels each")));
    }
    bench.figure("graph / two passes, geometric mean", std::exp(logs / static_cast<double>(sides.size())), "");
}

}  // namespace millrace::bench
