// SPDX-License-Identifier: Apache-2.0
// Draws with a mesh shader to a small image of numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device.h"

namespace millrace::dxil {

inline constexpr uint32_t kMeshImageSize = 8;  // pixels each way
inline constexpr uint32_t kMeshImageLayers = 2;
inline constexpr uint32_t kUntouched = 0xcdcdcdcd;

struct MeshRun {
    std::vector<uint32_t> mesh;
    std::vector<uint32_t> amplification;  // may be empty
    std::vector<uint32_t> fragment;
    uint32_t groups = 1;
    bool hasTwoViewports = false;  // the upper and the lower half instead of all
};

struct MeshResult {
    std::vector<uint32_t> texels;  // row by row, layer by layer; kUntouched where nothing was drawn
    std::vector<uint32_t> words;   // of the buffer at set 0, binding 0
};

// The device must have been made with DeviceOptions::meshShaders.
MeshResult runMesh(harness::Device& device, const MeshRun& run);

}  // namespace millrace::dxil
