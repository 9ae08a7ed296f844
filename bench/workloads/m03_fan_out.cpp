// SPDX-License-Identifier: Apache-2.0
// M3: payloads of many sizes to a single-invocation node: bandwidth.
#include <memory>

#include "bench/workloads/fan_out.h"
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr const char* kBytesAxis = "bytes a payload";

struct Values {
    VkDeviceAddress sums, records, extra;
    uint32_t count;
    uint32_t padding = 0;
};

class FanOut {
public:
    FanOut(Bench& bench, const FanOutShape& shape)
        : m_bench(bench),
          m_shape(shape),
          m_sums(bench.device(), shape.sums()),
          m_records(bench.device(), shape.bytes()),
          m_values{m_sums.address(), m_records.address(), 0, shape.payloads}
    {
    }

    CaseResult measure();

private:
    struct TwoKernels {
        Kernel spread, absorb;
    };
    std::unique_ptr<TwoKernels> kernels(const char* layout) const;
    void byHand(VkCommandBuffer cmd, const TwoKernels& kernels) const;
    // With fewer offset bits than that the published format cannot say where a payload is.
    bool hasPeer() const { return m_bench.options().peer && m_shape.payloads <= 1u << 24 && 64 * m_shape.each <= 256; }
    void addPeer(Case& todo);

    Bench& m_bench;
    FanOutShape m_shape;
    Output m_sums;
    Memory m_records;
    Values m_values;
    std::unique_ptr<Memory> m_extra;
    std::vector<std::unique_ptr<Kernel>> m_peer;
};

std::unique_ptr<FanOut::TwoKernels> FanOut::kernels(const char* layout) const
{
    Definitions definitions = m_shape.definitions();
    definitions.emplace_back(layout, "");
    Definitions second = definitions;
    second.emplace_back("ABSORB", "");
    return std::unique_ptr<TwoKernels>(new TwoKernels{{m_bench.device(), "m03/by_hand", sizeof(Values), definitions},
                                                      {m_bench.device(), "m03/by_hand", sizeof(Values), second}});
}

void FanOut::byHand(VkCommandBuffer cmd, const TwoKernels& kernels) const
{
    kernels.spread.dispatch(cmd, argumentsOf(m_values), m_shape.gridX(), m_shape.gridY());
    computeBarrier(cmd);
    kernels.absorb.dispatchRows(cmd, argumentsOf(m_values), groupsFor(m_shape.payloads, 256));
}

void FanOut::addPeer(Case& todo)
{
    // Subgroups have four invocations or more.
    m_extra = std::make_unique<Memory>(m_bench.device(),
                                       VkDeviceSize{4} * (16 + m_shape.payloads + 2 * 16 * m_shape.groups()));
    m_bench.submit([&](VkCommandBuffer cmd) { m_extra->fill(cmd, 0); });
    m_values.extra = m_extra->address();
    for (const char* name : {"spread", "setup", "expand", "absorb"})
        m_peer.push_back(std::make_unique<Kernel>(m_bench.device(), std::string("m03/peer_") + name, sizeof(Values),
                                                  m_shape.definitions()));
    todo.versions.push_back({Role::Peer, "published scheme", [this](VkCommandBuffer cmd) {
                                 const Arguments arguments = argumentsOf(m_values);
                                 m_peer[0]->dispatch(cmd, arguments, m_shape.gridX(), m_shape.gridY());
                                 computeBarrier(cmd);
                                 m_peer[1]->dispatch(cmd, arguments, 1);
                                 indirectBarrier(cmd);
                                 m_peer[2]->dispatchIndirect(cmd, arguments, m_extra->handle(), 4 * 4);
                                 indirectBarrier(cmd);
                                 m_peer[3]->dispatchIndirect(cmd, arguments, m_extra->handle(), 4 * 8);
                             }});
}

