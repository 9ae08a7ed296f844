// SPDX-License-Identifier: Apache-2.0
// An execution graph as plain data: what each node declares, and what follows once all nodes are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/graph_memory.h"
#include "base/result.h"

namespace millrace::graph {

// Limits that Millrace reports in VkPhysicalDeviceShaderEnqueuePropertiesAMDX and that link() enforces.
inline constexpr uint32_t kMaxDepth = 256;
inline constexpr uint32_t kMaxOutputNodes = 1024;
inline constexpr uint32_t kMaxPayloadDeclarationBytes = 65536;
inline constexpr uint32_t kMaxGroupsPerDimension = 65535;
inline constexpr uint32_t kMaxGroups = 16777215;
inline constexpr uint32_t kMaxSharingNodes = 256;

// Limits of our own representation.
inline constexpr uint32_t kMaxNodeIndex = 65535;  // node maps are dense
inline constexpr uint32_t kMaxQueues = 131070;    // handles hold 17 bits, of which one value means "no queue"
// A payload of so many bytes begins at a multiple of this, so that drivers can move 8 or 16 bytes at once: runs begin
// at granules, and strides keep it. At least what scalars need.
constexpr uint32_t payloadAlignment(uint64_t bytes)
{
    return bytes == 0 || bytes % 8 != 0 ? 4 : bytes % 16 != 0 ? 8 : 16;
}

// Units of a slot that no dynamic stream feeds, where nothing is reserved (device/state.glsl, MR_NARROW).
inline constexpr uint32_t kMaxFittingUnits = 1u << 31;

inline constexpr uint32_t kMaxStride = (1u << 17) - 4;  // handles hold the stride in words in 15 bits

// Chunks of nodes that send have so many workgroups of ours at most, with up to 64 invocations if packed, and count
// their payloads in 31 bits.
inline constexpr uint32_t kMaxChunkGroups = 16;
inline constexpr uint32_t kMaxPayloadsInShare = (1u << 31) / 1024 - 1;

enum class LaunchMode {
    Static,      // StaticNumWorkgroupsAMDX
    Dynamic,     // the grid is a payload member, or the implicit uvec3 payload
    Coalescing,  // CoalescingAMDX
};

// The payload member that carries the grid.
struct GridMember {
    uint32_t offsetBytes = 0;
    uint32_t components = 3;      // 1 to 3
    uint32_t componentBytes = 4;  // 1, 2 or 4
};

struct NodeId {
    std::string name;
    uint32_t index = 0;
    auto operator<=>(const NodeId&) const = default;
};

// One OpTypeNodePayloadArrayAMDX with a node name that the node allocates or queries.
struct NodeOutput {
    std::string targetName;
    uint32_t baseIndex = 0;
    std::optional<uint32_t> arraySize;  // PayloadNodeArraySizeAMDX
    // The one node index (base included) that all allocations and queries use, where it is a constant. Without it an
    // output that is not sized reaches all nodes of its name, which costs levels and memory.
    std::optional<uint32_t> constantIndex;
    bool sparse = false;
    uint32_t payloadBytes = 0;
    uint32_t budget = 0;           // payloads a workgroup may allocate with this type (NodeMaxPayloadsAMDX)
    uint32_t budgetPool = 0;       // index of the output whose budget counts; its own index unless the limit is shared
    uint32_t allocationSites = 0;  // static OpAllocateNodePayloadsAMDX of this type; 0: it is only queried
    bool allocatesInLoop = false;  // any of them may run more than once in a workgroup
    bool perInvocation = false;    // any of them has Invocation scope
    bool perWorkgroup = false;     // any of them has Workgroup scope
    uint32_t together = 0;         // payloads that an invocation allocates at a time, at most; 0 if none is a constant
    bool oneEach = true;           // no invocation allocates more than one at a time, and constants tell
    std::optional<uint64_t> most;  // payloads that a workgroup allocates of this type at most, where constants tell
    bool tracksFinishWriting = false;
};

// Levels of a node's recursion in one: what is sent from one to the next stays in the invocation that sends it.
struct LevelGroup {
    uint32_t of = 0;      // the node
    uint32_t levels = 1;  // one: the code knows at least that it is none of the last ones
    bool isLast =
        false;  // the last ones, two at least; else all above, but for the first level where that is left over

