// SPDX-License-Identifier: Apache-2.0
// Structures in memory: what a workgroup of a task shader leaves, and a vertex or a primitive of a mesh shader.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "commands/variant.h"
#include "spirv/module.h"

namespace millrace::mesh {

class Area {
public:
    // Declares the types in the module. The members are of these types, with offsets and strides that follow from the
    // types alone; booleans are words. Errors: types that memory cannot have.
    static Result<Area> create(spirv::Module& module, const std::vector<spirv::Id>& members);

    uint64_t bytes() const { return m_bytes; }    // a multiple of abi::kMeshAreaAlignment
    uint32_t stride() const { return m_stride; }  // of an array of them; 0 if there are no members
    spirv::Id pointerType(spirv::Module& module) const;
    // A pointer to the area of a workgroup by its number, in the memory that abi::MeshWork says.
    // Requires: commands::declareArguments().
    spirv::Id locate(commands::Variant& variant, spirv::Emitter& out, spirv::Id group) const;
    // The same by its address.
    spirv::Id pointTo(commands::Variant& variant, spirv::Emitter& out, spirv::LongWords address) const;

    // A pointer into a member, and the type that is there.
    struct Place {
        spirv::Id pointer;
        spirv::Id type;
        uint32_t alignment;
    };
    // `indices`: of the chain into the member, which may be empty.
    Place place(spirv::Emitter& out, spirv::Id area, size_t member, const std::vector<spirv::Id>& indices) const;

    // Where that is, in bytes from the area. Members of structures are the only indices.
    uint32_t offsetOf(const spirv::Module& module, size_t member, const std::vector<uint32_t>& indices) const;

    // A value as the shader has it, from memory, and the other way.
    spirv::Id load(spirv::Emitter& out, const Place& place, spirv::Id type) const;
    void store(spirv::Emitter& out, const Place& place, spirv::Id value, spirv::Id type) const;
    // From memory to a variable of the type.
    void copy(spirv::Emitter& out, const Place& from, spirv::Id variable, spirv::Id type) const;

private:
    friend class AreaBuilder;

    uint64_t m_bytes = 0;
    uint32_t m_stride = 0;
    spirv::Id m_type;                                     // structure of the members
    std::unordered_map<uint32_t, uint32_t> m_alignments;  // by type
};

// An array of two vectors of so many words: abi::MeshGrid[2].
spirv::Id declarePair(spirv::Module& module, uint32_t words);

// 0 for the first invocation of a workgroup, 1 for others: which of a pair it writes.
spirv::Id whichOfPair(spirv::Emitter& out);

}  // namespace millrace::mesh
