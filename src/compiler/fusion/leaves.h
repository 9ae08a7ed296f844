// SPDX-License-Identifier: Apache-2.0
// Structures in memory as what they are made of in the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::compiler {

// A number or a pointer somewhere in a type with a memory layout.
struct Leaf {
    uint32_t offsetBytes = 0;
    uint32_t bits = 0;  // 32 or 64
    spirv::Id type;
    std::vector<uint32_t> path;  // of an access chain
};

// In order of their paths. Errors: a type without a layout or with a length that is not known, scalars of 8 or 16 bits
// (which a shader may be able to hold in memory only), more than `limit` leaves.
Result<std::vector<Leaf>> leavesOf(const spirv::Module& module, spirv::Id type, size_t limit);

// The leaf at the same place and of the same size, or null.
const Leaf* findLeaf(std::span<const Leaf> leaves, const Leaf& like);

// As an unsigned integer of the same size, and back.
spirv::Id leafTypeInCalls(spirv::Module& module, const Leaf& leaf);
spirv::Id loadLeaf(spirv::Emitter& out, const Leaf& leaf, spirv::Id base, spv::StorageClass storage,
                   std::span<const spirv::Id> before = {});
void storeLeaf(spirv::Emitter& out, const Leaf& leaf, spirv::Id base, spv::StorageClass storage, spirv::Id value,
               std::span<const spirv::Id> before = {});

}  // namespace millrace::compiler
