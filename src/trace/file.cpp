// SPDX-License-Identifier: Apache-2.0
#include "trace/file.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "trace/archive.h"

namespace millrace::trace {

namespace {

constexpr std::string_view kMagic = "MRTRACE1";

// What a part of the file holds.
constexpr char kDevice = 'D';
constexpr char kGraph = 'G';
constexpr char kDispatch = 'C';
constexpr char kSweep = 'S';
constexpr char kLost = 'L';
constexpr char kMeshPipeline = 'M';
constexpr char kMeshWork = 'W';
constexpr char kMeshFront = 'F';
constexpr char kGeneratedCall = 'K';
constexpr char kGeneratedWork = 'X';
constexpr std::string_view kTags = "DGCSLMWFKX";

std::string encode(const auto& value)
{
    Encoder encoder;
    encoder(value);
    return encoder.take();
}

bool knowsSlots(const Graph& graph)
{
    for (const Slot& slot : graph.slots) {
        if (slot.node >= graph.nodes.size() || slot.queue >= graph.queues.size() || slot.level >= graph.levels)
            return false;
        for (const auto& queues : slot.outputQueues)
            for (uint32_t queue : queues)
                if (queue >= graph.queues.size())
                    return false;
    }
    for (const Queue& queue : graph.queues)
        if (queue.slot >= graph.slots.size())
            return false;
    for (const Node& node : graph.nodes)
        if (node.sharesInputWith != kNone && node.sharesInputWith >= graph.nodes.size())
            return false;
    return true;
}

// Reads parts and checks that what they refer to was there before.
class Reader {
public:
    Reader(std::span<const char> bytes, Sink& sink) : m_bytes(bytes), m_sink(sink) {}

    Status run()
    {
        if (m_bytes.size() < kMagic.size() || std::string_view(m_bytes.data(), kMagic.size()) != kMagic)
            return Diagnostic{"trace", "", "this is no trace of Millrace (docs/trace.md)"};
        size_t at = kMagic.size();
        while (at + 5 <= m_bytes.size()) {
            const char tag = m_bytes[at];
            uint32_t length = 0;
            for (uint32_t i = 0; i < 4; ++i)
                length |= uint32_t{static_cast<uint8_t>(m_bytes[at + 1 + i])} << (8 * i);
            if (length > m_bytes.size() - at - 5)
                break;
            if (kTags.find(tag) == std::string_view::npos)
                return Diagnostic{"trace", "byte " + std::to_string(at),
                                  "a part of a kind that this version of Millrace does not know begins here. The trace "
                                  "is of a later version, or damaged"};
            if (!part(tag, m_bytes.subspan(at + 5, length)))
                return Diagnostic{"trace", "byte " + std::to_string(at), "the trace is damaged"};
            at += 5 + size_t{length};
        }
        if (at != m_bytes.size())
            return Diagnostic{"trace", "byte " + std::to_string(at),
                              "the trace is cut: a part of it begins here and does not end. The file was not copied "
                              "whole, or its process ended while it wrote"};
        return {};
    }

private:
    struct Shape {
        size_t slots, queues;
        uint32_t levels;
    };

    template <typename T>
    static bool decode(std::span<const char> bytes, T& out)
    {
        Decoder decoder(bytes);
        decoder(out);
        return !decoder.failed() && decoder.atEnd();
    }

    bool part(char tag, std::span<const char> bytes)
    {
        switch (tag) {
            case kDevice: {
                Device device;
                return decode(bytes, device) && (m_sink.device(device), true);
            }
            case kGraph: {
                Graph graph;
                if (!decode(bytes, graph) || !knowsSlots(graph))
                    return false;
                m_graphs[graph.id] = {graph.slots.size(), graph.queues.size(), graph.levels};
                m_sink.graph(graph);
                return true;
            }
            case kDispatch: {
                Dispatch dispatch;
                return decode(bytes, dispatch) && check(dispatch) && (m_sink.dispatch(dispatch), true);
            }
            case kSweep: {
                Sweep sweep;
                return decode(bytes, sweep) && check(sweep) && (m_sink.sweep(sweep), true);
            }
            case kLost: {
                uint64_t sweeps = 0;
                return decode(bytes, sweeps) && (m_sink.lost(sweeps), true);
            }
            case kMeshPipeline: {
                MeshPipeline pipeline;
                return decode(bytes, pipeline) && m_meshPipelines.insert(pipeline.id).second &&
                       (m_sink.meshPipeline(pipeline), true);
            }
            case kMeshWork: {
                MeshWork work;
                return decode(bytes, work) && m_meshPipelines.contains(work.pipeline) && (m_sink.meshWork(work), true);
            }
            case kMeshFront: {
                MeshFront front;
                return decode(bytes, front) && front.time.begin <= front.time.end && (m_sink.meshFront(front), true);
            }
            case kGeneratedCall: {
                GeneratedCall call;
                return decode(bytes, call) && m_pipelinesOfCalls.emplace(call.id, call.pipelines.size()).second &&
                       (m_sink.generatedCall(call), true);
            }
            case kGeneratedWork: {
                GeneratedWork work;
                return decode(bytes, work) && check(work) && (m_sink.generatedWork(work), true);
            }
            default:
                return false;
        }
    }

