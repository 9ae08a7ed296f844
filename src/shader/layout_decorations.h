// SPDX-License-Identifier: Apache-2.0
// What a module says of where things are in memory (SPIR-V, "Shader Validation": explicit layout decorations).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "spirv/module.h"

namespace millrace::shader {

// Of a member of a structure. What nothing is said of has no offset.
struct MemberLayout {
    std::optional<uint32_t> offset;
    uint32_t matrixStride = 0;
    bool isRowMajor = false;
};

// As the module has them when this is created.
class LayoutDecorations {
public:
    explicit LayoutDecorations(const spirv::Module& module);

    const MemberLayout& member(spirv::Id structure, uint32_t index) const;
    // In bytes; none if the array has none.
    std::optional<uint32_t> arrayStride(spirv::Id array) const;

private:
    std::map<std::pair<uint32_t, uint32_t>, MemberLayout> m_members;  // by structure and index
    std::unordered_map<uint32_t, uint32_t> m_arrayStrides;
};

}  // namespace millrace::shader
