// SPDX-License-Identifier: Apache-2.0
// Mesh shaders drawn from a seed, each with a fragment shader whose color depends on all that reaches it, and a vertex
// shader that draws the same without any mesh shader.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace millrace::meshtest {

// What the device has beside mesh shaders.
struct Abilities {
    bool float64 = false;
    bool clipDistance = false;
    bool cullDistance = false;
    bool largePoints = false;
    bool fragmentBuiltIns = false;  // PrimitiveId, Layer in fragment shaders (geometryShader)
    bool viewports = false;         // two, and layers, which vertex shaders write
    uint32_t subgroupSize = 0;      // of mesh shaders, with arithmetic operations; 0: without
};

inline constexpr uint32_t kRandomLayers = 2;   // of the target
inline constexpr uint32_t kRandomWords = 128;  // of the storage buffer
// Locations below are those of outputs. At it the expected vertex shader hands PrimitiveId on.
inline constexpr uint32_t kRandomIdLocation = 12;

// GLSL. Set 0, binding 0: a storage buffer. Push constants: the mesh or vertex shader has a word at 0, the fragment
// shader one at 16. Specialization constant 0 of the mesh or vertex shader: a word.
struct RandomShader {
    std::string mesh;
    std::string fragment;
    std::string expectedVertex;  // drawn as a list of `corners` vertices for each primitive
    std::string expectedFragment;
    uint32_t corners = 3;
    uint32_t expectedVertices = 0;
    std::array<uint32_t, 3> groups{1, 1, 1};
};

// The same for the same seed and abilities.
RandomShader makeRandomShader(uint32_t seed, const Abilities& abilities);

}  // namespace millrace::meshtest
