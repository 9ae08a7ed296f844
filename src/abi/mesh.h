// SPDX-License-Identifier: Apache-2.0
// What the shaders of an emulated mesh pipeline are told, and what they leave for each other. Their push constants are
// SequenceArguments (commands.h): workgroups of task and mesh shaders find their grid, one of several, as generated
// dispatches find their sequence. `table` is the address of MeshWork::table, `stride` the bytes from one grid to the
// next. `firstSequence` is the view that a mesh shader runs for, where it runs for each. `stream` is 0, but for a
// series of draws that one dispatch runs: then it is the bytes from the MeshUpload of one to that of the next, as
// `stride` is, and `pushConstants` are those of the first, as far from those of the next. The vertex shader that draws
// has `firstSequence` 1 where an index buffer numbers its vertices.
#ifndef MILLRACE_ABI_MESH_H
#define MILLRACE_ABI_MESH_H
#include "commands.h"
#include "language.h"
MR_ABI_BEGIN

// What workgroups of one dispatch do. At a multiple of 16.
struct MeshWork {
    // What each workgroup leaves, in the order of its number. Of mesh shaders MeshGroup[], a multiple of 16: those of
    // one view behind those of the view before, where they run for each, and marks behind all of them. Of task shaders
    // MeshGrid[2] and the payload, from one multiple of kMeshAreaAlignment to another.
    uint64_t results;
    uint64_t memory;  // of mesh shaders: MeshOutputMemory
    uint64_t grids;   // MeshGrid, SequenceArguments::stride from one to the next, or VkDrawMeshTasksIndirectCommandEXT
    uint isFresh;     // 1: nothing of it has run, also where MeshOutputMemory::isRepeat
    uint pad0;
    SequenceTable table;
};

// A grid of workgroups; likewise what a workgroup of a task shader emits.
struct MeshGrid {
    uint x;
    uint y;
    uint z;
    uint drawIndex;  // of task shaders
};

// What the host writes for a draw whose grid it knows. The application's push constants lie behind it. The workgroups
// of a series find their own by the grid: the MeshWork that the dispatch has says only where the grids are. Draws that
// are drawn as one have their results behind each other, and the table of the first one's MeshWork says how many
// workgroups all of them have.
struct MeshUpload {
    MeshWork work;
    SequenceEntry entry;
    uint pad0;
    uint pad1;
    MeshGrid grid;
};

MR_CONST uint kMeshAreaAlignment = 32u;

// Where the outputs of a workgroup of a mesh shader are, and how many: an element for each vertex, that is a structure
// of all that it has, or a MeshOrigin, and from the next multiple of kMeshUnitBytes on one for each primitive. 16
// bytes.
struct MeshGroup {
    uint64_t outputs;
    uint counts;  // vertices, primitives << kMeshPrimitiveShift, kMeshHasRun
    // Of the draw: what workgroups in front of it have (src/shaders/meta/mesh/list.comp), of all views the most. Only
    // those of the first view say it.
    uint firstPrimitive;
};

// What a workgroup leaves in place of vertices, where the vertex shader that draws computes those again: all that they
// follow from. Primitives are behind it. 32 bytes, one unit.
struct MeshOrigin {
    uint64_t grid;  // MeshGrid, with the payload behind it, or VkDrawMeshTasksIndirectCommandEXT
    uint64_t pushConstants;
    uint x;  // the workgroup in its grid
    uint y;
    uint z;
    uint drawIndex;
};

// Marks say where to look for the workgroup that has a primitive: uint[], for so many primitives of the draw each the
// number of the workgroup that has the last of them, or of one behind it where there are fewer. list.comp writes them.
MR_CONST uint kMeshMarkPrimitives = 64u;

MR_CONST uint kMeshPrimitiveShift = 16u;
MR_CONST uint kMeshCountMask = 0x7fffu;  // vertices; primitives once they are shifted
MR_CONST uint kMeshHasRun = 0x80000000u;

