// SPDX-License-Identifier: Apache-2.0
// What the shaders are told of a frame, as shaders/frame.glsl has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace millrace::bench {

struct Frame {
    std::array<float, 16> project{};  // column by column
    std::array<std::array<float, 4>, 5> planes{};
    std::array<float, 3> eye{};
    float farthest = 0;
    uint32_t units = 0;
    uint32_t perObject = 0;
    uint32_t side = 0;
    uint32_t columns = 0;
    std::array<float, 2> pixel{};
    float nearDetail = 0;
    float middleDetail = 0;
    // Addresses.
    uint64_t meshlets = 0;
    uint64_t corners = 0;
    uint64_t triangles = 0;
    uint64_t objects = 0;
    uint64_t commands = 0;
    uint64_t count = 0;
    uint64_t counts = 0;
    uint64_t items = 0;
    uint64_t vertices = 0;
    uint64_t indices = 0;
    uint64_t draws = 0;
    uint64_t tiles = 0;
};
static_assert(offsetof(Frame, meshlets) == 192 && sizeof(Frame) == 288);

struct Counts {
    uint32_t items = 0;
    uint32_t one = 1;
    uint32_t alsoOne = 1;
    uint32_t indices = 0;
    uint32_t instances = 1;
    uint32_t firstIndex = 0;
    int32_t vertexOffset = 0;
    uint32_t firstInstance = 0;
    uint32_t vertices = 0;
    uint32_t tiles = 0;
};

inline constexpr uint32_t kVertexBytes = 28;    // Vertex
inline constexpr uint32_t kTriangleBytes = 12;  // by hand
inline constexpr uint32_t kItemBytes = 12;      // Item
inline constexpr uint32_t kTileItems = 256;     // shaders/tile.glsl
inline constexpr uint32_t kTaskUnits = 32;      // shaders/payload.glsl

// An eye at `place` that looks along z, as far as `farthest`; y is up.
void look(Frame& frame, std::array<float, 3> place, float farthest, float widthToHeight);

}  // namespace millrace::bench