    bool check(const Dispatch& dispatch)
    {
        const auto graph = m_graphs.find(dispatch.graph);
        if (graph == m_graphs.end() || dispatch.queueEntries.size() != graph->second.queues ||
            dispatch.regionBytes.size() != graph->second.levels)
            return false;
        for (const Step& step : dispatch.steps)
            for (uint32_t slot : step.slots)
                if (slot >= graph->second.slots || step.level >= graph->second.levels)
                    return false;
        m_dispatches[dispatch.id] = graph->second;
        return true;
    }

    bool check(const Sweep& sweep) const
    {
        const auto dispatch = m_dispatches.find(sweep.dispatch);
        if (dispatch == m_dispatches.end())
            return false;
        for (const LevelWork& level : sweep.levels) {
            for (const NodeWork& node : level.nodes)
                if (node.slot >= dispatch->second.slots)
                    return false;
            if (level.level >= dispatch->second.levels)
                return false;
        }
        for (const QueueFill& fill : sweep.queues)
            if (fill.queue >= dispatch->second.queues)
                return false;
        return true;
    }

    bool check(const GeneratedWork& work) const
    {
        const auto pipelines = m_pipelinesOfCalls.find(work.call);
        return pipelines != m_pipelinesOfCalls.end() &&
               work.byPipeline.size() == (work.sequences ? pipelines->second : 0) &&
               std::ranges::all_of(work.times, [](const Span& time) { return time.begin <= time.end; });
    }

    std::span<const char> m_bytes;
    Sink& m_sink;
    std::map<uint32_t, Shape> m_graphs;
    std::map<uint32_t, Shape> m_dispatches;
    std::set<uint32_t> m_meshPipelines;
    std::map<uint32_t, size_t> m_pipelinesOfCalls;
};

}  // namespace

const char* nameOf(Launch launch)
{
    switch (launch) {
        case Launch::Static:
            return "static";
        case Launch::Dynamic:
            return "dynamic";
        case Launch::Coalescing:
            return "coalescing";
        case Launch::Packed:
            return "packed";
    }
    return "";
}

std::string traitsText(const Device& device)
{
    std::string text;
    for (const Trait& trait : device.traits)
        text += (text.empty() ? "" : ", ") + trait.name + " " + std::to_string(trait.value) + " (" + trait.origin + ")";
    return text;
}

Result<std::unique_ptr<FileWriter>> FileWriter::create(const std::string& path)
{
    auto file = OutputFile::create(path, kMagic);
    if (!file)
        return Diagnostic{"trace", "", file.error().message};
    return std::unique_ptr<FileWriter>(new FileWriter(std::move(*file)));
}

void FileWriter::write(char tag, const std::string& bytes)
{
    const auto length = static_cast<uint32_t>(bytes.size());
    const char head[5] = {tag, static_cast<char>(length), static_cast<char>(length >> 8),
                          static_cast<char>(length >> 16), static_cast<char>(length >> 24)};
    m_file->write(std::string(head, sizeof head) + bytes);
}

void FileWriter::device(const Device& device)
{
    write(kDevice, encode(device));
}

void FileWriter::graph(const Graph& graph)
{
    write(kGraph, encode(graph));
}

void FileWriter::dispatch(const Dispatch& dispatch)
{
    write(kDispatch, encode(dispatch));
}

void FileWriter::sweep(const Sweep& sweep)
{
    write(kSweep, encode(sweep));
}

void FileWriter::lost(uint64_t sweeps)
{
    write(kLost, encode(sweeps));
}

void FileWriter::meshPipeline(const MeshPipeline& pipeline)
{
    write(kMeshPipeline, encode(pipeline));
}

void FileWriter::meshWork(const MeshWork& work)
{
    write(kMeshWork, encode(work));
}

void FileWriter::meshFront(const MeshFront& front)
{
    write(kMeshFront, encode(front));
}

void FileWriter::generatedCall(const GeneratedCall& call)
{
    write(kGeneratedCall, encode(call));
}

void FileWriter::generatedWork(const GeneratedWork& work)
{
    write(kGeneratedWork, encode(work));
}

Status read(std::span<const char> bytes, Sink& sink)
{
    return Reader(bytes, sink).run();
}

}  // namespace millrace::trace
