// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome.h"

#include <algorithm>
#include <cstdio>

namespace millrace::trace {

namespace {

// What a process, which stands for a graph, shows beside each other.
constexpr uint32_t kSweeps = 1;
constexpr uint32_t kLevels = 2;
// Mesh pipelines are processes behind those of graphs.
constexpr uint32_t kMeshProcesses = 1'000'000;
constexpr uint32_t kMeshWork = 1;
// And calls of generated commands behind those.
constexpr uint32_t kCallProcesses = 2'000'000;
constexpr uint32_t kCallWork = 1;
constexpr uint32_t kCallTimes = 2;
// What runs in front of render passes.
constexpr uint32_t kFrontProcess = 3'000'000;
constexpr uint32_t kFronts = 1;
// Of what nobody has taken the time of.
constexpr uint64_t kShownNanoseconds = 1000;
const std::string kEnd = "\n]\n";
constexpr uint32_t kFirstNode = 10;  // nodes of one level run at the same time, so each has a line of its own

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            out += code;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// The JSON counts in microseconds.
std::string microseconds(uint64_t nanoseconds)
{
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%03u", static_cast<unsigned long long>(nanoseconds / 1000),
                  static_cast<unsigned>(nanoseconds % 1000));
    return text;
}

std::string number(const char* name, uint64_t value)
{
    return "\"" + std::string(name) + "\":" + std::to_string(value);
}

std::string sequencesText(const GeneratedCall& call, const GeneratedWork& work)
{
    std::string text = number("executions", work.executions);
    if (!work.sequences)
        return text + ",\"sequences\":" + quoted("unknown: " + call.unknown);
    text += "," + number("sequences", *work.sequences) + "," + number("at most", call.maxSequences);
    for (size_t i = 0; call.hasSet && i < work.byPipeline.size(); ++i)
        if (work.byPipeline[i] > 0)
            text += "," + quoted(call.pipelines[i]) + ":" + std::to_string(work.byPipeline[i]);
    return work.leftOut > 0 ? text + "," + number("left out", work.leftOut) : text;
}

std::string slice(uint32_t process, uint32_t thread, const std::string& name, const Span& time, const std::string& more)
{
    return "\"ph\":\"X\"," + number("pid", process) + "," + number("tid", thread) + ",\"name\":" + quoted(name) +
           ",\"ts\":" + microseconds(time.begin) + ",\"dur\":" + microseconds(time.end - time.begin) + ",\"args\":{" +
           more + "}";
}

std::string counter(uint32_t process, const std::string& name, uint64_t at, const std::string& values)
{
    return "\"ph\":\"C\"," + number("pid", process) + ",\"name\":" + quoted(name) + ",\"ts\":" + microseconds(at) +
           ",\"args\":{" + values + "}";
}

std::string nodeText(const Graph& graph, const Slot& slot)
{
    const Node& node = graph.nodes[slot.node];
    std::string text = node.name + "[" + std::to_string(node.index) + "]";
    if (node.maxRecursion > 0)
        text += ", " + std::to_string(slot.remaining) + " recursions left";
    return text;
}

std::string workText(const NodeWork& work)
{
    std::string text = number("records", work.records) + "," + number("workgroups", work.workgroups) + "," +
                       number("lanes used", work.lanesUsed) + "," + number("lanes held", work.lanesHeld) + "," +
                       number("bytes read", work.bytesRead);
    if (work.bytesWritten)
        text += "," + number("bytes written", *work.bytesWritten);
    if (work.waiting > 0)
        text += "," + number("waiting", work.waiting);
    return text;
}

}  // namespace

Result<std::unique_ptr<ChromeWriter>> ChromeWriter::create(const std::string& path)
{
    auto file = OutputFile::create(path, "[" + kEnd);
    if (!file)
        return Diagnostic{"trace", "", file.error().message};
    return std::unique_ptr<ChromeWriter>(new ChromeWriter(std::move(*file)));
}

void ChromeWriter::event(const std::string& members)
{
    m_events += (m_first ? "\n{" : ",\n{") + members + "}";
    m_first = false;
}

// The end is written each time, and written over by the next: a process may be killed at any time.
void ChromeWriter::commit()
{
    m_file->write(m_events + kEnd, kEnd.size());
    m_events.clear();
}

void ChromeWriter::nameThread(uint32_t process, uint32_t thread, const std::string& name)
{
    event("\"ph\":\"M\",\"name\":\"thread_name\"," + number("pid", process) + "," + number("tid", thread) +
          ",\"args\":{\"name\":" + quoted(name) + "}");
    event("\"ph\":\"M\",\"name\":\"thread_sort_index\"," + number("pid", process) + "," + number("tid", thread) +
          ",\"args\":{" + number("sort_index", thread) + "}");
}

void ChromeWriter::device(const Device& device)
{
    m_device = device.name + (device.traits.empty() ? "" : ", " + traitsText(device));
}

void ChromeWriter::graph(const Graph& graph)
{
    m_graphs[graph.id] = graph;
    m_lanes[graph.id] = 0;
    nameProcess(graph.id, graph.name);
    nameThread(graph.id, kSweeps, "sweeps");
    nameThread(graph.id, kLevels, "levels");
    commit();
}

void ChromeWriter::dispatch(const Dispatch& dispatch)
{
    m_dispatches[dispatch.id] = dispatch;
}

