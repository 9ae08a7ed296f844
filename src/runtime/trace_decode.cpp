// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace_decode.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "abi/trace.h"

namespace millrace::runtime {

namespace {

uint32_t kindOf(const graph::Node& node)
{
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            return abi::kKindStatic;
        case graph::LaunchMode::Dynamic:
            return abi::kKindDynamic;
        case graph::LaunchMode::Coalescing:
            return graph::isPacked(node) ? abi::kKindPacked : abi::kKindCoalescing;
    }
    return abi::kKindDynamic;
}

trace::Launch launchOf(const graph::Node& node)
{
    switch (kindOf(node)) {
        case abi::kKindStatic:
            return trace::Launch::Static;
        case abi::kKindCoalescing:
            return trace::Launch::Coalescing;
        case abi::kKindPacked:
            return trace::Launch::Packed;
        default:
            return trace::Launch::Dynamic;
    }
}

trace::Node describeNode(const graph::Graph& graph, const graph::Node& node)
{
    trace::Node out;
    out.name = node.declared.id.name;
    out.index = node.declared.id.index;
    out.entryPoint = node.declared.entryPoint;
    out.launch = launchOf(node);
    out.invocations = graph::invocationsOf(node.declared);
    out.staticWorkgroups = node.declared.mode == graph::LaunchMode::Static
                               ? node.declared.staticGrid[0] * node.declared.staticGrid[1] * node.declared.staticGrid[2]
                               : 1;
    out.maxInput = node.declared.maxInputPayloads;
    out.payloadBytes = node.declared.payloadBytes;
    out.maxRecursion = node.declared.maxRecursion;
    if (node.declared.sharesInputWith)
        out.sharesInputWith = graph.findNode(*node.declared.sharesInputWith).value_or(trace::kNone);
    // Depth first, nothing is reserved.
    for (const graph::NodeOutput& output : node.declared.outputs)
        out.outputs.push_back({output.targetName, output.payloadBytes, node.decided.depthFirst > 0 ? 0 : output.budget,
                               output.budgetPool});
    return out;
}

trace::Slot describeSlot(const graph::Graph& graph, const graph::Slot& slot)
{
    trace::Slot out{slot.node, slot.remaining, slot.queue, slot.level, {}};
    for (const uint32_t map : slot.outputMaps) {
        const std::set<uint32_t> distinct(graph.receivers[map].begin(), graph.receivers[map].end());
        out.outputQueues.emplace_back(distinct.begin(), distinct.end());
    }
    return out;
}

uint64_t roundUp(uint64_t value, uint64_t step)
{
    return step == 0 ? value : (value + step - 1) / step * step;
}

uint64_t divideUp(uint64_t value, uint64_t by)
{
    return (value + by - 1) / std::max<uint64_t>(by, 1);
}

}  // namespace

trace::Graph describe(const graph::Graph& graph, uint32_t id, const std::string& name)
{
    trace::Graph out;
    out.id = id;
    out.name = name;
    out.levels = static_cast<uint32_t>(graph.levels.size());
    for (const graph::Node& node : graph.nodes)
        out.nodes.push_back(describeNode(graph, node));
    for (const graph::Slot& slot : graph.slots)
        out.slots.push_back(describeSlot(graph, slot));
    for (const graph::Queue& queue : graph.queues) {
        const graph::Node& node = graph.nodes[graph.slots[queue.baseSlot].node];
        out.queues.push_back({queue.baseSlot, node.declared.payloadBytes, queue.stride});
    }
    return out;
}

TraceLayout traceLayout(const graph::Graph& graph, uint32_t timeCount, uint32_t markCount)
{
    TraceLayout layout;
    layout.timeCount = timeCount;
    layout.times = sizeof(abi::TraceSweep);
    layout.slots = layout.times + timeCount * static_cast<uint32_t>(sizeof(uint64_t));
    layout.streams = layout.slots + static_cast<uint32_t>(graph.slots.size() * sizeof(abi::TraceSlot));
    layout.levels = layout.streams + static_cast<uint32_t>(graph.streams.size() * sizeof(abi::TraceStream));
    layout.marks = layout.levels + static_cast<uint32_t>(graph.levels.size() * sizeof(abi::TraceLevel));
    layout.bytes = layout.marks + markCount * static_cast<uint32_t>(sizeof(uint64_t));
    return layout;
}

