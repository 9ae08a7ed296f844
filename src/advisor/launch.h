// SPDX-License-Identifier: Apache-2.0
// How a GPU runs a workgroup of a mesh or task shader.
#pragma once

#include <cstdint>

#include "advisor/facts.h"
#include "advisor/gpu.h"

namespace millrace::advisor {

// What the driver does where not all waves of the hardware's workgroup run the shader.
enum class BarrierClass : uint8_t {
    None,        // no barriers, or all waves run the shader
    Shrinkable,  // one wave runs the shader: barriers concern it alone
    Loop,        // the other waves execute barriers in a loop until the shader has ended
};
const char* nameOf(BarrierClass barriers);

struct Launch {
    uint32_t waveSize = 64;
    uint32_t invocations = 0;      // of the hardware's workgroup, whole waves
    uint32_t waves = 0;            // of the hardware's workgroup
    uint32_t shaderWaves = 0;      // those that run the shader
    uint32_t idleInvocations = 0;  // that do not run the shader
    uint32_t vertexRows = 1;       // exports of the last lane, one after the other
    uint32_t primitiveRows = 1;
    BarrierClass barriers = BarrierClass::None;
};

Launch planLaunch(const Facts& facts, const Gpu& gpu, uint32_t waveSize);

}  // namespace millrace::advisor
