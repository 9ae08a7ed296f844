// SPDX-License-Identifier: Apache-2.0
// How types relate to payloads, and how payloads lie in memory.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "graph/graph.h"
#include "spirv/module.h"

namespace millrace::compiler {

// OpTypeNodePayloadArrayAMDX.
bool isPayloadArray(const spirv::Module& module, spirv::Id type);

// A payload array by value or by NodePayloadAMDX pointer. Real compilers copy arrays by value through Function
// variables, so both stand for the same thing: a handle.
bool isHandle(const spirv::Module& module, spirv::Id type);

// A NodePayloadAMDX pointer to one payload or to a part of it.
bool isPayloadPointer(const spirv::Module& module, spirv::Id type);

// The payload array type that `type` is or points to, in any storage class; none if neither.
spirv::Id payloadArrayOf(const spirv::Module& module, spirv::Id type);

// The payload array type that an OpIsNodePayloadValidAMDX asks about. Its operand is a type by the specification and a
// value or variable in what DXC emits; none if it is neither.
spirv::Id queriedPayloadArray(const spirv::Module& module, const spirv::Instruction& query);

// True if values of `type` are or contain handles.
bool holdsHandles(const spirv::Module& module, spirv::Id type);

// The type of the element that an access chain reaches from a value of `type` with operand `index`; none if there is
// no such element.
spirv::Id elementType(const spirv::Module& module, spirv::Id type, spirv::Id index);

bool isAccessChain(spv::Op op);
// First operand that indexes into the base's pointee.
size_t firstIndexOperand(spv::Op accessChain);
// The operand of an access chain that selects a payload of a payload array, if it goes through one.
std::optional<size_t> payloadIndexOperand(const spirv::Module& module, const spirv::Instruction& chain);

struct TypeLayout {
    uint64_t bytes = 0;      // the largest offset + size of a member: no padding at the end
    uint32_t alignment = 1;  // of the largest scalar inside
};

// Sizes follow the explicit layout decorations. The module's types and decorations must not change meanwhile.
class TypeLayouts {
public:
    explicit TypeLayouts(const spirv::Module& module);

    // Errors: types without a memory layout, or members without offset.
    Result<TypeLayout> layout(spirv::Id type);
    // Largest scalar inside, 1 for types that have none. Needs no layout decorations.
    uint32_t scalarAlignment(spirv::Id type);
    // What the address of a part of `type` is a multiple of, if that of the whole is one of `alignment`, a power of
    // two; `indices` lead there as those of OpAccessChain do. 1 if nothing is known.
    uint32_t alignmentOfPart(spirv::Id type, std::span<const spirv::Id> indices, uint32_t alignment) const;
    // Bit sizes of scalars inside, as a set: 8, 16, 32 and 64 are themselves bits of the result.
    uint32_t scalarWidths(spirv::Id type);

    // The member decorated PayloadDispatchIndirectAMDX, in nested structures too. Errors: a type that is no grid.
    Result<std::optional<graph::GridMember>> gridMember(spirv::Id type);

private:
    struct Member {
        std::optional<uint32_t> offset;
        uint32_t matrixStride = 0;
        bool rowMajor = false;
        bool isGrid = false;
    };
    const Member& member(spirv::Id type, uint32_t index) const;
    Result<TypeLayout> compute(const spirv::Instruction& type, const Member& parent, uint32_t depth);
    Result<TypeLayout> layoutInMember(spirv::Id type, const Member& parent, uint32_t depth);
    Result<TypeLayout> structLayout(const spirv::Instruction& type, uint32_t depth);
    bool hasGrid(spirv::Id type, uint32_t depth);
    Result<std::optional<graph::GridMember>> gridMemberAt(spirv::Id type, uint64_t base, uint32_t depth);

    const spirv::Module& m_module;
    std::map<std::pair<uint32_t, uint32_t>, Member> m_members;  // by structure and index
    std::unordered_map<uint32_t, uint32_t> m_arrayStrides;
    std::unordered_map<uint32_t, TypeLayout> m_layouts;  // of structures
    std::unordered_map<uint32_t, uint32_t> m_widths;
    std::unordered_map<uint32_t, bool> m_hasGrid;
};

}  // namespace millrace::compiler
