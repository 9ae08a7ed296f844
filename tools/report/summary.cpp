// SPDX-License-Identifier: Apache-2.0
#include "tools/report/summary.h"

#include <algorithm>
#include <set>

#include "trace/file.h"

namespace millrace::tools::report {

namespace {

class Summary final : public trace::Sink {
public:
    Summary(TraceSummary& out, size_t skippedRuns) : m_out(out), m_skippedRuns(skippedRuns) {}

    void device(const trace::Device& device) override { m_out.device = device; }
    void graph(const trace::Graph& graph) override
    {
        m_graphs[graph.id] = m_out.graphs.size();
        GraphSummary& summary = m_out.graphs.emplace_back();
        summary.shape = graph;
        summary.nodes.resize(graph.nodes.size());
    }
    void dispatch(const trace::Dispatch& dispatch) override;
    void sweep(const trace::Sweep& sweep) override;
    void lost(uint64_t sweeps) override { m_out.lostSweeps += sweeps; }
    void meshPipeline(const trace::MeshPipeline& pipeline) override
    {
        m_meshes[pipeline.id] = m_out.meshes.size();
        m_out.meshes.push_back({pipeline, {}});
    }
    void meshWork(const trace::MeshWork& work) override;
    void meshFront(const trace::MeshFront& front) override;
    void generatedCall(const trace::GeneratedCall& call) override
    {
        m_calls[call.id] = m_out.calls.size();
        m_out.calls.push_back({.shape = call});
    }
    void generatedWork(const trace::GeneratedWork& work) override;

    void finish();

private:
    // Of a graph: payloads that a queue received, by who may have sent them.
    using Senders = std::set<std::optional<uint32_t>>;
    struct Arrived {
        uint64_t payloads = 0;
        bool exact = true;
    };

    void level(const trace::Sweep& sweep, const trace::LevelWork& level, GraphSummary& graph, uint64_t& memory);
    void node(const trace::LevelWork& level, const trace::NodeWork& work, GraphSummary& graph, StepSummary& step,
              uint64_t& most);
    void flows(const trace::Sweep& sweep, size_t graph);

    // From 0, of those of a graph in the order in which they began.
    size_t runNumber(const trace::Sweep& sweep, size_t graph)
    {
        auto& known = m_runs[graph];
        return known.try_emplace({sweep.dispatch, sweep.run}, known.size()).first->second;
    }

