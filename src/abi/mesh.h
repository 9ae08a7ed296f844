// SPDX-License-Identifier: Apache-2.0
// What the shaders of an emulated mesh pipeline are told, and what they leave for each other. Their push constants are
// SequenceArguments (commands.h): workgroups of task and mesh shaders find their grid, one of several, as generated
// dispatches find their sequence. `stream` is the address of the grids, `stride` the bytes from one to the next,
// `table` that of MeshWork::table.
#ifndef MILLRACE_ABI_MESH_H
#define MILLRACE_ABI_MESH_H
#include "commands.h"
#include "language.h"
MR_ABI_BEGIN

// What workgroups of one dispatch do. At a multiple of 16.
struct MeshWork {
    // Where each workgroup writes, in the order of its number; a multiple of kMeshAreaAlignment. Of mesh shaders an
    // area: MeshCounts[2], then an array for each output variable. Of task shaders MeshGrid[2], then the payload.
    uint64_t results;
    uint64_t pad0;
    SequenceTable table;
};

MR_CONST uint kMeshAreaAlignment = 32u;

// Of a workgroup of a mesh shader. The first of the two is what its first invocation says; the others have the second
// one to write to.
struct MeshCounts {
    uint vertices;
    uint primitives;
};

// A grid of workgroups; likewise what a workgroup of a task shader emits.
struct MeshGrid {
    uint x;
    uint y;
    uint z;
    uint drawIndex;  // of task shaders
};

// VkDrawIndirectCommand.
struct MeshDrawCommand {
    uint vertexCount;
    uint instanceCount;
    uint firstVertex;
    uint firstInstance;
};

// What is left of the memory of a command buffer. Host-visible.
struct MeshArenaState {
    uint64_t next;  // bytes that are taken
    uint lost;      // dispatches that had no room, and so did not run
    uint pad0;
};

// Of the kernel behind those that make a table (src/shaders/meta/mesh/reserve.comp).
struct ReserveArguments {
    uint64_t work;      // MeshWork
    uint64_t dispatch;  // DispatchCommand
    uint64_t draw;      // MeshDrawCommand, or 0
    uint64_t state;     // MeshArenaState
    uint64_t arena;
    uint64_t arenaBytes;
    uint resultBytes;  // of a workgroup
    uint vertices;     // that are drawn for one
    uint maxGroups;    // that the dispatch may have
    uint isFirst;      // nothing of the arena is taken yet
};

MR_ABI_END
#endif
