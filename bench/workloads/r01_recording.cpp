// SPDX-License-Identifier: Apache-2.0
// R1: what a dispatch costs the host, which is the recording of it: nodes that send nothing, two levels that are proven
// to fit, and two that are not; and the longest of all, the first dispatch of a graph that has just been created. By
// hand it is a copy of the payloads, and a dispatch for each level.
#include <algorithm>
#include <chrono>
#include <ctime>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kWords = 1u << 20;  // that the nodes add to

// Of the calling thread, so that neither other programs nor threads of the layer's or the driver's count.
double processorMicroseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double wallMicroseconds()
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Kind {
    const char* name;
    bool hasLevels;
    VkDeviceSize scratchLimit;
};

class Recording {
public:
    Recording(Bench& bench, const Kind& kind, uint32_t inputs) : m_bench(bench), m_kind(kind), m_inputs(inputs)
    {
        for (uint32_t i = 0; i < inputs; ++i)
            if (kind.hasLevels)
                m_payloads.insert(m_payloads.end(), {1, 0, 1, i * 64 % kWords, 1});
            else
                m_payloads.insert(m_payloads.end(), {1, i % kWords, 1});
    }

    void measure();

private:
    std::unique_ptr<Graph> createGraph();
    double time(uint32_t count, double (*now)(), const std::function<void(VkCommandBuffer)>& record);

    Bench& m_bench;
    const Kind& m_kind;
    const uint32_t m_inputs;
    std::vector<uint32_t> m_payloads;
    Memory m_sums{m_bench.device(), VkDeviceSize{kWords} * 4};
};

std::unique_ptr<Graph> Recording::createGraph()
{
    std::vector<Node> nodes = {{"d01/leaf", "leaf", {}}};
    if (m_kind.hasLevels)
        nodes = {{"s02/entry", "entry", {{"GRIDS", ""}}}, {"s02/add", "add", {{"GRIDS", ""}}}};
    auto graph = std::make_unique<Graph>(m_bench.device(), nodes, 8, m_kind.scratchLimit);
    graph->setArguments(argumentsOf(m_sums.address()));
    graph->setLaunches({harness::launchWords(nodes[0].node, 0, m_inputs, m_payloads)});
    return graph;
}

// Microseconds of one of `count` recordings; what is recorded runs behind it.
double Recording::time(uint32_t count, double (*now)(), const std::function<void(VkCommandBuffer)>& record)
{
    double taken = 0;
    m_bench.submit([&](VkCommandBuffer cmd) {
        const double start = now();
        for (uint32_t i = 0; i < count; ++i)
            record(cmd);
        taken = now() - start;
    });
    return taken / count;
}

void Recording::measure()
{
    // Of S2. Its workgroup has nothing to do: what runs is not measured.
    struct {
        VkDeviceAddress sums, inputs, list;
        uint32_t count = 0, padding = 0;
    } values{m_sums.address(), m_sums.address(), m_sums.address()};
    const Kernel kernel(m_bench.device(), "s02/by_hand", sizeof values);
    std::vector<uint32_t> copy(m_payloads.size());
    const auto byHand = [&](VkCommandBuffer cmd) {
        std::ranges::copy(m_payloads, copy.begin());
        kernel.dispatch(cmd, argumentsOf(values), 1);
        if (m_kind.hasLevels) {
            computeBarrier(cmd);
            kernel.dispatch(cmd, argumentsOf(values), 1);
        }
    };
    const uint32_t count = m_inputs > 10'000 ? 4 : 32;
    Times graph{Role::Graph, "graph", {}}, first{Role::Other, "first, by the clock", {}};
    Times hand{Role::Hand, "copy and dispatch", {}};
    for (uint32_t i = 0; i <= m_bench.options().runs; ++i) {
        const std::unique_ptr<Graph> own = createGraph();
        const auto record = [&](VkCommandBuffer cmd) { own->record(cmd); };
        const double firstTime = time(1, wallMicroseconds, record);
        const double took = time(count, processorMicroseconds, record);
        const double byHandTook = time(count, processorMicroseconds, byHand);
        if (i == 0)
            continue;
        first.runs.push_back(firstTime);
        graph.runs.push_back(took);
        hand.runs.push_back(byHandTook);
    }
    const std::string name = "recording " + text(m_inputs) + " inputs, " + m_kind.name;
    m_bench.add(name, {graph, hand, first});
    m_bench.figure("longest first dispatch, " + name, *std::ranges::max_element(first.runs), "us");
}

}  // namespace

void recording(Bench& bench)
{
    static const Kind kinds[] = {
        {"a leaf", false, VK_WHOLE_SIZE},
        {"two levels", true, VK_WHOLE_SIZE},
        {"two levels, least scratch memory", true, 1},
    };
    for (const Kind& kind : kinds)
        for (const uint32_t inputs : bench.pick<std::vector<uint32_t>>({1, 1000, 100'000}, {1, 1000, 10'000}, {1, 40}))
            Recording(bench, kind, inputs).measure();
}

}  // namespace millrace::bench
