// SPDX-License-Identifier: Apache-2.0
// Parts of a laid-out block, and which of its bytes they are.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/layout_decorations.h"
#include "spirv/module.h"

namespace millrace::commands {

// What an access chain leads to.
struct Place {
    // Bytes that an index which is not known before run time adds for each unit.
    struct Step {
        spirv::Id index;
        uint32_t strideBytes = 0;
    };

    spirv::Id type;
    std::vector<spirv::Id> indices;  // from the block
    uint64_t offsetBytes = 0;        // without the steps
    std::vector<Step> steps;
    uint64_t spanBytes = 0;  // the most that steps add; kNoEnd (sources.h) if nobody knows

    // Of the member that this is part of.
    uint32_t matrixStride = 0;
    bool isRowMajor = false;
    // Of a column of a matrix: from one component to the next; 0: as its scalars follow each other.
    uint32_t componentStride = 0;
};

class Places {
public:
    // The module must outlive this object; its decorations are read here and now.
    explicit Places(const spirv::Module& module) : m_module(module), m_decorations(module) {}

    Place block(spirv::Id type) const { return {.type = type, .indices = {}, .steps = {}}; }
    // The part that `index`, a constant or not, selects; of type none if there is no such part or its place is unknown.
    Place part(const Place& whole, spirv::Id index) const;

    // Bytes from the place's first to behind its last; kNoEnd for an array whose length is a specialization constant.
    uint64_t bytes(const Place& place) const;
    // Parts of a structure, array, matrix or vector; 0 for others, and for such an array.
    uint32_t partCount(const Place& place) const;
    // Bits of a number or PhysicalStorageBuffer pointer; 0 for other types.
    uint32_t scalarBits(spirv::Id type) const;

private:
    bool knownIndex(spirv::Id index, uint32_t& value) const;
    bool enterMember(Place& place, const spirv::Instruction& type, spirv::Id index) const;
    void step(Place& place, spirv::Id index, uint32_t strideBytes, uint32_t count) const;
    uint64_t bytesOf(spirv::Id type, const Place& place) const;
    uint64_t structureBytes(const spirv::Instruction& type) const;
    uint32_t arrayStride(spirv::Id type) const;

    const spirv::Module& m_module;
    const shader::LayoutDecorations m_decorations;
};

}  // namespace millrace::commands