    TraceSummary& m_out;
    size_t m_skippedRuns;
    std::map<size_t, std::map<std::pair<uint32_t, uint32_t>, size_t>> m_runs;
    std::map<uint32_t, size_t> m_graphs;
    std::map<uint32_t, size_t> m_meshes;
    std::map<uint32_t, size_t> m_calls;
    std::map<uint32_t, trace::Dispatch> m_dispatches;
    std::map<std::pair<size_t, std::pair<std::optional<uint32_t>, uint32_t>>, Arrived> m_flows;
};

void Summary::dispatch(const trace::Dispatch& dispatch)
{
    m_dispatches[dispatch.id] = dispatch;
    GraphSummary& graph = m_out.graphs[m_graphs.at(dispatch.graph)];
    ++graph.dispatches;
    graph.exact &= dispatch.exact;
    graph.fits &= dispatch.fits;
    graph.scratchBytes = std::max(graph.scratchBytes, dispatch.scratchBytes);
    graph.tableBytes = std::max(graph.tableBytes, dispatch.tableBytes);
    uint64_t regions = 0;
    for (uint64_t bytes : dispatch.regionBytes)
        regions += bytes;
    graph.regionBytes = std::max(graph.regionBytes, regions);
    m_out.timed &= dispatch.timed;
}

// What the workgroups of a node may send at most.
uint64_t budgetBytes(const trace::Node& node)
{
    std::map<uint32_t, uint64_t> pools;
    for (const trace::Output& output : node.outputs) {
        const uint64_t budget = output.pool < node.outputs.size() ? node.outputs[output.pool].budget : output.budget;
        pools[output.pool] = std::max(pools[output.pool], budget * output.payloadBytes);
    }
    uint64_t bytes = 0;
    for (const auto& [pool, most] : pools)
        bytes += most;
    return bytes;
}

void Summary::node(const trace::LevelWork& level, const trace::NodeWork& work, GraphSummary& graph, StepSummary& step,
                   uint64_t& most)
{
    const uint32_t index = graph.shape.slots[work.slot].node;
    NodeSummary& node = graph.nodes[index];
    if (work.workgroups == 0)
        return;
    if (node.activeLevels == 0)
        node.firstLevel = level.level;
    node.firstLevel = std::min(node.firstLevel, level.level);
    node.lastLevel = std::max(node.lastLevel, level.level);
    ++node.activeLevels;
    node.records += work.records;
    node.workgroups += work.workgroups;
    const uint64_t busy = lanesWithPayloads(graph.shape.nodes[index], work);
    node.lanesUsed += work.lanesUsed;
    node.lanesBusy += busy;
    node.lanesHeld += work.lanesHeld;
    node.bytesRead += work.bytesRead;
    node.budgetBytes += work.workgroups * budgetBytes(graph.shape.nodes[index]);
    node.bytesWritten.add(work.bytesWritten);
    node.nanoseconds.add(work.time ? std::optional(work.time->end - work.time->begin) : std::nullopt);
    node.most = std::max(node.most, work.workgroups);
    step.records += work.records;
    step.workgroups += work.workgroups;
    step.lanesBusy += busy;
    step.lanesHeld += work.lanesHeld;
    ++step.nodes;
    if (work.workgroups > most) {
        most = work.workgroups;
        step.busiest = index;
    }
}

void Summary::level(const trace::Sweep& sweep, const trace::LevelWork& level, GraphSummary& graph, uint64_t& memory)
{
    StepSummary step;
    step.graph = static_cast<uint32_t>(&graph - m_out.graphs.data());
    step.dispatch = sweep.dispatch;
    step.run = sweep.run;
    step.sweep = sweep.number;
    step.level = level.level;
    step.time = level.time;
    uint64_t most = 0;
    for (const trace::NodeWork& work : level.nodes)
        node(level, work, graph, step, most);
    // Never more than all of the sweep together.
    memory = std::min(memory + level.memoryBytes.value_or(0), sweep.memoryBytes);
    step.memoryBytes = memory;
    if (level.level > 0 && step.workgroups == 0) {
        ++graph.emptySteps;
        graph.emptyNanoseconds += level.time.end - level.time.begin;
    }
    m_out.steps.push_back(step);
}

void Summary::flows(const trace::Sweep& sweep, size_t index)
{
    const GraphSummary& graph = m_out.graphs[index];
    std::map<uint32_t, Senders> senders;  // per queue
    for (const trace::LevelWork& level : sweep.levels)
        for (const trace::NodeWork& work : level.nodes)
            if (work.workgroups > 0)
                for (const auto& queues : graph.shape.slots[work.slot].outputQueues)
                    for (uint32_t queue : queues)
                        senders[queue].insert(graph.shape.slots[work.slot].node);
    for (const trace::QueueFill& fill : sweep.queues) {
        if (fill.arrived == 0)
            continue;
        Senders& from = senders[fill.queue];
        if (from.empty())
            from.insert(std::nullopt);
        const uint32_t to = graph.shape.slots[graph.shape.queues[fill.queue].slot].node;
        for (const std::optional<uint32_t>& sender : from) {
            Arrived& arrived = m_flows[{index, {sender, to}}];
            arrived.payloads += fill.arrived;
            arrived.exact &= from.size() == 1;
        }
    }
}

void Summary::sweep(const trace::Sweep& sweep)
{
    const trace::Dispatch& dispatch = m_dispatches.at(sweep.dispatch);
    const size_t index = m_graphs.at(dispatch.graph);
    const size_t run = runNumber(sweep, index);
    if (run < m_skippedRuns)
        return;
    GraphSummary& graph = m_out.graphs[index];
    ++graph.sweeps;
    graph.runs += sweep.number == 0 ? 1 : 0;
    graph.steps += dispatch.steps.size();
    graph.barriers += dispatch.barriersSweep + (sweep.number == 0 ? dispatch.barriersOnce : 0);
    graph.nanoseconds += sweep.time.end - sweep.time.begin;
    graph.runNanoseconds.resize(m_runs[index].size() - m_skippedRuns);
    graph.runNanoseconds[run - m_skippedRuns] += sweep.time.end - sweep.time.begin;
    graph.bytesWritten += sweep.bytesWritten;
    graph.memoryBytes = std::max(graph.memoryBytes, sweep.memoryBytes);
    if (sweep.error != 0) {
        graph.error = sweep.error;
        graph.dropped = std::max(graph.dropped, sweep.dropped);
    }
    uint64_t memory = 0;
    for (const trace::LevelWork& work : sweep.levels)
        level(sweep, work, graph, memory);
    flows(sweep, index);
}

void addEach(const std::vector<uint64_t>& part, std::vector<uint64_t>& sum)
{
    sum.resize(std::max(sum.size(), part.size()));
    for (size_t i = 0; i < part.size(); ++i)
        sum[i] += part[i];
}

void Summary::meshWork(const trace::MeshWork& work)
{
    trace::MeshWork& sum = m_out.meshes[m_meshes.at(work.pipeline)].work;
    sum.taskGroups += work.taskGroups;
    sum.emptyTaskGroups += work.emptyTaskGroups;
    sum.emittedGroups += work.emittedGroups;
    sum.groups += work.groups;
    sum.emptyGroups += work.emptyGroups;
    sum.culledGroups += work.culledGroups;
    sum.vertices += work.vertices;
    sum.primitives += work.primitives;
    sum.culledPrimitives += work.culledPrimitives;
    addEach(work.vertexFill, sum.vertexFill);
    addEach(work.primitiveFill, sum.primitiveFill);
    sum.mostEmitted = std::max(sum.mostEmitted, work.mostEmitted);
    sum.mostVertices = std::max(sum.mostVertices, work.mostVertices);
    sum.mostPrimitives = std::max(sum.mostPrimitives, work.mostPrimitives);
}

void Summary::meshFront(const trace::MeshFront& front)
{
    ++m_out.fronts.instances;
    m_out.fronts.draws += front.draws;
    m_out.fronts.nanoseconds += front.time.end - front.time.begin;
}

void Summary::generatedWork(const trace::GeneratedWork& work)
{
    CallSummary& sum = m_out.calls[m_calls.at(work.call)];
    sum.executions += work.executions;
    sum.sequences += work.sequences.value_or(0);
    addEach(work.byPipeline, sum.byPipeline);
    sum.leftOut += work.leftOut;
    sum.timed += work.times.size();
    for (const trace::Span& time : work.times)
        sum.nanoseconds += time.end - time.begin;
}

void Summary::finish()
{
    for (const auto& [key, arrived] : m_flows)
        m_out.graphs[key.first].flows.push_back({key.second.first, key.second.second, arrived.payloads, arrived.exact});
    std::ranges::stable_sort(m_out.steps, {}, [](const StepSummary& step) { return step.time.begin; });
}

}  // namespace

uint64_t GraphSummary::laterRunNanoseconds() const
{
    if (runNanoseconds.size() < 2)
        return 0;
    std::vector<uint64_t> later(runNanoseconds.begin() + 1, runNanoseconds.end());
    const auto middle = later.begin() + static_cast<ptrdiff_t>(later.size() / 2);
    std::ranges::nth_element(later, middle);
    return *middle;
}

bool GraphSummary::startsSlowly() const
{
    return runNanoseconds.size() > 1 && runNanoseconds[0] > nanoseconds / 2 &&
           runNanoseconds[0] > 4 * laterRunNanoseconds();
}

Result<TraceSummary> summarize(const std::string& bytes, size_t skippedRuns)
{
    TraceSummary out;
    Summary summary(out, skippedRuns);
    const Status status = trace::read(bytes, summary);
    if (!status)
        return status.error();
    summary.finish();
    return out;
}

uint64_t lanesWithPayloads(const trace::Node& node, const trace::NodeWork& work)
{
    const uint64_t room = work.workgroups * node.maxInput;
    if (node.launch != trace::Launch::Coalescing || node.maxInput <= 1 || work.records >= room)
        return work.lanesUsed;
    return static_cast<uint64_t>(static_cast<double>(work.lanesUsed) * static_cast<double>(work.records) /
                                 static_cast<double>(room));
}

bool isCounted(const GraphSummary& graph, uint32_t node)
{
    if (graph.nodes[node].workgroups > 0)
        return true;
    std::set<uint32_t> own;
    for (const trace::Slot& slot : graph.shape.slots)
        if (slot.node == node)
            own.insert(slot.queue);
    const auto sends = [&](const trace::Slot& slot) {
        return std::ranges::any_of(slot.outputQueues, [&](const std::vector<uint32_t>& queues) {
            return std::ranges::any_of(queues, [&](uint32_t queue) { return own.contains(queue); });
        });
    };
    return std::ranges::any_of(graph.shape.slots, sends);
}

std::string nameOf(const trace::Node& node)
{
    return node.name + (node.index > 0 ? "[" + std::to_string(node.index) + "]" : "");
}

}  // namespace millrace::tools::report
