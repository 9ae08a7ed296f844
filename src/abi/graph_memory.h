// SPDX-License-Identifier: Apache-2.0
// Everything that lives in an execution graph's scratch memory, stated once for host and shaders.
// docs/design.md, "Memory", draws the picture. Sizes are in bytes unless a name says otherwise.
#ifndef MILLRACE_ABI_GRAPH_MEMORY_H
#define MILLRACE_ABI_GRAPH_MEMORY_H
#include "language.h"
MR_ABI_BEGIN

// Payload locations are counted in granules from the start of the scratch memory, so that 32 bits reach
// 64 GiB. Every allocation starts at a granule.
MR_CONST uint kGranuleBytes = 16u;

MR_CONST uint kGraphMagic = 0x4d494c4cu;  // "MILL": the memory was initialized
MR_CONST uint kNoQueue = 0xffffffffu;     // node map: no node at this index
MR_CONST uint kNoStream = 0xffffffffu;
MR_CONST uint kNoOffset = 0xffffffffu;

// Node indices that are counted in shared memory at a time (device/node.glsl).
MR_CONST uint kMaxHistogram = 256u;

// Payloads of one VkDispatchGraphInfoAMDX (maxExecutionGraphShaderPayloadCount).
MR_CONST uint kMaxApiPayloads = 1u << 24;

// How the workgroups of a slot follow from the payloads of its stream.
MR_CONST uint kKindStatic = 0u;      // each payload starts unitsPerPayload workgroups, a fixed grid
MR_CONST uint kKindDynamic = 1u;     // the grid is a member of the payload
MR_CONST uint kKindCoalescing = 2u;  // a workgroup takes up to unitsPerGroup payloads
MR_CONST uint kKindPacked = 3u;      // single-invocation nodes: an invocation of ours takes one payload

// What a node's code has to be ready for when it allocates payloads (graph::CodeTraits).
MR_CONST uint kEmitsNothing = 0u;
MR_CONST uint kEmitsToOne = 1u;  // all that a slot emits goes to one queue, or nowhere
MR_CONST uint kEmitsToFew = 2u;  // to so few that a chunk has an area for each (AreaInfo), where everything fits
MR_CONST uint kEmitsToSeveral = 3u;

MR_CONST uint kMaxAreas = 32u;

// How a stream counts. Indexed: one entry per run of payloads that lie one after the other, units are payloads.
// Dynamic: one entry per payload, units are workgroups.
MR_CONST uint kStreamIndexed = 0u;
MR_CONST uint kStreamDynamic = 1u;

// StreamState::counter packs the number of entries (upper bits) and of units (lower bits).
MR_CONST uint kUnitBits = 40u;
// LevelState::reserved packs entries (upper bits) and granules (lower bits). Both have room for what workgroups add
// before they know that it does not fit.
MR_CONST uint kReservedBits = 36u;

// Of all shaders: the device has 64-bit atomics. Where it has not, counters that belong together are words, which are
// added to one by one, and what needs both in one piece is worked out between the levels (meta/number.comp).
MR_SPEC_CONSTANT(2014, bool, LongAtomics, MR_LONG_ATOMICS, true)

// Likewise (device/subgroup.glsl): what the device can do in a subgroup, one of these. With kSubgroupNone each
// invocation is a subgroup by itself, whatever the device makes of it.
MR_CONST uint kSubgroupNone = 1u;        // nothing that Vulkan does not guarantee
MR_CONST uint kSubgroupBallot = 2u;      // ballots,
MR_CONST uint kSubgroupArithmetic = 4u;  // and sums and maxima,
MR_CONST uint kSubgroupShuffle = 8u;     // and shuffles, which the compiler alone asks for
MR_SPEC_CONSTANT(2015, uint, SubgroupOperations, MR_SUBGROUP_OPERATIONS, kSubgroupArithmetic)

