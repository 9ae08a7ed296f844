// SPDX-License-Identifier: Apache-2.0
// Outputs of a random mesh shader at locations: how they are declared, written and read.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mesh/random_shader.h"

namespace millrace::meshtest {

class Choice {
public:
    explicit Choice(uint32_t seed) : m_random(seed) {}

    // From first to last.
    uint32_t number(uint32_t first, uint32_t last) { return first + m_random() % (last - first + 1); }
    bool chance(uint32_t percent) { return m_random() % 100 < percent; }
    template <typename T>
    const T& of(const std::vector<T>& list)
    {
        return list[m_random() % list.size()];
    }

private:
    std::mt19937 m_random;
};

struct RandomType {
    std::string name;
    uint32_t components = 1;  // of a column
    uint32_t columns = 1;
    bool isFloat = true;  // of 32 bits
    uint32_t locations = 1;
};

struct RandomOutput {
    RandomType type;
    std::string name;
    uint32_t location = 0;
    uint32_t component = 0;
    uint32_t length = 0;  // of an array for each vertex; 0: none
    bool isPerPrimitive = false;
    bool isInBlock = false;
    std::string interpolation;  // of the fragment shader's input
    uint32_t key = 0;           // of its values
};

// All that is at locations: variables, and blocks with a member or more.
class RandomOutputs {
public:
    // `ofPrimitives`: some are.
    RandomOutputs(Choice& choose, const Abilities& abilities, bool ofPrimitives);

    // As the stage sees them; Expected: of a pipeline with a vertex shader, where all corners have what is per
    // primitive.
    enum class Stage { Mesh, Fragment, ExpectedVertex, ExpectedFragment };
    std::string declarations(Stage stage) const;
    // Statements that write all of an element. `subscript` chooses it ("[i]"; in a vertex shader nothing); `value` is
    // GLSL of type uint. Vertex shaders write no components one by one: drivers lose those of 64 bits (docs/gpu.md).
    std::string stores(Choice& choose, bool ofPrimitives, const std::string& subscript, const std::string& value) const;
    // Statements that mix all of it into `sum`.
    std::string reads() const;

private:
    static std::string declaration(const RandomOutput& output, Stage stage);
    std::string block(bool isPerPrimitive, Stage stage) const;
    static std::string stored(Choice& choose, const RandomOutput& output, const std::string& place,
                              const std::string& value, bool isOfVertexShader);

    std::vector<RandomOutput> m_outputs;
};

}  // namespace millrace::meshtest
