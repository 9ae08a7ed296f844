// SPDX-License-Identifier: Apache-2.0
// What one recorded dispatch of a graph hands to the shaders: push constants, the plan of its memory, its inputs.
#ifndef MILLRACE_ABI_DISPATCH_H
#define MILLRACE_ABI_DISPATCH_H
#include "language.h"
MR_ABI_BEGIN

// The plan proves that this dispatch fits in its regions: workgroups reserve nothing and stride over the units. For
// feed and plan; nodes have code of their own for it.
MR_CONST uint kFlagFits = 1u;
// Indirect path: one workgroup per workgroup, launched from arguments that the plan shader wrote.
MR_CONST uint kFlagIndirect = 2u;
// The dispatch is one workgroup, and all of the first level: it does what begin.comp does (device/begin_inside.glsl).
MR_CONST uint kFlagBegins = 8u;
// Feed: the plan proves that inputs up to a bound fit. begin.comp has counted them, and nobody feeds more than that.
MR_CONST uint kFlagBounded = 16u;
MR_CONST uint kFlagMask = 63u;

// Pushed for each node dispatch, behind the application's push constants (at the next multiple of 8). The host knows
// where everything is, so that a workgroup gets all it needs to begin with in one load, not in a chain of three.
struct NodeArguments {
    uint64_t graph;          // GraphHeader, the start of the scratch memory
    uint slotAndFlags;       // bytes from `graph` to the SlotInfo, a multiple of 64, and flags
    uint streamState;        // bytes from `graph` to the StreamState of its stream
    uint64_t pushConstants;  // the application's push constants where they had to move to memory, else 0
    // Direct path: how many slots this dispatch runs (lower half) and the bytes between their SlotInfos (upper half).
    // Several only where everything fits and all share a pipeline. Indirect path: the address of the slot's
    // IndirectArguments. With kFlagBegins: that of a BeginList.
    uint64_t work;
};

MR_CONST uint kMaxBatchSlots = 256u;  // that one dispatch runs

// Pushed in place of them where nodes that send nothing run without scheduler (device/leaf.glsl).
struct LeafArguments {
    uint64_t payloads;  // the first one
    // Payloads of a coalescing node, workgroups of others, which are numbered through. 0: the dispatch has the shape of
    // the grid, each workgroup of ours with so many of a row as it runs side by side, and grids of several payloads are
    // behind each other in z.
    uint units;
    uint stride;  // bytes from one payload to the next
    // The application's push constants, as in NodeArguments, or scratch memory for what workgroups keep: each has its
    // part by its number, and goes on until all units are done (graph::NodeDecisions::groupMemoryBytes).
    uint64_t memory;
    uint grid;               // dynamic: width | height << 16 of the only payload's grid
    uint remainingAndIndex;  // RemainingRecursionLevelsAMDX | ShaderIndexAMDX << 16
};

// The same where the device says what there is to do (device/fed_leaf.glsl): payloads lie where the application has
// them.
struct FedLeafArguments {
    uint64_t infos;  // VkDispatchGraphInfoAMDX[count], or with kCountOnDevice the VkDispatchGraphCountInfoAMDX
    uint count;
    uint stride;             // bytes between infos
    uint64_t memory;         // the application's push constants, behind a FedLeaf
    uint nodeAndAlignment;   // node index of the infos that count | << 16: what addresses of payloads are multiples of
    uint remainingAndIndex;  // RemainingRecursionLevelsAMDX | ShaderIndexAMDX << 16
};
MR_CONST uint kCountOnDevice = 0xffffffffu;

// What a fed leaf needs seldom, in front of the push constants.
struct FedLeaf {
    uint64_t status;    // GraphStatus in host memory, 0 if another leaf of the dispatch tells what is wrong with infos
    uint64_t apiNodes;  // uint[apiNodeCount]: 0 where the API must not send to a node
    // Payloads at addresses that the code does not expect are copied: so many workgroups have `copyBytes` each.
    uint64_t copies;
    uint copyCount;
    uint copyBytes;
    uint payloadBytes;   // of one
    uint payloadStride;  // of copies
    uint apiNodeCount;
    uint pad0;
};
MR_CONST uint kFedLeafBytes = 48u;

// The plan of one dispatch, computed by the host from scratch size and, where it knows them, the inputs.
struct LevelPlan {
    uint begin;  // granules
    uint size;   // granules
    uint entryQuota;
    uint used;    // granules that are taken when the sweep begins
    uint groups;  // workgroups of ours that run at this level at once, and share its memory
    uint pad0;
};

struct StreamPlan {
    uint table;          // granule where its entries begin
    uint capacity;       // entries
    uint firstLocation;  // as in the StreamState when the sweep begins,
    uint pad0;
    uint64_t counter;  // likewise
};

// Of SlotInfo, what the dispatch says.
struct SlotPlan {
    uint base;
    uint onlyTable;
    uint onlyCapacity;
    uint leaving;
    uint most;
    uint pad[3];
};