    bool operator==(const LevelGroup&) const = default;
};

// What a node says of itself: its code, and the name and index that its pipeline stage gives it. Written by what reads
// code (src/nodes), and by link(), which writes the implicit payload out.
struct NodeDeclaration {
    NodeId id;
    std::string entryPoint;
    LaunchMode mode = LaunchMode::Dynamic;
    uint32_t staticGrid[3] = {1, 1, 1};
    uint32_t maxGrid[3] = {kMaxGroupsPerDimension, kMaxGroupsPerDimension, kMaxGroupsPerDimension};
    bool declaresMaxGrid = false;
    GridMember grid;
    bool declaresPayload = false;
    uint32_t payloadBytes = 0;      // of the input; max over members of offset + size
    uint32_t payloadAlignment = 4;  // 8 if it has a 64-bit scalar, else 4
    uint32_t maxInputPayloads = 1;  // coalescing: payloads a workgroup receives at most
    uint32_t localSize[3] = {1, 1, 1};
    uint32_t maxRecursion = 0;
    std::optional<NodeId> sharesInputWith;
    bool apiEntry = true;
    bool usesFinishWriting = false;
    // Of the workgroups of a payload, at most one sends: the last to ask OpFinishWritingNodePayloadAMDX.
    bool sendsWhenFinished = false;
    bool writesInput = false;
    bool vulkanMemoryModel = false;
    // A mesh node: how its workgroups follow from a payload. Then all else is of the compute node that collects what it
    // receives (nodes::MeshNode).
    std::optional<LaunchMode> drawn;
    std::vector<NodeOutput> outputs;
};

// What was decided about the node's code. Written by what makes the code: nodes::choosePacking(), fusion, and
// whoever has it compiled for any graph.
struct NodeDecisions {
    uint32_t packWidth = 0;  // > 0: so many of its workgroups run side by side in one of ours
    // If packed: so many invocations have each payload, and each does a part of the work, of the number that is its
    // WorkgroupId (nodes/fusion/descent.h).
    uint32_t parts = 1;
    // > 0: an invocation runs itself what its payload sends, so many levels of recursion (device/depth_first.glsl), and
    // may leave payloads of any level to others. The slots below the top one, of which maxRecursion counts, are for
    // those.
    uint32_t depthFirst = 0;
    uint32_t sharers = 1;  // likewise: so many invocations of a subgroup may run what comes of one payload
    uint32_t busyPayloads = UINT32_MAX;  // likewise: so many keep the device busy, so that none need be left to others
    // As a leaf: rows of a grid, or parts of payloads, that a workgroup of ours does one after the other at most.
    uint32_t leafRows = 1;
    // > 0: as a leaf, each workgroup of ours has so much scratch memory for payloads that it keeps (docs/fusion.md).
    uint32_t groupMemoryBytes = 0;
    bool anyGraph = false;  // the code, which is that of a library, relies on nothing of this graph
    // No node of its own but code of another for several levels of its recursion. Behind all nodes that have a name.
    std::optional<LevelGroup> levelGroup;
};

// Together with the compiled code it is all that linking needs.
struct Node {
    NodeDeclaration declared;
    NodeDecisions decided;
};

// Of the node's own workgroup.
constexpr uint32_t invocationsOf(const NodeDeclaration& node)
{
    return node.localSize[0] * node.localSize[1] * node.localSize[2];
}

// Of ours.
constexpr uint32_t invocationsPerGroup(const Node& node)
{
    return invocationsOf(node.declared) * (node.decided.packWidth > 0 ? node.decided.packWidth : 1);
}

// Single-invocation workgroups for single payloads of an indexed stream, each invocation of ours one of them.
constexpr bool isPacked(const Node& node)
{
    return node.decided.packWidth > 0 && node.declared.mode == LaunchMode::Coalescing;
}

// A static or dynamic node that cannot tell which invocations share its workgroup, and sends nothing for it together.
constexpr bool isLoose(const Node& node)
{
    return node.decided.packWidth > 0 && node.declared.mode != LaunchMode::Coalescing;
}

// What one workgroup of ours runs at a time: payloads of a coalescing node, workgroups of others.
constexpr uint32_t unitsPerGroup(const Node& node)
{
    const bool hasTable = node.declared.mode == LaunchMode::Coalescing && !isPacked(node);
    return std::max(hasTable ? node.declared.maxInputPayloads : node.decided.packWidth, 1u);
}

// Several of its workgroups side by side in one of ours.
constexpr bool runsBeside(const Node& node)
{
    return isLoose(node) && node.decided.packWidth > 1;
}

// Workgroups of one payload follow each other in one of ours, without a look at the stream (device/node.glsl,
// mr_step()).
constexpr bool stepsThroughGrid(const Node& node)
{
    const bool hasRow =
        node.declared.staticGrid[0] > 1 || node.declared.staticGrid[1] > 1 || node.declared.staticGrid[2] > 1;
    return !runsBeside(node) &&
           (node.declared.mode == LaunchMode::Dynamic || (node.declared.mode == LaunchMode::Static && hasRow));
}

// Of all payload types that it declares, where those that share a limit count once (VUID 09195). Requires: valid budget
// pools.
uint64_t declaredBytes(const NodeDeclaration& node);

// What the code says is enough to know that no workgroup allocates more payloads than the output's limit allows,
// together with the outputs that share it. Requires: valid budget pools.
bool keepsBudget(const NodeDeclaration& node, const NodeOutput& output);

// Sends nothing, looks at nobody it could send to, and leaves its input as it is: a node that the host can launch
// without the scheduler.
inline bool isLeaf(const NodeDeclaration& node)
{
    return node.outputs.empty() && !node.usesFinishWriting && !node.writesInput;
}

// How the code of a node gets memory for what it sends.
enum class MemoryUse {
    Reserves,  // asks before each chunk of work
    Fits,      // knows where, since there is enough: the plan proves it, or the device has found it out for the level
    None,      // sends nothing, and finds what it receives where the host has put it: isLeaf()
    Fed,       // likewise, where the device says
};
inline constexpr size_t kMemoryUses = 4;

// What the code of a node may rely on. Short code matters: with it small workgroups take a third less time on an H200
// (docs/experiments.md).
struct CodeTraits {
    uint32_t emits = abi::kEmitsToSeveral;  // abi::kEmits*
    // Of each output: a receiver may read its grid from the payload. Nothing where the graph is not known: any may.
    std::optional<std::vector<bool>> gridOutputs;
    bool sendsTracked = true;     // a receiver may track finishing
    bool alwaysReceived = false;  // whatever it allocates, since node indices are constants and the nodes are there
    bool plainQueues = false;    // node index i of an output leads to queue first + i, whose one stream has that number
    uint32_t outputStride = 0;   // of all payloads that it sends, in bytes; 0 if they differ or are empty
    uint32_t inputStride = 0;    // of those that it receives, likewise
    uint32_t inputTogether = 0;  // of those, the most that an invocation sends at a time (NodeOutput::together)
    bool begins = false;  // only the API sends to it, so it may be all of the first level (device/begin_inside.glsl)

