// SPDX-License-Identifier: Apache-2.0
// How instructions access memory: atomics, the memory operands of loads and stores, and a barrier.
#pragma once

#include <unordered_map>
#include <vector>

#include "spirv/module.h"

namespace millrace::shader {

struct MemoryOperands {
    uint32_t mask = 0;  // spv::MemoryAccessMask
    uint32_t alignment = 0;
    spirv::Id available;            // scope
    spirv::Id visible;              // scope
    std::vector<spirv::Id> others;  // of bits that this project does not know, in order

    bool has(spv::MemoryAccessMask bit) const { return (mask & static_cast<uint32_t>(bit)) != 0; }
    void set(spv::MemoryAccessMask bit) { mask |= static_cast<uint32_t>(bit); }
    void clear(spv::MemoryAccessMask bit) { mask &= ~static_cast<uint32_t>(bit); }
};

// OpAtomic...: the pointer is the first operand, the memory semantics the third.
bool isAtomic(spv::Op op);

// First operand of the (first) memory operands; Requires: OpLoad, OpStore or OpCopyMemory.
size_t memoryOperandsBegin(spv::Op op);

// Reads one set of memory operands from operand `next` on and moves `next` behind it; empty if there are no more.
MemoryOperands readMemoryOperands(const spirv::Instruction& i, size_t& next);
void addMemoryOperands(spirv::Instruction& i, const MemoryOperands& operands);

// The memory operands of an OpLoad or OpStore.
MemoryOperands memoryOperandsOf(const spirv::Instruction& i);
void setMemoryOperands(spirv::Instruction& i, const MemoryOperands& operands);

// Gives each access to PhysicalStorageBuffer memory that lacks it the Aligned operand: the size of the largest scalar
// that it moves, or more where that is known. `alignments`: of pointers, by id.
void alignPhysicalAccesses(spirv::Module& module, std::unordered_map<uint32_t, uint32_t> alignments = {});

// A barrier of the workgroup, behind which all see what each wrote to workgroup memory.
void emitWorkgroupBarrier(spirv::Module& module, spirv::Emitter& out, bool vulkanMemoryModel);

}  // namespace millrace::shader
