// SPDX-License-Identifier: Apache-2.0
// Where resources of D3D12 are found in Vulkan: registers and spaces to descriptor sets, bindings and push constants.
// docs/dxil.md says the rules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dxil/program.h"

namespace millrace::dxil {

// Counters of buffers in the resource heap: an array of buffers at this binding of its set, each at its buffer's index.
inline constexpr uint32_t kHeapCounters = 1;

struct Place {
    enum class Kind : uint8_t {
        Descriptor,  // set, binding
        Constants,   // the constants themselves, among the root arguments
        Address,     // a 64-bit address of the buffer among the root arguments
        HeapTable,   // the number of a descriptor in the heap among the root arguments; only local
    };
    Kind kind = Kind::Descriptor;
    uint32_t set = 0;
    uint32_t binding = 0;
    // Root arguments are push constants or, of local root signatures, the node's record in the local table.
    bool isLocal = false;
    uint32_t offsetBytes = 0;     // among the root arguments
    uint32_t sizeBytes = 0;       // Constants
    uint32_t heapOffset = 0;      // HeapTable: descriptors behind the first of the table
    uint32_t counterBinding = 0;  // kUnbounded: none
    // The array of descriptors that the resource is a part of: its first register and size.
    uint32_t firstRegister = 0;
    uint32_t count = 1;
};

// Overrides for registers [first, first + count) of a class and space: one binding for each, or an array at one.
struct BindingOverride {
    ResourceClass resourceClass = ResourceClass::Uav;
    uint32_t space = 0;
    uint32_t firstRegister = 0;
    uint32_t count = 1;  // kUnbounded
    bool isArray = false;
    Place place;
};

// The local root arguments of all nodes: a storage buffer of records, of which node k reads that of its table index.
struct LocalTable {
    uint32_t set = 6;
    uint32_t binding = 0;
    uint32_t strideBytes = 0;  // 0: what the largest record of the program needs
};

// Without overrides: set = space, binding = register + shift of the class.
struct Bindings {
    std::array<uint32_t, 4> shifts = {1000, 0, 2000, 3000};  // t, u, b, s
    uint32_t counterShift = 4000;                            // counters of u registers
    uint32_t resourceHeapSet = 4;
    uint32_t samplerHeapSet = 5;
    uint32_t localSamplerSet = 7;  // static samplers of local root signatures
    LocalTable local;
    std::vector<BindingOverride> overrides;
    uint32_t pushConstantBytes = 0;  // of the root signature

    Place place(const Resource& resource) const;
};

}  // namespace millrace::dxil
