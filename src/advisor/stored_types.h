// SPDX-License-Identifier: Apache-2.0
// How much memory types take where the driver lays them out.
#pragma once

#include <cstdint>

#include "spirv/module.h"

namespace millrace::advisor {

// Bytes of a variable in workgroup memory or in a payload: scalars at multiples of their size, booleans as words,
// unless the type has explicit offsets. More than UINT32_MAX become that.
uint32_t storedBytes(const spirv::Module& module, spirv::Id type);

// What a variable of the type begins at a multiple of.
uint32_t storedAlignment(const spirv::Module& module, spirv::Id type);

// Locations that an output takes: 16 bytes each; vectors of three or four 64-bit components take two.
uint32_t slotCount(const spirv::Module& module, spirv::Id type);

// Of a vector or scalar; scalars have one component.
struct Components {
    uint32_t count = 1;
    uint32_t widthBits = 32;
    bool isInteger = false;
};
Components componentsOf(const spirv::Module& module, spirv::Id type);

// Of an array; 0 for what is none.
uint32_t arrayLength(const spirv::Module& module, spirv::Id type);

// The type of a component, element, column or member.
spirv::Id elementType(const spirv::Module& module, spirv::Id type, uint32_t member);

}  // namespace millrace::advisor
