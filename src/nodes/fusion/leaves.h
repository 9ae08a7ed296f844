// SPDX-License-Identifier: Apache-2.0
// Structures in memory as what they are made of in the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::nodes {

// A number or a pointer somewhere in a type with a memory layout.
struct Leaf {
    uint32_t offsetBytes = 0;
    uint32_t bits = 0;
    bool isFloat = false;
    bool isWidened = false;  // variables hold it in 32 bits (small_numbers.h)
    spirv::Id type;
    std::vector<uint32_t> path;  // of an access chain
};

// Numbers that a payload may have at most where it stays with an invocation or a workgroup.
inline constexpr size_t kMaxKeptLeaves = 256;

// In order of their paths. Errors: a type without a layout or with a length that is not known, more than `limit`
// leaves.
Result<std::vector<Leaf>> leavesOf(const spirv::Module& module, spirv::Id type, size_t limit);

// The leaf at the same place and of the same size, or null. Those of fewer than 32 bits are of the same kind, too.
const Leaf* findLeaf(std::span<const Leaf> leaves, const Leaf& like);

// What a leaf is where functions pass it on: an unsigned integer of the same size, or of 32 bits if it is widened; a
// floating-point number if it has fewer than 32 bits. Variables are Private and Workgroup memory.
spirv::Id leafTypeInCalls(spirv::Module& module, const Leaf& leaf);
spirv::Id loadLeaf(spirv::Emitter& out, const Leaf& leaf, spirv::Id base, spv::StorageClass storage,
                   std::span<const spirv::Id> before = {});
void storeLeaf(spirv::Emitter& out, const Leaf& leaf, spirv::Id base, spv::StorageClass storage, spirv::Id value,
               std::span<const spirv::Id> before = {});
// What loadLeaf() gave for `own`, for a function that was declared for `wanted`, the same leaf of another module.
spirv::Id passLeaf(spirv::Emitter& out, const Leaf& own, const Leaf& wanted, spirv::Id value);

}  // namespace millrace::nodes