// A record, field by field: it lies in memory that the device writes.
struct TraceDecoder::Record {
    const TraceLayout& layout;
    std::span<const std::byte> bytes;

    template <typename T>
    T at(uint32_t offset, size_t index) const
    {
        T value;
        std::memcpy(&value, bytes.data() + offset + index * sizeof(T), sizeof(T));
        return value;
    }
    abi::TraceSweep sweep() const { return at<abi::TraceSweep>(0, 0); }
    uint64_t time(uint32_t i) const { return at<uint64_t>(layout.times, i); }
    abi::TraceSlot slot(uint32_t i) const { return at<abi::TraceSlot>(layout.slots, i); }
    abi::TraceStream stream(uint32_t i) const { return at<abi::TraceStream>(layout.streams, i); }
    abi::TraceLevel level(uint32_t i) const { return at<abi::TraceLevel>(layout.levels, i); }
    uint64_t mark(uint32_t i) const { return at<uint64_t>(layout.marks, i); }
};

// Empty where it cannot be said.
struct TraceDecoder::Sent {
    std::map<uint32_t, std::optional<uint64_t>> bySlot;
    std::map<uint32_t, std::optional<uint64_t>> byLevel;
};

TraceDecoder::TraceDecoder(const graph::Graph& graph, std::vector<uint32_t> apiNodes, uint32_t subgroupSize,
                           TraceClock clock)
    : m_graph(graph),
      m_apiNodes(std::move(apiNodes)),
      m_subgroupSize(subgroupSize),
      m_clock(clock),
      m_kept(graph.streams.size(), 0)
{
}

trace::Span TraceDecoder::span(const Record& record, TraceTimes times) const
{
    if (m_clock.mask == 0)
        return {};
    // Clocks of few bits go round, but not within a sweep.
    const uint64_t origin = record.time(0) & m_clock.mask;
    auto nanoseconds = [&](uint32_t i) {
        const uint64_t since = (record.time(i) - origin) & m_clock.mask;
        return static_cast<uint64_t>(static_cast<long double>(origin) * m_clock.period) +
               static_cast<uint64_t>(static_cast<long double>(since) * m_clock.period);
    };
    const uint64_t begin = nanoseconds(times.begin);
    return {begin, std::max(begin, nanoseconds(times.end))};
}

// Chunks of the API's payloads. Who looks for one more and finds none has counted as well.
uint64_t TraceDecoder::fedOf(const Record& record)
{
    return std::min(record.sweep().fed, record.sweep().toFeed);
}

// Payloads that a queue holds, read ones included.
uint64_t TraceDecoder::received(const Record& record, uint32_t queue) const
{
    uint64_t payloads = 0;
    for (uint32_t stream : m_graph.queues[queue].streams) {
        const abi::TraceStream found = record.stream(stream);
        payloads =
            std::max(payloads, m_graph.streams[stream].kind == abi::kStreamDynamic ? found.entries : found.units);
    }
    return payloads;
}

trace::NodeWork TraceDecoder::workOf(const Record& record, uint32_t slot) const
{
    const graph::Node& node = m_graph.nodes[m_graph.slots[slot].node];
    const abi::TraceSlot found = record.slot(slot);
    const uint64_t units = found.after - found.before;
    trace::NodeWork work;
    work.slot = slot;
    work.records = found.records;
    work.waiting = found.total - found.after;
    work.bytesRead = work.records * node.declared.payloadBytes;
    const uint64_t invocations = graph::invocationsOf(node.declared);
    switch (kindOf(node)) {
        case abi::kKindPacked:
            work.workgroups = units;
            work.lanesUsed = units;
            work.lanesHeld = units / node.decided.packWidth * node.decided.packWidth +
                             roundUp(units % node.decided.packWidth, m_subgroupSize);
            return work;
        case abi::kKindCoalescing:
            work.workgroups = divideUp(units, node.declared.maxInputPayloads);
            break;
        default:
            work.workgroups = units;
            break;
    }
    work.lanesUsed = work.workgroups * invocations;
    work.lanesHeld = graph::runsBeside(node) ? roundUp(work.lanesUsed, m_subgroupSize)
                                             : work.workgroups * roundUp(invocations, m_subgroupSize);
    return work;
}

