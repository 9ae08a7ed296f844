// SPDX-License-Identifier: Apache-2.0
// A trace added up: by node, by step and by queue, by mesh shader, by call of generated commands.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace millrace::tools::report {

// A number that is known only if all that went into it is.
class Sum {
public:
    void add(const std::optional<uint64_t>& value)
    {
        m_known = m_known && value.has_value();
        m_value += value.value_or(0);
    }
    std::optional<uint64_t> get() const { return m_known ? std::optional(m_value) : std::nullopt; }

private:
    uint64_t m_value = 0;
    bool m_known = true;
};

struct NodeSummary {
    uint32_t firstLevel = 0;  // and last, of those in which it had work
    uint32_t lastLevel = 0;
    uint64_t activeLevels = 0;  // steps in which it had work
    uint64_t records = 0;
    uint64_t workgroups = 0;
    uint64_t lanesUsed = 0;
    uint64_t lanesBusy = 0;  // as lanesWithPayloads()
    uint64_t lanesHeld = 0;
    uint64_t bytesRead = 0;
    uint64_t budgetBytes = 0;  // that its workgroups were allowed to write
    Sum bytesWritten;
    Sum nanoseconds;
    uint64_t most = 0;  // workgroups in one step
    // Parts of lanesHeld.
    double lanes() const
    {
        return lanesHeld == 0 ? 1 : static_cast<double>(lanesUsed) / static_cast<double>(lanesHeld);
    }
    double busyLanes() const
    {
        return lanesHeld == 0 ? 1 : static_cast<double>(lanesBusy) / static_cast<double>(lanesHeld);
    }
};

// Payloads from one node (none: the API) to another.
struct Flow {
    std::optional<uint32_t> from;
    uint32_t to = 0;
    uint64_t payloads = 0;
    bool exact = true;  // false: others may have sent some of them
};

// One level of one sweep.
struct StepSummary {
    uint32_t graph = 0;  // of the report
    uint32_t dispatch = 0;
    uint32_t run = 0;
    uint32_t sweep = 0;
    uint32_t level = 0;
    trace::Span time;
    uint64_t records = 0;
    uint64_t workgroups = 0;
    uint64_t lanesBusy = 0;  // as lanesWithPayloads()
    uint64_t lanesHeld = 0;
    uint64_t memoryBytes = 0;         // in use by all payloads when it was done
    uint64_t nodes = 0;               // that had work
    std::optional<uint32_t> busiest;  // node with the most workgroups
};

struct GraphSummary {
    trace::Graph shape;
    std::vector<NodeSummary> nodes;
    std::vector<Flow> flows;
    uint64_t dispatches = 0;
    uint64_t runs = 0;
    uint64_t sweeps = 0;
    uint64_t steps = 0;
    uint64_t barriers = 0;
    uint64_t nanoseconds = 0;
    std::vector<uint64_t> runNanoseconds;  // of each run
    uint64_t emptySteps = 0;               // levels without work
    uint64_t emptyNanoseconds = 0;
    uint64_t bytesWritten = 0;
    uint64_t memoryBytes = 0;   // most in use
    uint64_t scratchBytes = 0;  // largest
    uint64_t regionBytes = 0;   // largest sum of regions
    uint64_t tableBytes = 0;
    uint32_t dropped = 0;
    uint32_t error = 0;
    bool exact = true;
    bool fits = true;  // all dispatches

    // The median of all runs but the first; 0 if there is no other.
    uint64_t laterRunNanoseconds() const;
    // The first run took most of the time of all, as when a driver compiles in it.
    bool startsSlowly() const;
};

inline double ratio(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct MeshSummary {
    trace::MeshPipeline shape;
    trace::MeshWork work;  // of all parts

    bool ran() const { return work.groups > 0 || work.taskGroups > 0; }
    double emptyShare() const { return ratio(work.emptyGroups, work.groups); }
    double culledShare() const { return ratio(work.culledPrimitives, work.primitives); }
    // Vertices for each corner of a primitive: 1 where nothing is shared.
    double vertexRatio() const { return ratio(work.vertices, work.primitives * shape.corners); }
    double amplification() const { return ratio(work.emittedGroups, work.taskGroups); }
};

// What mesh shaders of the layer's did in front of render pass instances.
struct FrontSummary {
    uint64_t instances = 0;
    uint64_t draws = 0;
    uint64_t nanoseconds = 0;
};

// Generated commands that were recorded alike.
struct CallSummary {
    trace::GeneratedCall shape;
    uint64_t executions = 0;
    uint64_t sequences = 0;            // of all executions; 0 unless known
    std::vector<uint64_t> byPipeline;  // likewise, of which with each of the pipelines
    uint64_t leftOut = 0;              // of which mean no pipeline
    uint64_t timed = 0;                // executions whose time is known,
    uint64_t nanoseconds = 0;          // and how long they took outside of render passes

    bool isKnown() const { return shape.unknown.empty(); }
};

struct TraceSummary {
    trace::Device device;
    std::vector<GraphSummary> graphs;
    std::vector<MeshSummary> meshes;
    FrontSummary fronts;
    std::vector<CallSummary> calls;
    std::vector<StepSummary> steps;  // by time
    bool timed = true;
    uint64_t lostSweeps = 0;
};

// Lanes that have something to do: those of a coalescing node as far as its workgroups are filled with payloads, of
// other nodes all that are used.
uint64_t lanesWithPayloads(const trace::Node& node, const trace::NodeWork& work);

// Reads a compact trace, without the first `skippedRuns` runs of each graph.
Result<TraceSummary> summarize(const std::string& bytes, size_t skippedRuns);

std::string nameOf(const trace::Node& node);

// False: it had no work that was counted, and no node sends to it: it may have run inside those who do.
bool isCounted(const GraphSummary& graph, uint32_t node);

}  // namespace millrace::tools::report
