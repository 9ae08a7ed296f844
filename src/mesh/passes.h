// SPDX-License-Identifier: Apache-2.0
// The shaders of a lowered pipeline, one by one.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "commands/variant.h"
#include "mesh/area.h"
#include "mesh/lower_pipeline.h"
#include "mesh/mesh_outputs.h"

namespace millrace::mesh {

// The mesh shader becomes a compute shader that writes its outputs to its workgroup's area. Requires: the area's types
// are in its module. Errors: pointers to outputs that are chosen or passed on.
Status storeOutputs(commands::Variant& mesh, const MeshOutputs& outputs, const Area& area);

// What per-primitive outputs are to the fragment shader.
struct PrimitiveInputs {
    std::optional<uint32_t> primitiveId;  // the location at which it gets PrimitiveId; none: it does not
};

// A copy of the mesh shader, before storeOutputs(), becomes the vertex shader that reads the areas. Errors: what the
// device lacks.
Status drawVertices(commands::Variant& vertex, const MeshOutputs& outputs, const Area& area,
                    const PrimitiveInputs& inputs, const Target& target);

// The fragment shader gets what is per primitive from all vertices of it.
Status readPrimitives(commands::Variant& fragment, const PrimitiveInputs& inputs);

// True if the fragment shader reads PrimitiveId.
bool readsPrimitiveId(const commands::Variant& fragment);

// Takes out what only mesh shaders and shaders behind them may declare.
void removeMeshDeclarations(spirv::Module& module);

}  // namespace millrace::mesh
