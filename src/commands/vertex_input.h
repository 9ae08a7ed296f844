// SPDX-License-Identifier: Apache-2.0
// What a graphics pipeline says of vertex buffers, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace millrace::commands {

struct VertexFormat {
    enum class Number : uint8_t { Unorm, Snorm, Uint, Sint, Sfloat };
    Number number = Number::Sfloat;
    uint8_t components = 4;
    uint8_t bits = 32;    // of a component: 8, 16, 32; 10: three of ten bits and one of two in a word
    bool isBgra = false;  // the first component is the third one in memory

    uint32_t bytes() const { return bits == 10 ? 4 : uint32_t{components} * bits / 8; }
};

// Of a VkFormat, as its number: the 45 that every device must support with VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT
// (specification, "Required Format Support"); none for others.
std::optional<VertexFormat> findVertexFormat(uint32_t vkFormat);

struct VertexBinding {
    uint32_t binding = 0;
    std::optional<uint32_t> strideBytes;  // absent: each sequence says it
    bool isPerInstance = false;
    uint32_t divisor = 1;  // instances that share an element; 0: all

    bool operator==(const VertexBinding&) const = default;
};

struct VertexAttribute {
    uint32_t location = 0;
    uint32_t binding = 0;
    uint32_t vkFormat = 0;
    uint32_t offsetBytes = 0;

    bool operator==(const VertexAttribute&) const = default;
};

struct VertexInput {
    std::vector<VertexBinding> bindings;
    std::vector<VertexAttribute> attributes;

    bool operator==(const VertexInput&) const = default;
};

// What the address of the binding's buffer has to be a multiple of: the greatest component of its attributes, as far as
// their offsets are multiples of theirs. At least 1.
uint32_t bindingAlignment(const VertexInput& input, uint32_t binding);

}  // namespace millrace::commands
