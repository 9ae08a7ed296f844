// SPDX-License-Identifier: Apache-2.0
// What is drawn: the cases, and the data that they are drawn from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/mesh/frame.h"

namespace millrace::bench {

enum class Draws {
    Tasks,          // one direct draw; task shaders choose
    Each,           // a direct draw of one workgroup for each unit
    Indirect,       // one indirect command with a draw of one workgroup for each unit
    IndirectCount,  // of `units` draws that there may be, the device says that there is one
    Nodes,          // an execution graph sends to a mesh node
};

enum class Shape { Meshlets, Grass, Tiny };

// What programs by hand need room for.
struct Capacity {
    uint32_t items = 0;
    uint32_t vertices = 0;
    uint32_t triangles = 0;
};

struct Scene {
    std::string name;
    Draws draws = Draws::Tasks;
    Shape shape = Shape::Tiny;
    uint32_t width = 0;
    uint32_t height = 0;
    double leastCovered = 0;  // of the picture, so that nobody measures an empty one
    Frame frame;              // without addresses
    Capacity capacity;
    std::vector<uint32_t> meshlets, corners, triangles, objects;
    std::vector<uint32_t> commands;  // VkDrawMeshTasksIndirectCommandEXT
    uint32_t commandCount = 0;       // that the device is told

    // That every version has to read.
    uint64_t inputBytes() const;
};

std::vector<Scene> allScenes(bool isSmall);

}  // namespace millrace::bench