void ChromeWriter::level(const Graph& graph, const LevelWork& level)
{
    uint64_t records = 0;
    for (const NodeWork& work : level.nodes)
        records += work.records;
    std::string more = number("records", records);
    if (level.bytesWritten)
        more += "," + number("bytes written", *level.bytesWritten);
    const std::string name = level.level == 0 ? "level 0: API" : "level " + std::to_string(level.level);
    event(slice(graph.id, kLevels, name, level.time, more));
    uint32_t& lanes = m_lanes[graph.id];
    for (uint32_t i = 0; i < level.nodes.size(); ++i) {
        const NodeWork& work = level.nodes[i];
        if (i >= lanes)
            nameThread(graph.id, kFirstNode + lanes++, "nodes");
        event(slice(graph.id, kFirstNode + i, nodeText(graph, graph.slots[work.slot]), work.time.value_or(level.time),
                    workText(work)));
    }
    if (level.memoryBytes)
        event(counter(graph.id, "payload memory", level.time.end, number("bytes", *level.memoryBytes)));
}

void ChromeWriter::nameProcess(uint32_t process, const std::string& name)
{
    event("\"ph\":\"M\",\"name\":\"process_name\"," + number("pid", process) + ",\"args\":{\"name\":" + quoted(name) +
          "}");
    event("\"ph\":\"M\",\"name\":\"process_labels\"," + number("pid", process) +
          ",\"args\":{\"labels\":" + quoted(m_device) + "}");
}

void ChromeWriter::sweep(const Sweep& sweep)
{
    m_now = std::max(m_now, sweep.time.end);
    const Dispatch& dispatch = m_dispatches[sweep.dispatch];
    const Graph& graph = m_graphs[dispatch.graph];
    event(slice(graph.id, kSweeps, sweep.number == 0 ? graph.name : "continuation " + std::to_string(sweep.number),
                sweep.time,
                number("dispatch", sweep.dispatch) + "," + number("run", sweep.run) + "," +
                    number("sweep", sweep.number) + "," + number("steps", dispatch.steps.size()) + "," +
                    number("barriers", dispatch.barriersSweep + (sweep.number == 0 ? dispatch.barriersOnce : 0)) + "," +
                    number("scratch bytes", dispatch.scratchBytes) + "," + number("memory bytes", sweep.memoryBytes) +
                    "," + number("bytes written", sweep.bytesWritten)));
    for (const LevelWork& work : sweep.levels)
        level(graph, work);
    for (const QueueFill& fill : sweep.queues) {
        const Queue& queue = graph.queues[fill.queue];
        event(counter(graph.id, "queue of " + nodeText(graph, graph.slots[queue.slot]), sweep.time.end,
                      number("arrived", fill.arrived) + "," + number("entries", fill.entries)));
    }
    commit();
}

void ChromeWriter::lost(uint64_t sweeps)
{
    event("\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":0,\"name\":" +
          quoted(std::to_string(sweeps) + " sweeps were not recorded"));
    commit();
}

void ChromeWriter::meshPipeline(const MeshPipeline& pipeline)
{
    m_meshPipelines[pipeline.id] = pipeline;
    nameProcess(kMeshProcesses + pipeline.id, pipeline.name);
    nameThread(kMeshProcesses + pipeline.id, kMeshWork, "work");
    commit();
}

// Nobody has taken its time: it is shown behind all else.
void ChromeWriter::meshWork(const MeshWork& work)
{
    const MeshPipeline& pipeline = m_meshPipelines[work.pipeline];
    std::string more;
    const auto add = [&](const char* name, uint64_t value) { more += (more.empty() ? "" : ",") + number(name, value); };
    if (pipeline.hasTask) {
        add("task workgroups", work.taskGroups);
        add("empty task workgroups", work.emptyTaskGroups);
        add("emitted workgroups", work.emittedGroups);
    }
    if (pipeline.hasMesh) {
        add("workgroups", work.groups);
        add("empty workgroups", work.emptyGroups);
        add("culled workgroups", work.culledGroups);
        add("vertices", work.vertices);
        add("primitives", work.primitives);
        add("culled primitives", work.culledPrimitives);
    }
    event(slice(kMeshProcesses + work.pipeline, kMeshWork, pipeline.name, {m_now, m_now + kShownNanoseconds}, more));
    m_now += kShownNanoseconds;
    commit();
}

void ChromeWriter::meshFront(const MeshFront& front)
{
    if (!m_hasFronts) {
        nameProcess(kFrontProcess, "mesh shaders in front of render passes");
        nameThread(kFrontProcess, kFronts, "instances");
    }
    m_hasFronts = true;
    m_now = std::max(m_now, front.time.end);
    event(slice(kFrontProcess, kFronts, front.name, front.time, number("draws", front.draws)));
    commit();
}

void ChromeWriter::generatedCall(const GeneratedCall& call)
{
    m_generatedCalls[call.id] = call;
    nameProcess(kCallProcesses + call.id, "generated commands " + std::to_string(call.id + 1) + ": " + call.name);
    nameThread(kCallProcesses + call.id, kCallWork, "work");
    nameThread(kCallProcesses + call.id, kCallTimes, "executions");
    commit();
}

// Numbers as those of mesh shaders, which are of all executions together.
void ChromeWriter::generatedWork(const GeneratedWork& work)
{
    const GeneratedCall& call = m_generatedCalls[work.call];
    for (const Span& time : work.times) {
        event(slice(kCallProcesses + work.call, kCallTimes, call.way, time, ""));
        m_now = std::max(m_now, time.end);
    }
    event(slice(kCallProcesses + work.call, kCallWork, call.way, {m_now, m_now + kShownNanoseconds},
                sequencesText(call, work)));
    m_now += kShownNanoseconds;
    commit();
}

}  // namespace millrace::trace
