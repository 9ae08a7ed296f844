// SPDX-License-Identifier: Apache-2.0
// What a driver keeps in local data share for a workgroup, and what it moves to memory because it does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advisor/facts.h"
#include "advisor/gpu.h"
#include "advisor/output_slots.h"

namespace millrace::advisor {

struct LdsPlan {
    uint32_t sharedBytes = 0;   // the shader's own
    uint32_t payloadBytes = 0;  // task shaders: a payload with atomic operations
    uint32_t infoBytes = 0;     // how many vertices and primitives there are, with the gap in front of it
    uint32_t vertexBytes = 0;   // outputs that other invocations than their own write
    uint32_t primitiveBytes = 0;
    uint32_t indexBytes = 0;                // one for each index, with the gap in front of them
    uint32_t cullBytes = 0;                 // one for each primitive, with the gap in front of them
    uint32_t usedBytes = 0;                 // sum of all
    uint32_t encodedBytes = 0;              // as drivers tell it
    uint32_t allocatedBytes = 0;            // as the hardware reserves it
    bool fits = true;                       // false: the shader's own shared memory leaves no room
    std::vector<DriverSlot> direct;         // from registers to where the rasterizer takes them
    std::vector<DriverSlot> staged;         // through local data share
    std::vector<DriverSlot> attributeRing;  // written to the ring that the fragment shader reads
    std::vector<DriverSlot> spilled;        // to memory and back, in the order in which they are moved
    uint32_t spilledBytes = 0;              // of a workgroup
};

LdsPlan planLds(const Facts& facts, const Gpu& gpu);

}  // namespace millrace::advisor
