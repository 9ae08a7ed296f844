// SPDX-License-Identifier: Apache-2.0
// How values lie in registers (slots of 64 bits, one per scalar) and in memory (bytes).
#pragma once

#include "oracle/module.h"

namespace millrace::oracle {

// Explicit: by Offset, ArrayStride and MatrixStride. Internal: our own tight layout for classes without these.
enum class Layout { Explicit, Internal };

Layout layoutOf(spv::StorageClass storage);

inline uint64_t widthMask(uint32_t bits)
{
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

// Pointers take two slots: block and byte offset (device addresses: no block). Payload arrays take two, one unused.
uint32_t slotCount(const Module& module, uint32_t type);

// Explicit sizes are the maximum over members of offset + size, without tail padding.
uint64_t sizeOf(const Module& module, uint32_t type, Layout layout, uint32_t matrixStride = 0);
uint64_t memberOffset(const Module& module, const Type& structure, uint32_t member, Layout layout);
uint64_t elementStride(const Module& module, const Type& type, Layout layout, uint32_t matrixStride);
// MatrixStride of a structure member, 0 if it has none.
uint32_t memberMatrixStride(const Module& module, const Type& structure, uint32_t member);

// The number type of a scalar, vector or matrix; any other type itself.
const Type& scalarOf(const Module& module, uint32_t type);

// A run of equally wide scalars that are neighbours in memory as in slots.
struct Segment {
    uint32_t slot;
    uint32_t width;  // bits
    uint32_t count;
    uint64_t offset;
    bool deviceAddress;  // 64 bits in memory, a pointer of two slots in registers
};

std::vector<Segment> segmentsOf(const Module& module, uint32_t type, Layout layout, uint32_t matrixStride = 0);

// The member decorated PayloadDispatchIndirectAMDX, at any depth.
struct GridMember {
    uint64_t offset;
    uint32_t components;
    uint32_t componentBytes;
};
std::optional<GridMember> findGridMember(const Module& module, uint32_t type);

}  // namespace millrace::oracle
