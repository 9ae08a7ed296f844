// SPDX-License-Identifier: Apache-2.0
// A closed surface in meshlets: a cube's faces, blown up to a sphere with bumps.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace::bench {

// As shaders/frame.glsl has them.
struct Rock {
    std::vector<uint32_t> meshlets;   // Meshlet, kMeshletWords each
    std::vector<uint32_t> corners;    // Corner
    std::vector<uint32_t> triangles;  // three indices of 8 bits each
};

inline constexpr uint32_t kMeshletWords = 12;
inline constexpr uint32_t kPatchQuads = 7;  // of a side of a meshlet, which has 64 vertices
inline constexpr uint32_t kPatchTriangles = 2 * kPatchQuads * kPatchQuads;

// Of 6 * side * side meshlets.
Rock createRock(uint32_t side);

}  // namespace millrace::bench
