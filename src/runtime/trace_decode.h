// SPDX-License-Identifier: Apache-2.0
// From the records that snapshot.comp writes (abi/trace.h) to what a trace says. What is known of the scheduler's
// counters is here and in meta/streams.glsl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/plan.h"
#include "trace/trace.h"

namespace millrace::runtime {

trace::Graph describe(const graph::Graph& graph, uint32_t id, const std::string& name);

// The device's clock.
struct TraceClock {
    double period = 1;  // nanoseconds of a tick
    uint64_t mask = 0;  // of the bits that count; 0: no clock
};

// A dispatch of ours whose effects are told apart from those of others, with the streams that it may send to.
struct TraceMarks {
    uint32_t step = trace::kNone;  // of trace::Dispatch::steps; none: what the API sent
    std::vector<uint32_t> streams;
    uint32_t first = 0;  // of its marks in the record
};

// Where the parts of a record are.
struct TraceLayout {
    uint32_t times = 0;
    uint32_t slots = 0;
    uint32_t streams = 0;
    uint32_t levels = 0;
    uint32_t marks = 0;
    uint32_t timeCount = 0;
    uint32_t bytes = 0;
};
TraceLayout traceLayout(const graph::Graph& graph, uint32_t timeCount, uint32_t markCount);

// Where the times of a step or level are in the record; the first of all is that of the sweep's begin.
struct TraceTimes {
    uint32_t begin = 0;
    uint32_t end = 0;
};

// Decodes the sweeps of one recorded dispatch, in order.
class TraceDecoder {
public:
    // What the recording of the sweep has found out.
    struct Shape {
        TraceLayout layout;
        trace::Dispatch dispatch;
        uint32_t lastTime = 0;           // of the sweep
        std::vector<TraceTimes> levels;  // per level; begin == end: not recorded
        std::vector<TraceTimes> steps;   // per step, if the trace is exact
        std::vector<TraceMarks> marks;   // likewise, in order; the first: what the API sent
    };

    // `apiNodes`: that the API may send payloads to.
    TraceDecoder(const graph::Graph& graph, std::vector<uint32_t> apiNodes, uint32_t subgroupSize, TraceClock clock);

    // `record` has layout.bytes bytes.
    trace::Sweep decode(const Shape& shape, std::span<const std::byte> record);

private:
    struct Record;
    trace::NodeWork workOf(const Record& record, uint32_t slot) const;
    trace::Span span(const Record& record, TraceTimes times) const;
    static uint64_t fedOf(const Record& record);
    uint64_t received(const Record& record, uint32_t queue) const;
    void decodeWork(const Shape& shape, const Record& record, trace::Sweep& sweep) const;
    void decodeQueues(const Record& record, trace::Sweep& sweep) const;
    // Bytes that each slot, level and the API have sent.
    struct Sent;
    Sent sentExactly(const Shape& shape, const Record& record) const;
    Sent sentByTheOnlyOne(const Record& record, const trace::Sweep& sweep) const;
    void decodeSent(const Shape& shape, const Record& record, trace::Sweep& sweep) const;
    void decodeMemory(const Shape& shape, const Record& record, trace::Sweep& sweep) const;
    void finish(const Record& record);

    const graph::Graph& m_graph;
    const std::vector<uint32_t> m_apiNodes;
    const uint32_t m_subgroupSize;
    const TraceClock m_clock;
    uint32_t m_runs = 0;
    // Of the run so far.
    uint64_t m_fed = 0;
    std::vector<uint64_t> m_kept;  // per stream: payloads in it when the sweep began
};

}  // namespace millrace::runtime