    bool operator==(const CodeTraits&) const = default;
    bool sendsGrids() const { return !gridOutputs || std::ranges::find(*gridOutputs, true) != gridOutputs->end(); }
};

// A node at one remaining recursion level (and, for a sharing node, at one level of the node it shares with).
struct Slot {
    uint32_t node = 0;       // into Graph::nodes
    uint32_t remaining = 0;  // 0 for a sharing node: nobody can enqueue to it, not even itself
    uint32_t queue = 0;
    uint32_t stream = 0;
    uint32_t level = 0;             // 0: nothing can reach it
    uint32_t granulesPerGroup = 0;  // one workgroup of ours, packing included
    uint32_t entriesPerGroup = 0;
    uint32_t fitGranulesPerGroup = 0;  // and the next: where everything fits, and a chunk may publish once
    uint32_t fitEntriesPerGroup = 0;
    std::vector<abi::AreaInfo> areas;  // all node indices of output 0, then of output 1, ...; empty unless kEmitsToFew
    uint32_t finishOffset = abi::kNoOffset;
    uint32_t leftOffset = abi::kNoOffset;  // Queue::remainingOffset of what the slot leaves to others
    std::vector<uint32_t> outputMaps;      // per output: where it leads to, in Graph::maps
};

struct Queue {
    uint32_t baseSlot = 0;
    std::vector<uint32_t> slots;    // all consumers, base first; all on one level
    std::vector<uint32_t> streams;  // indexed one first, if any
    uint32_t stride = 0;
    uint32_t finishOffset = 0;
    uint32_t finishCount = 0;
    uint32_t remainingOffset = abi::kNoOffset;  // in payloads of any level (NodeDecisions::depthFirst): how many remain
};

struct Stream {
    uint32_t kind = abi::kStreamIndexed;
    uint32_t queue = 0;
    uint32_t level = 0;
    std::vector<uint32_t> slots;  // consumers
};

struct Level {
    std::vector<uint32_t> slots;  // empty for level 0, the API
};

// An output that may lead to nodes beyond the array size that it declares.
struct OutputBeyondDeclared {
    uint32_t node = 0;
    uint32_t output = 0;     // of the node
    uint32_t lastIndex = 0;  // of the nodes that it may lead to
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Slot> slots;
    std::vector<Queue> queues;
    std::vector<Stream> streams;
    std::vector<Level> levels;        // levels[0] is the API
    std::vector<CodeTraits> code;     // per node
    std::vector<uint32_t> apiQueues;  // API node index (= index into nodes) to queue, abi::kNoQueue if none