// Memory for outputs of mesh shaders. Each workgroup that sets its counts takes as many units as its outputs have. One
// that finds no room has to run again, with more memory. A shader that writes to other memory as well must not run in
// vain: its workgroups reserve as many as they may have at most before they begin, do not begin where there are fewer
// left, and give back what they do not take. Shaders of the two kinds do not run at the same time. At a multiple of 64;
// behind it, in the same kMeshHeadBytes, is room for what a shader writes to vertices and primitives beyond the counts
// that it has.
struct MeshOutputMemory {
    uint64_t begin;  // of the first unit, a multiple of kMeshUnitBytes
    uint units;
    uint isRepeat;  // 1: workgroups that have run do not run again
    uint used;      // more than `units`: something had no room, and nothing has any more
    uint unfit;     // what had none, and so did not run: workgroups, and dispatches (src/shaders/meta/mesh/grids.comp)
    uint64_t report;  // MeshMemoryReport, or 0
    uint reserved;    // with `used`, for those that reserve
    uint isLimited;   // 0: there is room for the most that all workgroups may have, and nobody reserves
    uint wanted;      // units that a dispatch which had no room needs at least
    uint refused;     // 1: a dispatch had more workgroups than it may
    // Indices of draws that share MeshIndexing::indices: those that are there, and all that were wanted.
    uint indices;
    uint wantedIndices;
    uint pad0;
    uint pad1;
};

MR_CONST uint kMeshUnitBytes = 32u;
MR_CONST uint kMeshHeadBytes = 4096u;

// What the host is told. Host-visible.
struct MeshMemoryReport {
    // As soon as the mesh shaders in front of an instance have run. The host forgets it in front of the next ones.
    uint unfit;
    uint used;
    uint wanted;
    uint refused;
    // Later, and never forgotten.
    uint wantedIndices;      // of the front that had most
    uint refusedPrimitives;  // 1: a draw had more of them than it may
};

// Workgroups that a draw may have, and that a dispatch may have of all draws of a command, or of all that its task
// shaders emit; primitives of all of them.
MR_CONST uint kMaxMeshGroups = 1u << 22;
MR_CONST uint kMaxListedGroups = 1u << 28;
MR_CONST uint kMaxListedPrimitives = 1u << 30;

// VkDrawIndirectCommand.
struct MeshDrawCommand {
    uint vertexCount;
    uint instanceCount;
    uint firstVertex;
    uint firstInstance;
};

// VkDrawIndexedIndirectCommand. It lies behind the MeshDrawCommand of a draw that may have an index buffer, and draws
// the first primitives, that one those behind them.
struct MeshIndexedCommand {
    uint indexCount;
    uint instanceCount;
    uint firstIndex;
    int vertexOffset;
    uint firstInstance;
};

// Of the kernels in front of task and mesh shaders whose grids the device knows: src/shaders/meta/mesh/grids.comp, one
// workgroup; or grids_sums.comp and behind it grids_parts.comp, partCount workgroups each.
struct GridsArguments {
    uint64_t work;      // MeshWork, which it writes
    uint64_t dispatch;  // DispatchCommand, likewise
    uint64_t memory;    // MeshOutputMemory
    uint64_t before;    // MeshWork of the task shaders that left the grids, or 0
    uint64_t grids;     // else where they are,
    uint64_t count;     // and of a uint that says how many, or 0: `most`
    uint64_t parts;     // MeshGridParts; not of grids.comp, as partCount
    uint stride;
    uint most;
    uint resultBytes;  // of a workgroup
    uint runsOnce;     // 1: all workgroups run when they have memory, so that a repeat has none
    uint partCount;
    uint pad0;
};

// What grids_sums.comp leaves for grids_parts.comp; behind it, at kMeshGridPartsBytes, are the sums of the parts.
struct MeshGridParts {
    uint entries;  // the unit of the first one, or 0xffffffff: they have no room
    uint isNew;    // 0: the second kernel has nothing to do
};

MR_CONST uint kMeshGridPartsBytes = 8u;

// A draw, for the kernel behind all mesh shaders in front of a render pass instance.
struct MeshListing {
    uint64_t work;  // MeshWork
    uint64_t draw;  // MeshDrawCommand
    uint corners;   // of a primitive
    uint views;     // that the workgroups have run for, 1 or more
    uint indexing;  // 1 and the number of its MeshIndexing; 0: it has no index buffer
    uint pad0;
};

// Of src/shaders/meta/mesh/list.comp: a workgroup for each listing, in rows of kRowGroups; of list_few.comp an
// invocation; of list_sums.comp and behind it list_parts.comp `parts` workgroups.
struct ListArguments {
    uint64_t listings;   // MeshListing[count]
    uint64_t indexings;  // MeshIndexing[]
    uint64_t sums;       // uint[count * parts]
    uint count;
    uint parts;
};

