// SPDX-License-Identifier: Apache-2.0
// AMD's GPUs with mesh shaders, as far as what a driver makes of these depends on them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace millrace::advisor {

// Sources: RADV of Mesa 25.0 (ac_gpu_info.c, radv_shader_info.c, ac_nir_lower_ngg_mesh.c).
struct Gpu {
    std::string_view name;     // of the instruction set's generation
    std::string_view product;  // as it is sold
    std::string_view family;   // one of them, as RADV_FORCE_FAMILY has it
    // An invocation exports any number of vertices and primitives, a row of all invocations at a time. Otherwise at
    // most one of each, so that workgroups have an invocation for each.
    bool exportsRows = false;
    // Outputs that the rasterizer does not need go to memory, where the fragment shader reads them, whoever writes
    // them.
    bool hasAttributeRing = false;
    uint32_t vectorRegisters = 1024;  // of a SIMD unit, for waves of 32
};

// From old to new.
std::span<const Gpu> gpus();

inline constexpr uint32_t kWavesPerSimd = 16;
inline constexpr uint32_t kSimdsPerWgp = 4;                  // work group processor
inline constexpr uint32_t kLdsBytesPerWgp = 128 * 1024;      // local data share
inline constexpr uint32_t kLdsEncodedGranuleBytes = 512;     // what drivers round to
inline constexpr uint32_t kLdsAllocatedGranuleBytes = 1024;  // what the hardware rounds to

}  // namespace millrace::advisor
