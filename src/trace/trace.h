// SPDX-License-Identifier: Apache-2.0
// What a trace says of execution graphs, mesh shaders and generated commands that ran: facts, nothing of how the layer
// counts them. docs/trace.md explains each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace::trace {

inline constexpr uint32_t kNone = UINT32_MAX;

enum class Launch : uint8_t { Static, Dynamic, Coalescing, Packed };
const char* nameOf(Launch launch);

// A payload array type that a node sends.
struct Output {
    std::string target;  // name of the nodes that receive it
    uint32_t payloadBytes = 0;
    uint32_t budget = 0;  // payloads of a workgroup
    uint32_t pool = 0;    // index of the output whose budget counts
};

struct Node {
    std::string name;
    uint32_t index = 0;
    std::string entryPoint;
    Launch launch = Launch::Dynamic;
    uint32_t invocations = 1;       // of a workgroup
    uint32_t staticWorkgroups = 1;  // of a payload
    uint32_t maxInput = 1;          // payloads that a workgroup of a coalescing node takes at most
    uint32_t payloadBytes = 0;
    uint32_t maxRecursion = 0;
    uint32_t sharesInputWith = kNone;  // node
    std::vector<Output> outputs;
};

// A node at one remaining recursion level.
struct Slot {
    uint32_t node = 0;
    uint32_t remaining = 0;
    uint32_t queue = 0;
    uint32_t level = 0;
    std::vector<std::vector<uint32_t>> outputQueues;  // per output: where it may send to
};

// Where payloads for one node (and those that share its input) at one recursion level go.
struct Queue {
    uint32_t slot = 0;  // the first that reads it
    uint32_t payloadBytes = 0;
    uint32_t strideBytes = 0;  // with what is kept beside a payload
};

struct Graph {
    uint32_t id = 0;
    std::string name;
    std::vector<Node> nodes;
    std::vector<Slot> slots;
    std::vector<Queue> queues;
    uint32_t levels = 0;  // level 0, the API, included
};

// A dispatch of ours, in order. Those of one level may run at the same time unless the trace is exact.
struct Step {
    uint32_t level = 0;
    std::vector<uint32_t> slots;  // none: the payloads of the API
    uint32_t groups = 0;          // workgroups of ours; 0: counted on the device
};

// One recorded vkCmdDispatchGraph*AMDX.
struct Dispatch {
    uint32_t id = 0;
    uint32_t graph = 0;
    bool fits = false;      // one sweep was proven to be enough
    bool indirect = false;  // the indirect path
    bool exact = false;     // steps were kept apart, so that each has its own time and bytes
    bool timed = false;     // the device has a clock
    uint64_t scratchBytes = 0;
    uint64_t tableBytes = 0;             // of which static tables, states and entry tables
    std::vector<uint64_t> regionBytes;   // of which for the payloads that each level sends
    std::vector<uint64_t> queueEntries;  // per queue: entries its largest table holds
    std::vector<Step> steps;
    uint32_t barriersOnce = 0;   // in front of the first sweep
    uint32_t barriersSweep = 0;  // per sweep
};

struct Span {
    uint64_t begin = 0;  // nanoseconds
    uint64_t end = 0;
};

// What one slot did in one sweep.
struct NodeWork {
    uint32_t slot = 0;
    uint64_t records = 0;     // payloads begun
    uint64_t workgroups = 0;  // of the node
    uint64_t lanesUsed = 0;   // invocations of the node
    uint64_t lanesHeld = 0;   // that the device kept for them: whole subgroups
    uint64_t bytesRead = 0;
    std::optional<uint64_t> bytesWritten;  // payloads sent, unless others may have sent them
    uint64_t waiting = 0;      // units (workgroups, or payloads of a coalescing node) left for a later sweep
    std::optional<Span> time;  // unless others ran at the same time
};

struct LevelWork {
    uint32_t level = 0;
    Span time;
    std::optional<uint64_t> bytesWritten;  // unless other levels may have sent them
    std::optional<uint64_t> memoryBytes;   // of its region in use at the end
    std::vector<NodeWork> nodes;           // that had work, or had to leave it
};

struct QueueFill {
    uint32_t queue = 0;
    uint64_t arrived = 0;  // payloads in this sweep
    uint64_t entries = 0;  // of its fullest table at the end
};

