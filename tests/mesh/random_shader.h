// SPDX-License-Identifier: Apache-2.0
// Mesh shaders drawn from a seed, each with a fragment shader whose color depends on all that reaches it, and a vertex
// shader that draws the same without any mesh shader.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::meshtest {

// What the device has beside mesh shaders.
struct Abilities {
    bool float64 = false;
    bool int64 = false;
    bool small = false;  // numbers of 16 bits, between stages as well
    bool clipDistance = false;
    bool cullDistance = false;
    bool largePoints = false;
    bool viewPointSizes = true;     // mesh shaders may write PointSize and read ViewIndex of several views
    bool fragmentBuiltIns = false;  // PrimitiveId, Layer in fragment shaders (geometryShader)
    bool viewports = false;         // two, and layers, which vertex shaders write
    bool tasks = false;
    bool drawIndex = false;     // shaderDrawParameters
    bool multiview = false;     // of mesh shaders
    uint32_t subgroupSize = 0;  // of mesh shaders, with arithmetic operations; 0: without
};

inline constexpr uint32_t kRandomLayers = 2;   // that shaders write
inline constexpr uint32_t kRandomViews = 3;    // layers of the target
inline constexpr uint32_t kRandomWords = 128;  // of the storage buffer
// The extensions that texts with these numbers need.
std::string numberExtensions(const Abilities& abilities);

// Locations below are those of outputs. At it the expected vertex shader hands PrimitiveId on.
inline constexpr uint32_t kRandomIdLocation = 12;

// How the draws of a shader get to the device.
enum class RandomDraws { Direct, Indirect, IndirectCount };

// GLSL. Set 0, binding 0: a storage buffer. Push constants: RandomPush at 0 for all stages but the fragment shader,
// which has a word at kRandomFragmentPush. Specialization constant 0 of these stages: a word.
struct RandomShader {
    std::string task;  // empty: none
    std::string mesh;
    std::string fragment;
    std::string expectedVertex;  // drawn as a list of `corners` vertices for each primitive
    std::string expectedFragment;
    uint32_t corners = 3;
    uint32_t viewMask = 0;                       // of what is drawn to
    std::vector<std::array<uint32_t, 3>> draws;  // workgroups of each
    RandomDraws kind = RandomDraws::Direct;
    uint32_t expectedVertices = 0;  // for each workgroup of a draw
};

// Mesh and task shaders see the first member alone.
struct RandomPush {
    uint32_t pushed;
    uint32_t drawId;
    uint32_t pad[2];
    uint32_t grid[3];
};
inline constexpr uint32_t kRandomFragmentPush = 32;

// Of each second seed primitives share vertices.
constexpr bool sharesVerticesBySeed(uint32_t seed)
{
    return seed % 2 == 1;
}

// Of each second pair of seeds each invocation computes vertices without the others, and writes those of its own number
// and of larger ones by multiples of the workgroup's size.
constexpr bool hasIndependentVerticesBySeed(uint32_t seed)
{
    return seed / 2 % 2 == 0;
}

// The same for the same seed and abilities.
RandomShader makeRandomShader(uint32_t seed, const Abilities& abilities);

}  // namespace millrace::meshtest
