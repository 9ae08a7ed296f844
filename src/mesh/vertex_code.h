// SPDX-License-Identifier: Apache-2.0
// The code of a mesh shader that computes its vertices, and no more.
#pragma once

#include <map>
#include <optional>

#include "commands/variant.h"
#include "mesh/independent_vertices.h"
#include "mesh/own_vertices.h"

namespace millrace::mesh {

// Variables that the code has in place of outputs.
struct VertexCodeVariables {
    spirv::Id wanted;                           // Input, a word: the vertex
    std::map<VertexValue, spirv::Id> values{};  // Output
};

// The entry point leaves the values of the vertex `wanted`; primitives, counts, barriers and what goes to shared memory
// are gone, though not what they were computed of. What other invocations have a part in is loaded from shared memory,
// or from an Input variable that is neither `wanted` nor a built-in. Requires: local variables are values; the shader
// writes to nothing but outputs and reads none of them. None, and a module of no use, where an output has another index
// than own ones, or a pointer is passed on.
std::optional<VertexCodeVariables> writeVertexCode(commands::Variant& mesh, const MeshOutputs& outputs,
                                                   const OwnVertices& own);

}  // namespace millrace::mesh
