// SPDX-License-Identifier: Apache-2.0
// The fields of a trace in the order of the compact file, once for writing and reading. Numbers have seven bits to a
// byte, the lowest first.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "trace/trace.h"

namespace millrace::trace {

// Visitors of fields are called with each of them. `Is` says whether T is that type, const or not.
template <typename T, typename Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

void visit(auto& a, Is<Output> auto& v)
{
    a(v.target, v.payloadBytes, v.budget, v.pool);
}
void visit(auto& a, Is<Node> auto& v)
{
    a(v.name, v.index, v.entryPoint, v.launch, v.invocations, v.staticWorkgroups, v.maxInput, v.payloadBytes,
      v.maxRecursion, v.sharesInputWith, v.outputs);
}
void visit(auto& a, Is<Slot> auto& v)
{
    a(v.node, v.remaining, v.queue, v.level, v.outputQueues);
}
void visit(auto& a, Is<Queue> auto& v)
{
    a(v.slot, v.payloadBytes, v.strideBytes);
}
void visit(auto& a, Is<Graph> auto& v)
{
    a(v.id, v.name, v.nodes, v.slots, v.queues, v.levels);
}
void visit(auto& a, Is<Step> auto& v)
{
    a(v.level, v.slots, v.groups);
}
void visit(auto& a, Is<Dispatch> auto& v)
{
    a(v.id, v.graph, v.fits, v.indirect, v.exact, v.timed, v.scratchBytes, v.tableBytes, v.regionBytes, v.queueEntries,
      v.steps, v.barriersOnce, v.barriersSweep);
}
void visit(auto& a, Is<Span> auto& v)
{
    a(v.begin, v.end);
}
void visit(auto& a, Is<NodeWork> auto& v)
{
    a(v.slot, v.records, v.workgroups, v.lanesUsed, v.lanesHeld, v.bytesRead, v.bytesWritten, v.waiting, v.time);
}
void visit(auto& a, Is<LevelWork> auto& v)
{
    a(v.level, v.time, v.bytesWritten, v.memoryBytes, v.nodes);
}
void visit(auto& a, Is<QueueFill> auto& v)
{
    a(v.queue, v.arrived, v.entries);
}
void visit(auto& a, Is<Sweep> auto& v)
{
    a(v.dispatch, v.run, v.number, v.time, v.error, v.dropped, v.bytesWritten, v.memoryBytes, v.levels, v.queues);
}
void visit(auto& a, Is<MeshPipeline> auto& v)
{
    a(v.id, v.name, v.hasTask, v.hasMesh, v.corners, v.maxVertices, v.maxPrimitives);
}
void visit(auto& a, Is<MeshWork> auto& v)
{
    a(v.pipeline, v.taskGroups, v.emptyTaskGroups, v.emittedGroups, v.groups, v.emptyGroups, v.culledGroups, v.vertices,
      v.primitives, v.culledPrimitives, v.vertexFill, v.primitiveFill, v.mostEmitted, v.mostVertices, v.mostPrimitives);
}
void visit(auto& a, Is<MeshFront> auto& v)
{
    a(v.name, v.draws, v.time);
}
void visit(auto& a, Is<GeneratedCall> auto& v)
{
    a(v.id, v.name, v.way, v.tokens, v.maxSequences, v.gathered, v.preprocessed, v.combined, v.hasSet, v.pipelines,
      v.unknown);
}
void visit(auto& a, Is<GeneratedWork> auto& v)
{
    a(v.call, v.executions, v.sequences, v.byPipeline, v.leftOut, v.times);
}
void visit(auto& a, Is<Trait> auto& v)
{
    a(v.name, v.value, v.origin);
}
void visit(auto& a, Is<Device> auto& v)
{
    a(v.name, v.settings, v.subgroupSize, v.traits);
}

class Encoder {
public:
    template <typename... Fields>
    void operator()(const Fields&... fields)
    {
        (field(fields), ...);
    }
    std::string take() { return std::move(m_bytes); }

private:
    void field(std::unsigned_integral auto value)
    {
        uint64_t rest = value;
        for (; rest >= 0x80; rest >>= 7)
            m_bytes.push_back(static_cast<char>(rest | 0x80));
        m_bytes.push_back(static_cast<char>(rest));
    }
    void field(Launch value) { field(static_cast<uint8_t>(value)); }
    void field(const std::string& value)
    {
        field(value.size());
        m_bytes += value;
    }
    template <typename T>
    void field(const std::vector<T>& values)
    {
        field(values.size());
        for (const T& value : values)
            field(value);
    }
    template <typename T>
    void field(const std::optional<T>& value)
    {
        field(value.has_value());
        if (value)
            field(*value);
    }
    template <typename T>
    requires std::is_class_v<T>
    void field(const T& value) { visit(*this, value); }

    std::string m_bytes;
};

// Once something is wrong all further fields keep what they have.
class Decoder {
public:
    explicit Decoder(std::span<const char> bytes) : m_bytes(bytes) {}

    template <typename... Fields>
    void operator()(Fields&... fields)
    {
        (field(fields), ...);
    }
    bool failed() const { return m_failed; }
    bool atEnd() const { return m_at == m_bytes.size(); }

private:
    uint64_t number()
    {
        uint64_t value = 0;
        for (uint32_t shift = 0; shift < 64 && m_at < m_bytes.size(); shift += 7) {
            const auto byte = static_cast<uint8_t>(m_bytes[m_at++]);
            value |= uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80)
                return value;
        }
        m_failed = true;
        return 0;
    }
    template <std::unsigned_integral T>
    void field(T& value)
    {
        const uint64_t found = number();
        m_failed = m_failed || found > std::numeric_limits<T>::max();
        if (!m_failed)
            value = static_cast<T>(found);
    }
    void field(Launch& value)
    {
        uint8_t found = 0;
        field(found);
        m_failed = m_failed || found > static_cast<uint8_t>(Launch::Packed);
        if (!m_failed)
            value = static_cast<Launch>(found);
    }
    // Every element has a byte at least, so no more can be there.
    size_t count()
    {
        const uint64_t found = number();
        m_failed = m_failed || found > m_bytes.size() - m_at;
        return m_failed ? 0 : found;
    }
    void field(std::string& value)
    {
        const size_t length = count();
        value.assign(m_bytes.data() + m_at, length);
        m_at += length;
    }
    template <typename T>
    void field(std::vector<T>& values)
    {
        const size_t size = count();
        values.clear();
        for (size_t i = 0; i < size && !m_failed; ++i)
            field(values.emplace_back());
    }
    template <typename T>
    void field(std::optional<T>& value)
    {
        bool there = false;
        field(there);
        if (there && !m_failed)
            field(value.emplace());
    }
    template <typename T>
    requires std::is_class_v<T>
    void field(T& value) { visit(*this, value); }

    std::span<const char> m_bytes;
    size_t m_at = 0;
    bool m_failed = false;
};

}  // namespace millrace::trace