// What becomes the index buffer of a draw: an index is the number of the workgroup in the draw, and in the lower bits
// that of the vertex in the workgroup. All of them set: the primitive is culled.
struct MeshIndexing {
    uint64_t work;     // MeshWork
    uint64_t draw;     // MeshDrawCommand
    uint64_t indices;  // uint[]: the index buffer as it is bound
    uint first;        // the draw's own begin there,
    uint most;         // and are so many at most. Where it shares the buffer: all that there are
    uint isShared;     // 1: with other draws, as MeshOutputMemory counts
    uint mostGroups;   // workgroups whose vertices have a number
    uint vertexBits;   // of an index
    uint corners;      // of a primitive
    // Where primitives are behind the outputs of a workgroup: behind vertices of so many bytes, or if that is 0 at the
    // offset.
    uint vertexBytes;
    uint primitivesOffset;
    uint primitiveBytes;
    uint indicesOffset;  // in a primitive: uint[corners]
    uint cullOffset;     // likewise: a uint, not 0 if it is culled; kNeverCulled: there is none
    // Workgroups of the kernel that write them, behind those of the draws in front.
    uint firstWriter;
    uint writers;
    uint pad0;
};

MR_CONST uint kNeverCulled = 0xffffffffu;

// Of src/shaders/meta/mesh/indices.comp, behind the lists.
struct IndicesArguments {
    uint64_t indexings;  // MeshIndexing[count]
    uint count;
    uint writers;  // of all of them: workgroups, in rows of kRowGroups
};

// What a query of the application's counts of mesh shaders (src/shaders/meta/mesh/count.comp). At a multiple of 8.
struct MeshQuerySums {
    uint64_t taskInvocations;
    uint64_t meshInvocations;
    uint64_t primitives;
};

// A draw that counts in a query. Or a secondary command buffer that does, all of it.
struct MeshQueryPart {
    uint64_t work;         // MeshWork; 0: it is a secondary command buffer
    uint64_t tasks;        // MeshWork of the task shaders, or 0
    uint64_t draw;         // MeshDrawCommand; or MeshQuerySums of the secondary command buffer
    uint64_t sums;         // MeshQuerySums, to which others add as well
    uint64_t taken;        // MeshQuerySums: what has been added, should the front be repeated
    uint corners;          // of a primitive
    uint isIndexed;        // 1: a MeshIndexedCommand is behind the MeshDrawCommand
    uint taskInvocations;  // of a workgroup
    uint meshInvocations;  // likewise, in all views
};

// Of src/shaders/meta/mesh/count.comp, behind the lists.
struct CountQueriesArguments {
    uint64_t parts;  // MeshQueryPart[count]
    uint count;
    uint isRepeat;  // 0: nothing has been added yet
};

// Of src/shaders/meta/mesh/copy_queries.comp, which writes results as vkCmdCopyQueryPoolResults does, without gaps.
struct CopyQueriesArguments {
    uint64_t drivers;   // uint64_t[]: of each query what the driver counts, and whether it is available
    uint64_t sums;      // MeshQuerySums[count]
    uint64_t results;   // uint[]
    uint count;         // of queries
    uint statistics;    // VkQueryPipelineStatisticFlags; 0: primitives
    uint driverValues;  // of a query, with the last, that says whether it is available
    uint has64Bits;     // 1: a result has 64 bits
    uint isPartial;     // 1: results that are not available are written
    uint hasAvailability;
};

// What workgroups have done, counted by shaders that mesh::countWork() has changed. Sums are two words, to which
// shaders add with carry; host-visible.
MR_CONST uint kMeshFillParts = 8u;

struct MeshCounters {
    uint64_t taskGroups;  // that have emitted, be it nothing
    uint64_t emptyTaskGroups;
    uint64_t emittedGroups;
    uint64_t groups;  // of mesh shaders
    uint64_t emptyGroups;
    uint64_t culledGroups;  // that have primitives, all of them culled
    uint64_t vertices;
    uint64_t primitives;
    uint64_t culledPrimitives;
    // Workgroups by how much they have of the most that they may: nothing, up to a part of kMeshFillParts, up to two...
    uint64_t vertexFill[kMeshFillParts + 1u];
    uint64_t primitiveFill[kMeshFillParts + 1u];
    uint mostEmitted;  // by one workgroup
    uint mostVertices;
    uint mostPrimitives;
    uint pad0;
};

MR_ABI_END
#endif