// One pass over the levels.
struct Sweep {
    uint32_t dispatch = 0;
    uint32_t run = 0;     // of the dispatch: submissions count from 0
    uint32_t number = 0;  // of the run; above 0: a continuation
    Span time;
    uint32_t error = 0;  // abi::kError*, with how many payloads were dropped so far
    uint32_t dropped = 0;
    uint64_t bytesWritten = 0;
    uint64_t memoryBytes = 0;       // most in use: payloads, where everything fits, else regions in use
    std::vector<LevelWork> levels;  // in order, level 0 included
    std::vector<QueueFill> queues;  // that received something or hold something
};

// A pipeline or shader object with a task or mesh shader. What belongs to a stage that it lacks is 0.
struct MeshPipeline {
    uint32_t id = 0;
    std::string name;
    bool hasTask = false;
    bool hasMesh = false;
    uint32_t corners = 0;      // of a primitive
    uint32_t maxVertices = 0;  // that a workgroup declares
    uint32_t maxPrimitives = 0;
};

// What the workgroups of a pipeline have done since the part before of the same pipeline.
struct MeshWork {
    uint32_t pipeline = 0;
    uint64_t taskGroups = 0;
    uint64_t emptyTaskGroups = 0;  // that emitted nothing
    uint64_t emittedGroups = 0;
    uint64_t groups = 0;        // of the mesh shader
    uint64_t emptyGroups = 0;   // without primitives
    uint64_t culledGroups = 0;  // all of whose primitives are culled
    uint64_t vertices = 0;
    uint64_t primitives = 0;
    uint64_t culledPrimitives = 0;
    // Workgroups by how much of the most that they declare they have: nothing, up to an eighth, up to two, ..., all.
    std::vector<uint64_t> vertexFill;
    std::vector<uint64_t> primitiveFill;
    // Of one workgroup, since the pipeline was made.
    uint32_t mostEmitted = 0;
    uint32_t mostVertices = 0;
    uint32_t mostPrimitives = 0;
};

// What the layer's mesh shaders did in front of one execution of a render pass instance.
struct MeshFront {
    std::string name;    // which instance of its command buffer, and the application's labels around it
    uint32_t draws = 0;  // with mesh shaders
    Span time;
};

// A call that executes generated commands. All that are recorded alike are one.
struct GeneratedCall {
    uint32_t id = 0;
    std::string name;                 // which call of its command buffer, and the application's labels around it
    std::string way;                  // how its sequences run: "draws from the stream"
    std::vector<std::string> tokens;  // of the layout
    uint32_t maxSequences = 0;
    bool gathered = false;      // kernels put the records together from several streams
    bool preprocessed = false;  // by an earlier call of the application's
    bool combined = false;      // the pipelines of the set run as one
    bool hasSet = false;        // each sequence chooses among the pipelines
    std::vector<std::string> pipelines;
    std::string unknown;  // why nobody can count its sequences; empty: they are counted
};

// What such calls have done behind the part before of the same call.
struct GeneratedWork {
    uint32_t call = 0;
    uint64_t executions = 0;
    std::optional<uint64_t> sequences;  // of all executions, unless nobody could count them
    std::vector<uint64_t> byPipeline;   // of which run with each of GeneratedCall::pipelines; likewise
    uint64_t leftOut = 0;               // of which mean no pipeline
    // Of executions as far as somebody has read their clock: kernels in front of them, and dispatches.
    std::vector<Span> times = {};
};

// What was chosen for the device.
struct Trait {
    std::string name;
    uint32_t value = 0;
    std::string origin;  // "setting", "measured"
};

struct Device {
    std::string name;
    std::string settings;  // in words
    uint32_t subgroupSize = 0;
    std::vector<Trait> traits = {};
};
// "grid_groups 4 (setting), static_invocations 64 (measured)"
std::string traitsText(const Device& device);

// Takes a trace as it is made, or as it is read.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void device(const Device&) = 0;
    virtual void graph(const Graph&) = 0;        // before its dispatches
    virtual void dispatch(const Dispatch&) = 0;  // before its sweeps
    virtual void sweep(const Sweep&) = 0;
    virtual void lost(uint64_t sweeps) = 0;              // that nobody could keep
    virtual void meshPipeline(const MeshPipeline&) = 0;  // before its work
    virtual void meshWork(const MeshWork&) = 0;
    virtual void meshFront(const MeshFront&) = 0;
    virtual void generatedCall(const GeneratedCall&) = 0;  // before its work
    virtual void generatedWork(const GeneratedWork&) = 0;
    // Why it has not kept all that it was given, once. Any thread.
    virtual std::optional<std::string> takeProblem() { return std::nullopt; }
};

}  // namespace millrace::trace
