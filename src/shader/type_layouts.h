// SPDX-License-Identifier: Apache-2.0
// How types lie in memory, and what access chains reach in them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/result.h"
#include "shader/layout_decorations.h"
#include "spirv/module.h"

namespace millrace::shader {

// The type of the element that an access chain reaches from a value of `type` with operand `index`; none if there is
// no such element.
spirv::Id elementType(const spirv::Module& module, spirv::Id type, spirv::Id index);

bool isAccessChain(spv::Op op);
// First operand that indexes into the base's pointee.
size_t firstIndexOperand(spv::Op accessChain);

struct TypeLayout {
    uint64_t bytes = 0;      // the largest offset + size of a member: no padding at the end
    uint32_t alignment = 1;  // of the largest scalar inside
};

// Sizes follow the explicit layout decorations. The module's types and decorations must not change meanwhile.
class TypeLayouts {
public:
    explicit TypeLayouts(const spirv::Module& module) : m_module(module), m_decorations(module) {}

    // Errors: types without a memory layout, or members without offset.
    Result<TypeLayout> layout(spirv::Id type);
    // Largest scalar inside, 1 for types that have none. Needs no layout decorations.
    uint32_t scalarAlignment(spirv::Id type);
    // What the address of a part of `type` is a multiple of, if that of the whole is one of `alignment`, a power of
    // two; `indices` lead there as those of OpAccessChain do. 1 if nothing is known.
    uint32_t alignmentOfPart(spirv::Id type, std::span<const spirv::Id> indices, uint32_t alignment) const;
    // Bit sizes of scalars inside, as a set: 8, 16, 32 and 64 are themselves bits of the result.
    uint32_t scalarWidths(spirv::Id type);

private:
    Result<TypeLayout> compute(const spirv::Instruction& type, const MemberLayout& parent, uint32_t depth);
    Result<TypeLayout> layoutInMember(spirv::Id type, const MemberLayout& parent, uint32_t depth);
    Result<TypeLayout> structLayout(const spirv::Instruction& type, uint32_t depth);

    const spirv::Module& m_module;
    const LayoutDecorations m_decorations;
    std::unordered_map<uint32_t, TypeLayout> m_layouts;  // of structures
    std::unordered_map<uint32_t, uint32_t> m_widths;
};

}  // namespace millrace::shader
