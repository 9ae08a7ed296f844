// SPDX-License-Identifier: Apache-2.0
// What a mesh shader gives out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/result.h"
#include "mesh/area.h"
#include "spirv/module.h"

namespace millrace::mesh {

// One output variable: an array with an element for each vertex or primitive.
struct Output {
    spirv::Id variable;
    spirv::Id array;    // its type
    spirv::Id element;  // of that
    bool isPerPrimitive = false;
    bool isBuiltIn = false;  // it, or all members of its element
};

// A built-in that the shader's code mentions.
struct BuiltInOutput {
    spv::BuiltIn builtIn;
    size_t output;                   // of MeshOutputs::variables
    std::optional<uint32_t> member;  // of its element; none: the element itself
    spirv::Id type;
};

struct MeshOutputs {
    uint32_t corners = 3;
    uint32_t maxVertices = 0;
    uint32_t maxPrimitives = 0;
    // A run may set the counts more than once. SPIR-V allows no such thing, but compilers of HLSL write it, and drivers
    // go by the last ones.
    bool setsCountsAgain = false;
    // Nothing but 1 is written to PointSize.
    bool hasUnitSizes = false;
    std::vector<Output> variables;
    std::vector<BuiltInOutput> builtIns;

    const BuiltInOutput* find(spv::BuiltIn builtIn) const;
    // Of primitives with so many corners.
    const BuiltInOutput* findIndices() const;
};

// How outputs are in memory: a structure for each vertex, and one for each primitive.
struct OutputAreas {
    Area vertex;  // of no use with an origin
    Area primitive;
    bool hasOrigin = false;       // vertices are not there, but one abi::MeshOrigin in their place
    std::vector<size_t> members;  // of MeshOutputs::variables in theirs

    const Area& of(const Output& output) const { return output.isPerPrimitive ? primitive : vertex; }
    // How many of abi::kMeshUnitBytes the outputs of a workgroup take at most.
    uint64_t mostUnits(const MeshOutputs& outputs) const;
    // True if primitives begin where no counts say: primitivesOffset().
    bool hasOffset(const MeshOutputs& outputs) const { return hasOrigin || outputs.setsCountsAgain; }
    // How many bytes behind the first vertex the first primitive is: behind the origin, or else behind room for all
    // vertices that may be.
    uint32_t primitivesOffset(const MeshOutputs& outputs) const;
};

// Declares the types in the module. `hasOrigin`: as OutputAreas has it. Errors: types that memory cannot have; more
// than abi::MeshGroup counts, or than there is room for in abi::kMeshHeadBytes.
Result<OutputAreas> layOutOutputs(spirv::Module& module, const MeshOutputs& outputs, bool hasOrigin);

// Requires: the module has one entry point, a mesh shader's, without calls and specialization constants. Errors: an
// output that is no array.
Result<MeshOutputs> readOutputs(const spirv::Module& module);

}  // namespace millrace::mesh