CaseResult FanOut::measure()
{
    const std::unique_ptr<Graph> graph = m_shape.createGraph(m_bench.device(), m_sums.address());
    const auto linear = kernels("LINEAR");
    const auto planar = kernels("PLANAR");
    Case todo;
    todo.name =
        text(m_shape.payloads) + " payloads of " + text(m_shape.words * 4) + " bytes, " + text(m_shape.each) + " each";
    if (m_shape.inMemory)
        todo.name += ", in memory";
    if (m_shape.isIndexed)
        todo.name += ", indexed";
    todo.axis = m_shape.axis;
    todo.x = todo.axis == kBytesAxis ? m_shape.words * 4 : m_shape.payloads;
    if (!todo.axis.empty()) {
        todo.graph = graph.get();
        todo.liveBytes = m_shape.inMemory ? m_shape.bytes() : 0;
    }
    todo.scratchBytes = graph->scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { m_sums.clear(cmd); };
    todo.check = [&] { return m_sums.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph->record(cmd); }},
        {Role::Hand, "known places", [&](VkCommandBuffer cmd) { byHand(cmd, *linear); }},
        {Role::Hand, "known places, planar", [&](VkCommandBuffer cmd) { byHand(cmd, *planar); }},
    };
    if (hasPeer())
        addPeer(todo);
    const CaseResult result = m_bench.measure(todo);
    const double bytes = 2.0 * static_cast<double>(m_shape.bytes());
    for (const char* version : {"graph", "known places"})
        m_bench.figure(std::string("payloads written and read, ") + version, bytes / result.of(version) * 1e-3, "GB/s");
    return result;
}

// Series: payloads of 16 bytes up to 64 M, which fusion keeps out of memory, and which it cannot; and larger ones.
std::vector<FanOutShape> growing(const Bench& bench)
{
    std::vector<FanOutShape> shapes;
    const uint32_t first = bench.pick(20u, 20u, 16u), last = bench.pick(26u, 22u, 18u);
    for (const bool inMemory : {false, true})
        for (uint32_t shift = first; shift <= last; ++shift)
            shapes.push_back({1u << shift, 4, 4, inMemory ? "payloads in memory" : "payloads", inMemory});
    for (uint32_t words = 1; words <= 64; words *= 2)
        shapes.push_back({bench.pick(1u << 22, 1u << 17, 1u << 12), words, 4, kBytesAxis, true});
    return shapes;
}

// Payloads by hand and in scratch memory with their entries, results and what they have to be.
bool hasMemory(Bench& bench, const FanOutShape& shape)
{
    constexpr VkDeviceSize kScratch = VkDeviceSize{4} << 30;  // main.cpp asks for no more
    return bench.hasMemory(shape.bytes() + VkDeviceSize{shape.payloads} * 8 + kScratch,
                           text(shape.payloads) + " payloads of " + text(shape.words * 4) + " bytes");
}

}  // namespace

void fanOut(Bench& bench)
{
    std::vector<FanOutShape> shapes = bench.pick<std::vector<FanOutShape>>(
        {{1 << 24, 1, 4},
         {1 << 24, 4, 4},
         {1 << 26, 4, 4},
         {1 << 24, 16, 4},
         {1 << 22, 64, 4},
         {1 << 20, 256, 1},
         {1 << 24, 4, 64},
         {1 << 24, 16, 4, "", false, true},
         {1 << 22, 64, 4, "", false, true},
         {1 << 22, 64, 1, "", false, true},
         {1 << 20, 256, 1, "", false, true}},
        {{1 << 20, 1, 4}, {1 << 20, 4, 4}, {1 << 18, 16, 4}, {1 << 16, 64, 4}, {1 << 18, 4, 64}},
        {{1 << 12, 1, 4}, {1 << 12, 4, 64}, {1 << 10, 256, 1}, {1 << 10, 16, 4, "", false, true}});
    if (bench.options().growth) {
        const std::vector<FanOutShape> more = growing(bench);
        shapes.insert(shapes.end(), more.begin(), more.end());
    }
    for (const FanOutShape& shape : shapes)
        if (shape.axis == std::string() || hasMemory(bench, shape))
            FanOut(bench, shape).measure();
}

}  // namespace millrace::bench