    // The maps of all slots' outputs, equal ones once, as they stand in scratch memory except for OutputInfo::first.
    std::vector<abi::OutputInfo> maps;
    std::vector<uint32_t> nodeMap;
    std::vector<std::vector<uint32_t>> receivers;  // per map: its queues, without the node indices that have none
    std::vector<OutputBeyondDeclared> beyondDeclared;

    // Of an output of a slot: the queue of each node index, or abi::kNoQueue.
    std::span<const uint32_t> queuesOf(const Slot& slot, size_t output) const
    {
        const abi::OutputInfo& map = maps[slot.outputMaps[output]];
        return std::span(nodeMap).subspan(map.mapFirst, map.mapCount);
    }
    // Likewise, those that there are: few, where a node index may be any number.
    const std::vector<uint32_t>& receiversOf(const Slot& slot, size_t output) const
    {
        return receivers[slot.outputMaps[output]];
    }

    // Whether the host can launch all that receive what the API sends to a node without the scheduler: isLeaf(). False
    // if the API must not send to it.
    bool areLeaves(uint32_t apiNode) const;

    // Index into `nodes`, which is also the node index of vkGetExecutionGraphPipelineNodeIndexAMDX.
    std::optional<uint32_t> findNode(const NodeId& id) const;

    // The node whose level a slot is, whatever code it has.
    uint32_t ownerOf(const Slot& slot) const
    {
        const std::optional<LevelGroup>& group = nodes[slot.node].decided.levelGroup;
        return group ? group->of : slot.node;
    }
};

// Checks the rules that need all nodes (VUIDs 09134 to 09139, 10184, recursion, sharing, depth) and computes the rest.
// Recursion is unrolled: a node with MaxNodeRecursionAMDX n has n + 1 slots, so the slots form an acyclic graph and
// each has exactly one level, the longest path to it from the API. The stored nodes are the given ones in the same
// order, with the implicit payload (one uvec3, the grid) written out. A node whose base node is missing has no slots.
// Outputs lead to all nodes of their array, also to those beyond the size that they declare, unless that breaks a rule
// or a limit for the graph (nodes that send to each other): then all of them lead to what they declare.
Result<Graph> link(std::vector<Node> nodes);

}  // namespace millrace::graph