void TraceDecoder::decodeWork(const Shape& shape, const Record& record, trace::Sweep& sweep) const
{
    for (uint32_t level = 0; level < shape.levels.size(); ++level)
        if (shape.levels[level].begin != shape.levels[level].end)
            sweep.levels.push_back({.level = level, .time = span(record, shape.levels[level])});
    for (uint32_t s = 0; s < shape.dispatch.steps.size(); ++s) {
        const trace::Step& step = shape.dispatch.steps[s];
        const auto level = std::ranges::find(sweep.levels, step.level, &trace::LevelWork::level);
        const bool alone = std::ranges::count(shape.dispatch.steps, step.level, &trace::Step::level) == 1;
        for (uint32_t slot : step.slots) {
            trace::NodeWork work = workOf(record, slot);
            if (work.workgroups == 0 && work.waiting == 0)
                continue;
            if (step.slots.size() == 1 && shape.dispatch.exact)
                work.time = span(record, shape.steps[s]);
            else if (step.slots.size() == 1 && alone)
                work.time = level->time;
            level->nodes.push_back(work);
        }
    }
}

void TraceDecoder::decodeQueues(const Record& record, trace::Sweep& sweep) const
{
    for (uint32_t q = 0; q < m_graph.queues.size(); ++q) {
        const graph::Queue& queue = m_graph.queues[q];
        uint64_t kept = 0;
        trace::QueueFill fill{.queue = q};
        for (uint32_t stream : queue.streams) {
            kept = std::max(kept, m_kept[stream]);
            fill.entries = std::max(fill.entries, record.stream(stream).entries);
        }
        const uint64_t payloads = received(record, q);
        fill.arrived = payloads - std::min(kept, payloads);
        sweep.bytesWritten += fill.arrived * m_graph.nodes[m_graph.slots[queue.baseSlot].node].declared.payloadBytes;
        if (payloads > 0)
            sweep.queues.push_back(fill);
    }
}

// Where steps are kept apart, what a step has sent is what its streams have received since it began.
TraceDecoder::Sent TraceDecoder::sentExactly(const Shape& shape, const Record& record) const
{
    Sent sent;
    std::vector<uint64_t> seen = m_kept;
    for (const TraceMarks& marks : shape.marks) {
        const trace::Step api;
        const trace::Step& step = marks.step == trace::kNone ? api : shape.dispatch.steps[marks.step];
        uint64_t bytes = 0;
        std::map<uint32_t, uint64_t> payloads;  // per queue: its streams receive the same
        for (uint32_t i = 0; i < marks.streams.size(); ++i) {
            const uint32_t stream = marks.streams[i];
            const uint64_t now = record.mark(marks.first + i);
            uint64_t& most = payloads[m_graph.streams[stream].queue];
            most = std::max(most, now - std::min(seen[stream], now));
            seen[stream] = now;
        }
        for (const auto& [queue, count] : payloads)
            bytes += count * m_graph.nodes[m_graph.slots[m_graph.queues[queue].baseSlot].node].declared.payloadBytes;
        for (uint32_t slot : step.slots)
            sent.bySlot[slot] = step.slots.size() == 1 ? std::optional(bytes) : std::nullopt;
        sent.byLevel[step.level] = sent.byLevel[step.level].value_or(0) + bytes;
    }
    return sent;
}