// A slot is a node at one remaining recursion level: the unit of scheduling. Static after link.
struct SlotInfo {
    uint kind;
    uint stream;           // the stream it consumes
    uint level;            // 1 for slots that only the API reaches; 0 is the API itself
    uint unitsPerPayload;  // product of the static grid, else 1
    uint unitsPerGroup;    // payloads a workgroup takes at most (coalescing, packed), else 1
    uint payloadStride;    // of the queue it reads
    uint finishOffset;     // of this slot's finish counter inside the payload, kNoOffset if it tracks none
    uint remainingRecursion;
    uint shaderIndex;
    uint firstOutput;          // into the OutputInfo table
    uint granulesPerGroup;     // the most one workgroup of ours may allocate
    uint fitGranulesPerGroup;  // likewise, where everything fits: areas are more
    uint firstArea;            // into the AreaInfo table,
    uint areaCount;            // so many
    uint entriesPerGroup;      // the most one workgroup of ours may append to any one stream
    uint fitEntriesPerGroup;   // likewise, where nothing is reserved
    uint name;                 // for reports: index of the node in the graph
    // The queue where everything goes that it emits, if that is one queue (graph::CodeTraits::emits is kEmitsToOne),
    // and what there is to know of it, so that nobody has to look that up (a level of 1,024 workgroups takes an
    // H200 6.4 instead of 7.5 us so). Else kNoQueue.
    uint onlyQueue;
    uint onlyStride;
    uint onlyStream;   // indexed, kNoStream if it has none
    uint onlyLimit;    // payloads for which one workgroup of ours has memory (packed: one of the node's)
    uint streamState;  // bytes from the start of the scratch memory to the StreamState of `stream`
    // Written by the begin shader (SlotPlan): the granule where this slot's workgroups of ours put what they emit, if
    // the dispatch fits (graph::DispatchPlan::bases), and the table of onlyStream, so that nobody has to ask for that
    // in turn.
    uint base;
    uint onlyTable;     // granule where its entries begin,
    uint onlyCapacity;  // so many
    // Recursion depth first: where in its payloads the levels are that remain behind each, kNoOffset if that is
    // remainingRecursion; where they are in those that it leaves to others; for how many of those there is memory, in
    // steps of kLeavingStep, plus how many slots below the dispatch runs (written by the begin shader).
    uint remainingOffset;
    uint leftOffset;
    uint leaving;
    // Of a sweep, for code that reserves nothing: payloads (dynamic: workgroups) of the stream that sweeps before have
    // taken, units that they have taken behind those, and the payloads (likewise) that it takes at most. Written by
    // the begin shader (SlotPlan), by fit.comp, and by the turn shader for the next sweep.
    uint64_t start;
    uint startUnit;
    uint most;  // kTakesAll; 0: whoever reserves runs the slot
};

MR_CONST uint kSlotInfoBytes = 128u;
MR_CONST uint kLeavingStep = 8u;
MR_CONST uint kTakesAll = 0xffffffffu;

// One payload array type that a slot allocates.
struct OutputInfo {
    uint mapFirst;  // into the node map: queue of node index i is map[mapFirst + i]
    uint mapCount;  // node indices from mapCount on have no node
    uint first;     // map[mapFirst], which is all there is for most nodes
    uint area;      // of node index 0, among the slot's; node index i has area + i
    // Where everything goes, if the node index is a constant (graph::NodeOutput::constantIndex): one look instead of
    // three that wait for each other.
    uint receiver;        // queue, kNoQueue if there is none,
    uint receiverStride;  // of its payloads
    uint receiverStream;  // indexed, kNoStream if it has none
    uint pad0;
};

MR_CONST uint kOutputInfoBytes = 32u;

// The part of a chunk's memory for what goes to one node index of one output (kEmitsToFew), in shares: a share is what
// one of the node's workgroups may need. The areas of a chunk of n shares are n times as large, and n times as far from
// its beginning.
struct AreaInfo {
    uint stream;  // indexed; kNoStream if it has none
    uint stride;
    uint offset;  // granules
    uint limit;   // payloads
};

MR_CONST uint kAreaInfoBytes = 16u;

// Where the payloads of one base node (at one recursion level) go. All streams of a queue follow each other: at most
// one indexed stream, which is then the first, and one dynamic stream per consumer that reads its grid from the
// payload.
struct QueueInfo {
    uint payloadBytes;  // what the node declares
    uint stride;        // payloadBytes, the finish counters, rounded up to 4, or 8 where it has 64-bit members
    uint finishOffset;  // of the first finish counter, which follows the payload
    uint finishCount;
    uint indexedStream;  // kNoStream if it has none
    uint firstDynamic;   // stream
    uint dynamicCount;
    uint node;  // for reports: index of the node in the graph
};

