// SPDX-License-Identifier: Apache-2.0
// Writes a trace of three graphs, a mesh shader and generated commands that never ran, as large as is wanted, for tests
// of what shows traces: make_trace FILE NODES STEPS [LEVELS].
#include <cstdio>
#include <cstdlib>

#include "trace/file.h"

namespace millrace::trace {

// Without that of the API.
constexpr uint32_t kLevels = 20;

namespace {

// Nodes are spread over the levels evenly; each sends to two of the next level.
Graph layered(uint32_t id, uint32_t nodes, uint32_t levels)
{
    Graph graph{.id = id, .name = "graph of " + std::to_string(nodes) + " nodes", .levels = levels + 1};
    const uint32_t perLevel = (nodes + levels - 1) / levels;
    for (uint32_t n = 0; n < nodes; ++n) {
        const uint32_t level = n / perLevel + 1;
        Node node{.name = "stage " + std::to_string(level) + " part " + std::to_string(n % perLevel),
                  .entryPoint = "main",
                  .launch = static_cast<Launch>(n % 4),
                  .invocations = n % 4 == 3 ? 1u : 64u,
                  .maxInput = n % 4 == 2 ? 8u : 1u,
                  .payloadBytes = 16};
        Slot slot{.node = n, .queue = n, .level = level};
        for (uint32_t other : {0u, 7u}) {
            const uint32_t target = level * perLevel + (n + other) % perLevel;
            if (target >= nodes)
                continue;
            node.outputs.push_back(
                {"stage " + std::to_string(level + 1), 16, 64, static_cast<uint32_t>(node.outputs.size())});
            slot.outputQueues.push_back({target});
        }
        graph.nodes.push_back(node);
        graph.slots.push_back(slot);
        graph.queues.push_back({n, 16, 16});
    }
    return graph;
}

Dispatch dispatchOf(const Graph& graph, uint32_t id)
{
    Dispatch dispatch{.id = id, .graph = graph.id, .timed = true, .scratchBytes = 64 << 20, .tableBytes = 1 << 20};
    dispatch.regionBytes.assign(graph.levels, 1 << 20);
    dispatch.queueEntries.assign(graph.queues.size(), 1 << 16);
    for (uint32_t slot = 0; slot < graph.slots.size(); ++slot)
        dispatch.steps.push_back({graph.slots[slot].level, {slot}, 64});
    dispatch.barriersOnce = 2;
    dispatch.barriersSweep = graph.levels + 1;
    return dispatch;
}

// Of a level only every eighth node has work.
Sweep sweepOf(const Graph& graph, const Dispatch& dispatch, uint32_t number, uint64_t& now)
{
    Sweep sweep{.dispatch = dispatch.id, .run = number / 5, .number = number % 5};
    sweep.time.begin = now;
    for (uint32_t level = 1; level < graph.levels; ++level) {
        LevelWork work{.level = level, .memoryBytes = uint64_t{1000} * ((number + level) % 40)};
        work.time.begin = now;
        now += 1000 + 200 * ((number * 7 + level * 3) % 11);
        work.time.end = now;
        for (uint32_t slot = 0; slot < graph.slots.size(); ++slot) {
            if (graph.slots[slot].level != level || (slot + number) % 8 != 0)
                continue;
            const uint64_t groups = 1 + (slot + number) % 5;
            work.nodes.push_back({.slot = slot,
                                  .records = groups,
                                  .workgroups = groups,
                                  .lanesUsed = groups * (16 + slot % 4 * 16),
                                  .lanesHeld = groups * 64,
                                  .bytesRead = groups * 16 * (1 + slot % 3),
                                  .bytesWritten = groups * 32});
            sweep.queues.push_back({slot, groups, groups});
            sweep.bytesWritten += groups * 16;
        }
        sweep.levels.push_back(work);
    }
    sweep.time.end = now;
    sweep.memoryBytes = 40'000;
    return sweep;
}

// A graph that runs five times: a driver compiles in the first run, and the host does something else between them.
void writeSlowStart(Sink& to, uint64_t now)
{
    const Graph graph = layered(3, 3, 3);
    const Dispatch dispatch = dispatchOf(graph, 3);
    to.graph(graph);
    to.dispatch(dispatch);
    for (uint32_t run = 0; run < 5; ++run) {
        now += 100'000'000;
        const uint64_t begin = now;
        Sweep sweep = sweepOf(graph, dispatch, 0, now);
        sweep.run = run;
        if (run == 0) {
            now += 5'000'000;
            sweep.levels.back().time.end = sweep.time.end = now;
        }
        sweep.time.begin = begin;
        to.sweep(sweep);
    }
}

// One that ran, and one that did not.
void writeMeshes(Sink& to)
{
    const MeshPipeline pipeline{.id = 0,
                                .name = "mesh pipeline 1 (grass.mesh)",
                                .hasMesh = true,
                                .corners = 3,
                                .maxVertices = 64,
                                .maxPrimitives = 126};
    to.meshPipeline(pipeline);
    to.meshPipeline({.id = 1, .name = "mesh pipeline 2", .hasMesh = true});
    to.meshWork({.pipeline = 0,
                 .groups = 1000,
                 .emptyGroups = 500,
                 .vertices = 20'000,
                 .primitives = 30'000,
                 .culledPrimitives = 3'000,
                 .vertexFill = std::vector<uint64_t>(9),
                 .primitiveFill = std::vector<uint64_t>(9),
                 .mostVertices = 64,
                 .mostPrimitives = 126});
}

// With a set, and uncounted.
void writeCalls(Sink& to)
{
    to.generatedCall({.id = 0,
                      .name = "call 1",
                      .way = "draws from the stream",
                      .tokens = {"EXECUTION_SET", "DRAW"},
                      .maxSequences = 2000,
                      .combined = true,
                      .hasSet = true,
                      .pipelines = {"index 0 'firs'", "index 1"}});
    to.generatedWork({.call = 0,
                      .executions = 2,
                      .sequences = 2345,
                      .byPipeline = {1234, 1100},
                      .leftOut = 11,
                      .times = {{1000, 3500}, {5000, 6500}}});
    to.meshFront({.name = "render pass instance 1", .draws = 3, .time = {7000, 9000}});
    to.generatedCall({.id = 1,
                      .name = "call 2",
                      .way = "draws from the stream",
                      .tokens = {"DRAW"},
                      .maxSequences = 10,
                      .pipelines = {"pipeline"},
                      .unknown = "nobody was there"});
    to.generatedWork({.call = 1, .executions = 3});
}

int write(const char* path, uint32_t nodes, uint32_t steps, uint32_t levels)
{
    const auto writer = FileWriter::create(path);
    if (!writer) {
        std::fprintf(stderr, "make_trace: %s\n", writer.error().text().c_str());
        return 1;
    }
    (*writer)->device({"a device that never was", "path = direct", 32});
    uint64_t now = 0;
    for (const auto& [id, size] : {std::pair(1u, nodes), std::pair(2u, 3u)}) {
        const Graph graph = layered(id, size, levels);
        const Dispatch dispatch = dispatchOf(graph, id);
        (*writer)->graph(graph);
        (*writer)->dispatch(dispatch);
        for (uint32_t sweep = 0; sweep < (id == 1 ? steps / levels : 2); ++sweep)
            (*writer)->sweep(sweepOf(graph, dispatch, sweep, now));
    }
    writeSlowStart(**writer, now);
    writeMeshes(**writer);
    writeCalls(**writer);
    return 0;
}

}  // namespace

}  // namespace millrace::trace

int main(int argc, char** argv)
{
    if (argc != 4 && argc != 5) {
        std::fputs("usage: make_trace FILE NODES STEPS [LEVELS]\n", stderr);
        return 2;
    }
    return millrace::trace::write(argv[1], static_cast<uint32_t>(std::atoi(argv[2])),
                                  static_cast<uint32_t>(std::atoi(argv[3])),
                                  argc == 5 ? static_cast<uint32_t>(std::atoi(argv[4])) : millrace::trace::kLevels);
}
