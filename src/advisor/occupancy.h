// SPDX-License-Identifier: Apache-2.0
// How many waves run side by side.
#pragma once

#include <cstdint>

#include "advisor/gpu.h"
#include "advisor/launch.h"
#include "advisor/lds_plan.h"

namespace millrace::advisor {

// Waves of a SIMD unit that have room for so many vector registers each, at most kWavesPerSimd.
uint32_t wavesForRegisters(const Gpu& gpu, uint32_t waveSize, uint32_t registers);

// How many vector registers a driver may need, roughly: what the shader keeps, or what it exports in the end.
uint32_t estimateRegisters(const Facts& facts, const LdsPlan& lds);

// The most registers of a wave with which so many run side by side; 256 at most.
uint32_t registersForWaves(const Gpu& gpu, uint32_t waveSize, uint32_t waves);

// As far as local data share tells.
struct Occupancy {
    uint32_t workgroups = 0;  // of a work group processor
    uint32_t waves = 0;       // of a SIMD unit, rounded up, at most kWavesPerSimd
};
Occupancy occupancyOf(const LdsPlan& lds, const Launch& launch);

}  // namespace millrace::advisor