struct StreamInfo {
    uint kind;
    uint level;       // of its consumers
    uint gridOffset;  // dynamic: of the grid in the payload
    uint gridComponents;
    uint gridComponentBytes;
    uint maxX, maxY, maxZ;  // dynamic: larger grids are dropped and reported
    uint maxGroups;         // likewise, for the product
    uint pad0;
};

struct IndexedEntry {
    uint location;  // of the run's first payload, in granules
    uint first;     // payloads of the stream before this run; the run ends where the next one begins
};

struct DynamicEntry {
    uint location;      // granule that holds the payload's first byte
    uint gridXY;        // x | y << 16
    uint gridZAndMore;  // z | (byte offset inside the granule) << 16 | (bits 32.. of first) << 20
    uint first;         // workgroups of the stream before this payload, bits 0..31
};

// Written by the shaders. Counters that workgroups fight over sit 128 bytes apart (3.8 times faster), and away from
// what they read, since reads of a line wait behind the additions to it.
struct StreamState {
    uint64_t counter;  // entries and units; producers add, the turn shader resets
    uint appended;     // without 64-bit atomics, entries that producers have added: number.comp lets the counter follow
    uint pad0[29];
    uint64_t table;      // address of its entries; written by the begin shader
    uint capacity;       // entries the table holds
    uint pending;        // turn shader: a consumer has work left
    uint firstLocation;  // of entry 0 (indexed), so that a stream with a single run needs no look at its table
    uint pad[27];
};

MR_CONST uint kStreamStateBytes = 256u;

// Without 64-bit atomics, a ticket counts what is taken in a sweep, and this is where it ends: there is room above for
// what workgroups add before they see that.
MR_CONST uint kMaxTicket = 1u << 31;
MR_CONST uint kMaxTicketStep = 1u << 15;  // that a workgroup adds; a dispatch has less than 2^16

struct SlotState {
    uint64_t cursor;   // units taken so far; may overshoot inside a sweep, the turn shader trims it
    uint64_t counted;  // those taken when the sweep began, of which GraphStatus::units knows
    uint ticket;       // units taken since then that the cursor does not count: all, without 64-bit atomics
    uint pad[27];
};

struct LevelState {
    uint64_t reserved;      // entries and granules that running workgroups have reserved in this level's region
    uint reservedGranules;  // the same without 64-bit atomics
    uint reservedEntries;
    uint pad0[28];
    uint used;  // granules allocated, relative to begin
    uint pad1[31];
    uint begin;       // region of the payloads that this level produces, in granules
    uint size;        // granules
    uint entryQuota;  // entries that this level may append to any one stream between two resets
    uint groups;      // workgroups of ours that share it
    uint startUsed;   // `used` and the entries of `reserved` when the sweep began
    uint startEntries;
    uint pad[26];
};

MR_CONST uint kLevelStateBytes = 384u;
MR_CONST uint kReservedGranulesOffset = 8u;  // in it; the entries follow

// Error codes of GraphStatus::error. Work that would break a limit is dropped, the first cause is kept.
MR_CONST uint kErrorNone = 0u;
MR_CONST uint kErrorNodeIndex = 1u;  // API: no such node, or it is not an entry; value: node index
MR_CONST uint kErrorPayloadCount =
    2u;  // payloads beyond what a workgroup declares did not fit; value: those of an allocation
MR_CONST uint kErrorGridSize = 3u;        // grid above MaxNumWorkgroupsAMDX or the limits; value: groups
MR_CONST uint kErrorNoNode = 4u;          // payload for a node index without a node; value: node index
MR_CONST uint kErrorNotInitialized = 5u;  // the scratch memory was not initialized for this graph, at this address
MR_CONST uint kErrorCapacity = 6u;        // our own accounting failed: a bug of ours, never of the application
MR_CONST uint kErrorApiPayloads = 7u;     // API: payloadCount above kMaxApiPayloads; value: payloadCount
MR_CONST uint kErrorBudget = 8u;          // as kErrorPayloadCount, found by counting; value: payloads of the workgroup

