// SPDX-License-Identifier: Apache-2.0
// What a random mesh shader does, before it is text: the mesh shader and the vertex shader that draws the same are
// written from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mesh/random_outputs.h"
#include "mesh/random_shader.h"

namespace millrace::meshtest {

struct RandomBuiltIn {
    std::string member;
    std::string type;
    std::string value;    // GLSL of a number `n`
    uint32_t length = 0;  // of an array; 0: none
};

struct RandomPlan {
    RandomPlan(uint32_t seed, const Abilities& given);

    uint32_t invocations() const { return size[0] * size[1] * size[2]; }
    bool writes(const std::string& member) const;

    // Text that both kinds of shaders have.
    std::string constants() const;  // specialization and push constants, buffer, functions
    // Statements that make of `base` what a workgroup begins with: `group` is its number, `wg` its place, `drawId` the
    // draw's number.
    static std::string base();
    // From a task's `base`: `emitted`, the grid of its mesh workgroups.
    static std::string emitted();
    // From a task's `base` that of its mesh workgroup of number `group`; `payload` is in front of the members' names.
    static std::string baseOfPayload(const std::string& payload);
    // `vertexCount` and `primitiveCount` of a workgroup from its `base`.
    std::string counts() const;
    std::string position() const;  // from `value`
    // The number of a corner's vertex, from `value` and `vertexCount`.
    static std::string index(uint32_t corner);
    // Makes of `value` that of the view. Counts and indices are the same in all views: the extension asks for that.
    std::string valueOfView() const;
    // Writes the members; `place` is in front of their names.
    static std::string stores(const std::vector<RandomBuiltIn>& members, const std::string& place);

    Choice choose;
    // Nothing is per primitive that a fragment shader reads, so that primitives can share vertices.
    const bool sharesVertices;
    const bool hasIndependentVertices;
    const Abilities abilities;
    const RandomOutputs outputs;
    std::array<uint32_t, 3> size{};  // of a workgroup
    uint32_t corners = 3;
    uint32_t vertices = 0;    // at most
    uint32_t primitives = 0;  // likewise
    bool isFull = false;      // always as many vertices as that
    bool hasTasks = false;
    std::array<uint32_t, 3> taskSize{};
    uint32_t viewMask = 0;   // 0: there are no several views
    bool readsView = false;  // mesh shaders do
    bool showsView = false;  // fragment shaders do
    bool usesSubgroups = false;
    bool usesShared = false;
    uint32_t sharedLane = 0;                 // whose value the others take
    std::vector<RandomBuiltIn> ofVertex;     // without Position
    std::vector<RandomBuiltIn> ofPrimitive;  // without indices
};

inline constexpr uint32_t kRandomEmitted = 12;  // mesh workgroups of a task at most

std::string writeTask(RandomPlan& plan);

// What a task hands on: GLSL of the structure, and statements that fill one of that name from `base`.
std::string payloadDeclaration();

// A vertex shader for a list of vertices, numbered by workgroup, primitive and corner.
std::string writeExpectedVertex(RandomPlan& plan);

}  // namespace millrace::meshtest