// What begin.comp puts into the scratch memory: payloads and entries of a prepared feed.
struct Copy {
    uint64_t from;  // both at a granule
    uint64_t to;
    uint granules;
    uint pad0;
};

// When begin.comp begins.
MR_CONST uint kBeginsAlways = 0u;
MR_CONST uint kBeginsCounting = 1u;  // and finds out whether the inputs of the device are within `payloadBound`
MR_CONST uint kBeginsAgain = 2u;     // in front of the first sweep behind that, which has nothing to do if they were

MR_CONST uint kMostCountedInfos = 1u << 14;  // with more, nobody counts: they are taken to be above any bound
MR_CONST uint kMostCountedGrids = 1u << 12;  // with more payloads, feed.comp counts their workgroups

// begin.comp: resets all counters. One invocation per element.
struct BeginArguments {
    uint64_t graph;
    uint64_t levelPlans;   // LevelPlan[levelCount]
    uint64_t streamPlans;  // StreamPlan[streamCount]
    uint64_t slotPlans;    // SlotPlan[slotCount]
    uint64_t status;       // GraphStatus in host memory
    uint64_t copies;       // Copy[copyCount]
    uint graphId;
    uint copyCount;
    uint isFed;      // copies are all of the feed: feed.comp does not run
    uint slotCount;  // these as in the GraphHeader, so that nobody waits for that
    uint streamCount;
    uint levelCount;
    uint when;          // kBegins*
    uint payloadBound;  // kBeginsCounting: of all infos together,
    uint inputCount;    // VkDispatchGraphInfoAMDX[inputCount], or with kCountOnDevice a VkDispatchGraphCountInfoAMDX
    uint feedGroups;    // that will run
    uint groupBound;    // of the payloads of any one stream whose grids come with them; 0: there is no such stream
    uint pad0;
    uint64_t inputs;
    uint64_t inputStride;  // bytes between infos
};

// What begin.comp would leave in the scratch memory, worked out by the host: the one workgroup that is all of the first
// level has only to write it down, with little code in each node that may have to.
struct BeginList {
    uint64_t status;  // GraphStatus in host memory
    uint graphId;
    uint count;  // BeginStore[count] follow
};

MR_CONST uint kBeginListBytes = 16u;

struct BeginStore {
    uint64_t value;
    uint place;  // in `value`s from the start of the scratch memory
    uint pad0;
};

// init.comp: copies the static tables (built by the host for this scratch address) to the scratch memory.
struct InitArguments {
    uint64_t source;
    uint64_t destination;
    uint wordCount;
    uint pad0;
};

MR_CONST uint kFeedChunkPayloads = 64u;  // API payloads that one workgroup of feed.comp takes at a time

// feed.comp: turns API inputs into queued payloads.
struct FeedArguments {
    uint64_t graph;
    uint64_t infos;      // VkDispatchGraphInfoAMDX[count]
    uint64_t stride;     // bytes between infos
    uint64_t countInfo;  // VkDispatchGraphCountInfoAMDX to read the three from instead, or 0
    uint count;
    uint graphId;
    uint flags;
    uint groupBound;  // kFlagBounded: workgroups of the payloads of any one stream
};

// VkDispatchGraphInfoAMDX as a shader sees it.
struct DispatchInfo {
    uint nodeIndex;
    uint payloadCount;
    uint64_t payloads;
    uint64_t payloadStride;
};

// VkDispatchGraphCountInfoAMDX as a shader sees it: four bytes of padding follow the count.
struct DispatchCountInfo {
    uint count;
    uint pad0;
    uint64_t infos;
    uint64_t stride;
};

// number.comp: numbers the units of what a level's streams have received. A workgroup for each slot of the level.
struct NumberArguments {
    uint64_t graph;
    uint level;
    uint slotCount;  // of the level
};

// fit.comp: finds out whether a level fits. Addresses that the host knows, so that the first loads do not wait for each
// other.
struct FitArguments {
    uint64_t graph;
    uint64_t list;          // uint[slotCount]: slots of the level, in order
    uint64_t slots;         // SlotInfo[],
    uint64_t slotStates;    // SlotState[] and
    uint64_t streamStates;  // StreamState[] of the graph
    uint64_t levelState;
    uint slotCount;
    uint pad0;
};

// turn.comp: ends a sweep.
struct TurnArguments {
    uint64_t graph;
};

// Indirect path: plan.comp writes one per slot of a level.
struct IndirectArguments {
    uint groupsX, groupsY, groupsZ;  // VkDispatchIndirectCommand
    uint groupCount;                 // workgroups wanted; the grid may be a little larger
    uint64_t firstUnit;
};

struct PlanArguments {
    uint64_t graph;
    uint64_t indirect;  // IndirectArguments[], one per slot of the graph
    uint level;
    uint flags;
    uint slotCount;
    uint pad0;
};

MR_ABI_END
#endif