// GraphHeader::again, and GraphStatus::remaining until the feed has ended: whether inputs are within the bounds of a
// plan.
MR_CONST uint kBoundsHold = 0u;
MR_CONST uint kBoundsBroken = 1u;   // nothing has been done, and the dispatch begins again with another plan
MR_CONST uint kBoundsUnknown = 2u;  // the feed finds out
MR_CONST uint kBoundsLeft = 3u;     // sweeps have begun, which know of no bounds

// Which payloads a chunk of a bounded dispatch has.
MR_CONST uint kFeedScans = 0u;    // who wants to know adds up what the infos before have
MR_CONST uint kFeedByInfo = 1u;   // those of the info with the chunk's number
MR_CONST uint kFeedOneInfo = 2u;  // those of the only info, from the chunk's number on

// Shared with the host: written at the end of each sweep, the error members at any time.
struct GraphStatus {
    uint remaining;  // slots (and the API feed) that still have work
    uint sweeps;     // sweeps completed
    uint error;      // first error
    uint errorNode;  // node index in the graph, kNoQueue for the API
    uint errorValue;
    uint errorCount;         // dropped payloads
    uint highWaterGranules;  // most granules in use over all regions, and
    uint units;              // taken by all slots (and chunks by the API feed), modulo 2^32: moves with every sweep
};

// In host memory, nodes that were compiled to be counted find uint[slotCount] behind it: workgroups of the node that
// have finished, modulo 2^32, since the dispatch was recorded.
MR_CONST uint kGraphStatusBytes = 32u;

struct GraphHeader {
    uint magic;
    uint graph;  // identity of the graph that the memory was initialized for
    uint slotCount;
    uint streamCount;
    uint queueCount;
    uint levelCount;  // levels 0 .. levelCount - 1
    uint apiNodeCount;
    uint trashLocation;     // granule where payloads go that nobody receives
    uint feedGranules;      // the most one chunk of API payloads takes
    uint feedCounted;       // chunks that GraphStatus::units knows of
    uint64_t self;          // address of this header: what follows is for no other
    uint64_t slots;         // SlotInfo[slotCount]
    uint64_t outputs;       // OutputInfo[]
    uint64_t nodeMap;       // uint[]
    uint64_t areas;         // AreaInfo[]
    uint64_t levelSlots;    // uint[]: the slots of level l, in order, are those from [l] to before [l + 1] on
    uint64_t queues;        // QueueInfo[queueCount]
    uint64_t streams;       // StreamInfo[streamCount]
    uint64_t apiNodes;      // uint[apiNodeCount]: API node index to queue
    uint64_t slotStates;    // SlotState[slotCount]
    uint64_t streamStates;  // StreamState[streamCount]
    uint64_t levelStates;   // LevelState[levelCount]
    uint64_t feedCursor;    // chunks of API payloads fed when the sweep began
    uint64_t feedTotal;     // chunks there are; known after the first feed
    // The block of infos where a sweep's feed begins, all in front of which is fed, and the furthest that it has got
    // to, where the next begins. turn.comp makes one of the other, so that nobody reads what others change.
    uint64_t feedFirstChunk;  // of the block
    uint nextFirstChunk;      // relative to it
    uint feedTicket;          // chunks taken since the sweep began, up to kMaxTicket
    uint feedFirstInfo;
    uint nextFirstInfo;
    uint feedBlocks;  // that workgroups of feed.comp have read, together; where not everything fits
    // Where the plan has bounds (graph::InputBound). begin.comp writes these, feed.comp and turn.comp go on.
    uint again;       // kBounds*
    uint feedChunks;  // of feed.comp,
    uint feedMode;    // kFeed*
    uint feedGroups;  // workgroups of feed.comp that have some; of which
    uint feedDone;    // are done
    uint pad0;
    uint64_t hostStatus;  // GraphStatus in host memory; errors go there at once, since some dispatches have no turn
    GraphStatus status;
};

MR_ABI_END
#endif