// Else what a queue has received is from whoever is the only one that has run and may send to it.
TraceDecoder::Sent TraceDecoder::sentByTheOnlyOne(const Record& record, const trace::Sweep& sweep) const
{
    constexpr uint32_t kApi = trace::kNone;
    std::map<uint32_t, std::set<uint32_t>> senders;  // per queue
    if (fedOf(record) > m_fed || m_fed == 0)
        for (uint32_t node : m_apiNodes)
            senders[m_graph.apiQueues[node]].insert(kApi);
    Sent sent;
    sent.byLevel[0] = 0;
    for (const trace::LevelWork& level : sweep.levels) {
        sent.byLevel[level.level] = 0;
        for (const trace::NodeWork& work : level.nodes) {
            if (work.workgroups == 0)
                continue;
            sent.bySlot[work.slot] = 0;
            for (const uint32_t map : m_graph.slots[work.slot].outputMaps)
                for (uint32_t queue : m_graph.receivers[map])
                    senders[queue].insert(work.slot);
        }
    }
    auto add = [](std::optional<uint64_t>& to, uint64_t bytes, bool certain) {
        to = certain && to ? std::optional(*to + bytes) : std::nullopt;
    };
    for (const trace::QueueFill& fill : sweep.queues) {
        if (fill.arrived == 0)
            continue;
        const uint64_t bytes =
            fill.arrived * m_graph.nodes[m_graph.slots[m_graph.queues[fill.queue].baseSlot].node].declared.payloadBytes;
        const std::set<uint32_t>& from = senders[fill.queue];
        std::set<uint32_t> levels;
        for (uint32_t slot : from) {
            levels.insert(slot == kApi ? 0 : m_graph.slots[slot].level);
            if (slot != kApi)
                add(sent.bySlot[slot], bytes, from.size() == 1);
        }
        for (uint32_t level : levels)
            add(sent.byLevel[level], bytes, levels.size() == 1);
    }
    return sent;
}

void TraceDecoder::decodeSent(const Shape& shape, const Record& record, trace::Sweep& sweep) const
{
    Sent sent = shape.dispatch.exact ? sentExactly(shape, record) : sentByTheOnlyOne(record, sweep);
    for (trace::LevelWork& level : sweep.levels) {
        level.bytesWritten = sent.byLevel[level.level];
        for (trace::NodeWork& work : level.nodes)
            work.bytesWritten = work.workgroups == 0 ? std::optional<uint64_t>(0) : sent.bySlot[work.slot];
    }
}

// Where everything fits nobody counts the memory that is in use, so it is what was sent.
void TraceDecoder::decodeMemory(const Shape& shape, const Record& record, trace::Sweep& sweep) const
{
    if (shape.dispatch.fits) {
        for (const trace::QueueFill& fill : sweep.queues)
            sweep.memoryBytes += fill.arrived * m_graph.queues[fill.queue].stride;
        for (trace::LevelWork& level : sweep.levels)
            level.memoryBytes = level.bytesWritten;
        return;
    }
    for (uint32_t level = 0; level < m_graph.levels.size(); ++level)
        sweep.memoryBytes += uint64_t{record.level(level).used} * abi::kGranuleBytes;
    for (trace::LevelWork& level : sweep.levels)
        level.memoryBytes = uint64_t{record.level(level.level).used} * abi::kGranuleBytes;
}

// As turn.comp does it: streams that nobody has to read any more are empty.
void TraceDecoder::finish(const Record& record)
{
    m_fed = fedOf(record);
    for (uint32_t s = 0; s < m_graph.streams.size(); ++s) {
        const graph::Stream& stream = m_graph.streams[s];
        const bool pending = std::ranges::any_of(stream.slots, [&](uint32_t slot) {
            return m_graph.slots[slot].level > 0 && record.slot(slot).after < record.slot(slot).total;
        });
        const abi::TraceStream found = record.stream(s);
        m_kept[s] = !pending ? 0 : stream.kind == abi::kStreamDynamic ? found.entries : found.units;
    }
}

trace::Sweep TraceDecoder::decode(const Shape& shape, std::span<const std::byte> bytes)
{
    const Record record{shape.layout, bytes};
    const abi::TraceSweep head = record.sweep();
    if (head.sweep == 0) {
        ++m_runs;
        m_fed = 0;
        std::ranges::fill(m_kept, 0);
    }
    trace::Sweep sweep;
    sweep.dispatch = shape.dispatch.id;
    sweep.run = m_runs - std::min(m_runs, 1u);
    sweep.number = head.sweep;
    sweep.error = head.error;
    sweep.dropped = head.errorCount;
    sweep.time = span(record, {0, shape.lastTime});
    decodeWork(shape, record, sweep);
    decodeQueues(record, sweep);
    decodeSent(shape, record, sweep);
    decodeMemory(shape, record, sweep);
    finish(record);
    return sweep;
}

}  // namespace millrace::runtime
