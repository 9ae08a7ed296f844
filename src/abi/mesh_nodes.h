// SPDX-License-Identifier: Apache-2.0
// How payloads of a mesh node come from the graph to its draws: a compute shader of ours, the collector, is the node of
// the graph. It copies each payload to a list, and its grid to an indirect draw beside it.
#ifndef MILLRACE_ABI_MESH_NODES_H
#define MILLRACE_ABI_MESH_NODES_H
#include "language.h"
MR_ABI_BEGIN

// Of one node in one dispatch. Stands where push constants in memory would (NodeArguments::pushConstants).
struct MeshNodeList {
    uint64_t commands;  // MeshNodeCommand[capacity]
    uint64_t payloads;  // payload i is i times the stride of the node behind it (nodes::MeshNode::strideBytes)
    uint64_t counter;   // uint: payloads that came; those from `capacity` on are lost
    uint64_t report;    // MeshNodeReport in host memory
    uint capacity;      // payloads
    uint pad0;
};

// VkDrawMeshTasksIndirectCommandEXT.
struct MeshNodeCommand {
    uint x;
    uint y;
    uint z;
};

// What is not drawn, over all executions of the recorded dispatch.
struct MeshNodeReport {
    uint lost;        // payloads that had no room
    uint largeGrids;  // payloads whose grid is above the limits
};

MR_CONST uint kMeshPayloadAlignment = 16u;  // of payloads in a list

// Pushed for the draws of a mesh node behind the application's push constants, in place of NodeArguments.
struct MeshNodeArguments {
    uint64_t payloads;  // MeshNodeList::payloads; the draw's index says which
    uint64_t pad0;
    uint64_t pushConstants;  // as in NodeArguments
    uint64_t pad1;
};

MR_ABI_END
#endif
