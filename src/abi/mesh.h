// SPDX-License-Identifier: Apache-2.0
// What the shaders of an emulated mesh pipeline are told, and what mesh shaders leave for the vertex shader that draws.
#ifndef MILLRACE_ABI_MESH_H
#define MILLRACE_ABI_MESH_H
#include "language.h"
MR_ABI_BEGIN

// Pushed for all shaders of a draw at offset 0; the application's own push constants are in memory. Members that
// SequenceArguments has as well (commands.h) are where they are there: the same code loads them.
struct MeshArguments {
    // One area for each workgroup of the draw, in the order of its number: x first, then y, then z. A multiple of
    // kMeshAreaAlignment. An area is a MeshCounts[2], then an array for each output variable of the mesh shader.
    uint64_t areas;
    // The application's push constants as they are at the draw, from offset 0 on. A multiple of 16.
    uint64_t pushConstants;
    uint64_t pad0;
    uint pad1;
    uint pad2;
};

MR_CONST uint kMeshAreaAlignment = 32u;

// Of a workgroup. The first of the two is what its first invocation says; the others have the second one to write to.
struct MeshCounts {
    uint vertices;
    uint primitives;
};

MR_ABI_END
#endif
