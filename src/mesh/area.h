// SPDX-License-Identifier: Apache-2.0
// The memory of one workgroup: the counts, then an array for each output variable.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "commands/variant.h"
#include "mesh/mesh_outputs.h"
#include "spirv/module.h"

namespace millrace::mesh {

// A type with explicit offsets and strides.
struct LaidOut {
    spirv::Id type;
    uint64_t bytes = 0;
    uint32_t alignment = 4;
};

class Area {
public:
    // Declares the types in the module, which is that of the mesh shader or a copy of it. Errors: types that memory
    // cannot have.
    static Result<Area> create(spirv::Module& module, const MeshOutputs& outputs);

    uint64_t bytes() const { return m_bytes; }
    // A pointer to the area of a workgroup by its number. Requires: commands::declareArguments().
    spirv::Id locate(commands::Variant& variant, spirv::Emitter& out, spirv::Id group) const;
    // Of abi::MeshCounts: `which` is 0 or 1. Returns a pointer to two words.
    spirv::Id counts(spirv::Emitter& out, spirv::Id area, spirv::Id which) const;

    // A pointer into the array of an output variable, and the type that is there.
    struct Place {
        spirv::Id pointer;
        spirv::Id type;
        uint32_t alignment;
    };
    // `indices`: of the chain into the variable, which may be empty.
    Place place(spirv::Emitter& out, spirv::Id area, size_t output, const std::vector<spirv::Id>& indices) const;

    // A value as the shader has it, from memory, and the other way.
    spirv::Id load(spirv::Emitter& out, const Place& place, spirv::Id type) const;
    void store(spirv::Emitter& out, const Place& place, spirv::Id value, spirv::Id type) const;

private:
    friend class AreaBuilder;

    uint64_t m_bytes = 0;
    spirv::Id m_type;                                     // structure: counts, then the arrays
    std::unordered_map<uint32_t, uint32_t> m_alignments;  // by type
};

}  // namespace millrace::mesh
