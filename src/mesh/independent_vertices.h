// SPDX-License-Identifier: Apache-2.0
// Mesh shaders each of whose vertices provably follows from what its workgroup reads and from the number of one
// invocation. Such vertices need not be in memory: the vertex shader that draws computes them again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "commands/variant.h"
#include "mesh/lower_pipeline.h"
#include "mesh/mesh_outputs.h"

namespace millrace::mesh {

// Which value of a vertex: the number of its output among MeshOutputs::variables, and the member of the output's
// element if that is a block of built-ins.
using VertexValue = std::pair<size_t, std::optional<uint32_t>>;

// What runs the code of one invocation for one vertex. Variables are Private; who calls the entry point sets them
// first. The built-ins are those of mesh shaders that VertexCode::kInputs has; their variables are Private as well.
struct VertexCode {
    static constexpr spv::BuiltIn kInputs[] = {spv::BuiltIn::LocalInvocationIndex, spv::BuiltIn::LocalInvocationId,
                                               spv::BuiltIn::WorkgroupId,          spv::BuiltIn::GlobalInvocationId,
                                               spv::BuiltIn::NumWorkgroups,        spv::BuiltIn::DrawIndex};

    commands::Variant shader;
    GroupSize groupSize{};  // of the mesh shader
    spirv::Id wanted;       // a word: the vertex
    std::multimap<spv::BuiltIn, spirv::Id> inputs{};
    std::map<VertexValue, spirv::Id> values{};  // that the entry point leaves: what the shader writes for the vertex
};

struct IndependentVertices {
    commands::Variant mesh;  // the mesh shader without what writes vertices
    MeshOutputs outputs;     // as before: of `mesh` as well as of the code's module
    VertexCode code;
};

// None where that is not proven. It is not where vertices depend on shared memory, on other invocations of a subgroup
// or on outputs; where the shader writes to other memory, or sets its counts again; where the number of a vertex is
// another than that of its invocation, or one that is a multiple of the workgroup's size larger; and where an
// invocation writes so many vertices that to look for one takes long. `mesh`: as readInlined() leaves it, with views
// settled.
std::optional<IndependentVertices> findIndependentVertices(const commands::Variant& mesh);

}  // namespace millrace::mesh
