// SPDX-License-Identifier: Apache-2.0
#include "commands/vertex_input.h"

#include <algorithm>
#include <iterator>

namespace millrace::commands {

namespace {

using Number = VertexFormat::Number;

struct Row {
    uint32_t vkFormat;
    VertexFormat format;
};

constexpr Row kRows[] = {
    {9, {Number::Unorm, 1, 8}},         // VK_FORMAT_R8_UNORM
    {10, {Number::Snorm, 1, 8}},        // VK_FORMAT_R8_SNORM
    {13, {Number::Uint, 1, 8}},         // VK_FORMAT_R8_UINT
    {14, {Number::Sint, 1, 8}},         // VK_FORMAT_R8_SINT
    {16, {Number::Unorm, 2, 8}},        // VK_FORMAT_R8G8_UNORM
    {17, {Number::Snorm, 2, 8}},        // VK_FORMAT_R8G8_SNORM
    {20, {Number::Uint, 2, 8}},         // VK_FORMAT_R8G8_UINT
    {21, {Number::Sint, 2, 8}},         // VK_FORMAT_R8G8_SINT
    {37, {Number::Unorm, 4, 8}},        // VK_FORMAT_R8G8B8A8_UNORM
    {38, {Number::Snorm, 4, 8}},        // VK_FORMAT_R8G8B8A8_SNORM
    {41, {Number::Uint, 4, 8}},         // VK_FORMAT_R8G8B8A8_UINT
    {42, {Number::Sint, 4, 8}},         // VK_FORMAT_R8G8B8A8_SINT
    {44, {Number::Unorm, 4, 8, true}},  // VK_FORMAT_B8G8R8A8_UNORM
    {51, {Number::Unorm, 4, 8}},        // VK_FORMAT_A8B8G8R8_UNORM_PACK32
    {52, {Number::Snorm, 4, 8}},        // VK_FORMAT_A8B8G8R8_SNORM_PACK32
    {55, {Number::Uint, 4, 8}},         // VK_FORMAT_A8B8G8R8_UINT_PACK32
    {56, {Number::Sint, 4, 8}},         // VK_FORMAT_A8B8G8R8_SINT_PACK32
    {64, {Number::Unorm, 4, 10}},       // VK_FORMAT_A2B10G10R10_UNORM_PACK32
    {70, {Number::Unorm, 1, 16}},       // VK_FORMAT_R16_UNORM
    {71, {Number::Snorm, 1, 16}},       // VK_FORMAT_R16_SNORM
    {74, {Number::Uint, 1, 16}},        // VK_FORMAT_R16_UINT
    {75, {Number::Sint, 1, 16}},        // VK_FORMAT_R16_SINT
    {76, {Number::Sfloat, 1, 16}},      // VK_FORMAT_R16_SFLOAT
    {77, {Number::Unorm, 2, 16}},       // VK_FORMAT_R16G16_UNORM
    {78, {Number::Snorm, 2, 16}},       // VK_FORMAT_R16G16_SNORM
    {81, {Number::Uint, 2, 16}},        // VK_FORMAT_R16G16_UINT
    {82, {Number::Sint, 2, 16}},        // VK_FORMAT_R16G16_SINT
    {83, {Number::Sfloat, 2, 16}},      // VK_FORMAT_R16G16_SFLOAT
    {91, {Number::Unorm, 4, 16}},       // VK_FORMAT_R16G16B16A16_UNORM
    {92, {Number::Snorm, 4, 16}},       // VK_FORMAT_R16G16B16A16_SNORM
    {95, {Number::Uint, 4, 16}},        // VK_FORMAT_R16G16B16A16_UINT
    {96, {Number::Sint, 4, 16}},        // VK_FORMAT_R16G16B16A16_SINT
    {97, {Number::Sfloat, 4, 16}},      // VK_FORMAT_R16G16B16A16_SFLOAT
    {98, {Number::Uint, 1, 32}},        // VK_FORMAT_R32_UINT
    {99, {Number::Sint, 1, 32}},        // VK_FORMAT_R32_SINT
    {100, {Number::Sfloat, 1, 32}},     // VK_FORMAT_R32_SFLOAT
    {101, {Number::Uint, 2, 32}},       // VK_FORMAT_R32G32_UINT
    {102, {Number::Sint, 2, 32}},       // VK_FORMAT_R32G32_SINT
    {103, {Number::Sfloat, 2, 32}},     // VK_FORMAT_R32G32_SFLOAT
    {104, {Number::Uint, 3, 32}},       // VK_FORMAT_R32G32B32_UINT
    {105, {Number::Sint, 3, 32}},       // VK_FORMAT_R32G32B32_SINT
    {106, {Number::Sfloat, 3, 32}},     // VK_FORMAT_R32G32B32_SFLOAT
    {107, {Number::Uint, 4, 32}},       // VK_FORMAT_R32G32B32A32_UINT
    {108, {Number::Sint, 4, 32}},       // VK_FORMAT_R32G32B32A32_SINT
    {109, {Number::Sfloat, 4, 32}},     // VK_FORMAT_R32G32B32A32_SFLOAT
};
static_assert(std::size(kRows) == 45);

}  // namespace

std::optional<VertexFormat> findVertexFormat(uint32_t vkFormat)
{
    const auto* row = std::ranges::find(kRows, vkFormat, &Row::vkFormat);
    return row == std::end(kRows) ? std::nullopt : std::optional(row->format);
}

uint32_t bindingAlignment(const VertexInput& input, uint32_t binding)
{
    uint32_t alignment = 1;
    for (const VertexAttribute& attribute : input.attributes) {
        const std::optional<VertexFormat> format = findVertexFormat(attribute.vkFormat);
        if (attribute.binding != binding || !format)
            continue;
        const uint32_t component = format->bits == 10 ? 4 : format->bits / 8;
        if (attribute.offsetBytes % component == 0)
            alignment = std::max(alignment, component);
    }
    return alignment;
}

}  // namespace millrace::commands
