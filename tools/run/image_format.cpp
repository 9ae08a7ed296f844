// SPDX-License-Identifier: Apache-2.0
#include "tools/run/image_format.h"

#include <algorithm>
#include <iterator>

#include <spirv/unified1/spirv.hpp11>

namespace millrace::tools::run {

namespace {

using Kind = DataType::Kind;

constexpr uint32_t spirvFormat(spv::ImageFormat format)
{
    return static_cast<uint32_t>(format);
}

constexpr ImageFormat kFormats[] = {
    {"r8", VK_FORMAT_R8_UNORM, spirvFormat(spv::ImageFormat::R8), Kind::Unsigned, true, 8, 1},
    {"rg8", VK_FORMAT_R8G8_UNORM, spirvFormat(spv::ImageFormat::Rg8), Kind::Unsigned, true, 8, 2},
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, spirvFormat(spv::ImageFormat::Rgba8), Kind::Unsigned, true, 8, 4},
    {"r8_snorm", VK_FORMAT_R8_SNORM, spirvFormat(spv::ImageFormat::R8Snorm), Kind::Signed, true, 8, 1},
    {"rg8_snorm", VK_FORMAT_R8G8_SNORM, spirvFormat(spv::ImageFormat::Rg8Snorm), Kind::Signed, true, 8, 2},
    {"rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM, spirvFormat(spv::ImageFormat::Rgba8Snorm), Kind::Signed, true, 8, 4},
    {"r8ui", VK_FORMAT_R8_UINT, spirvFormat(spv::ImageFormat::R8ui), Kind::Unsigned, false, 8, 1},
    {"rg8ui", VK_FORMAT_R8G8_UINT, spirvFormat(spv::ImageFormat::Rg8ui), Kind::Unsigned, false, 8, 2},
    {"rgba8ui", VK_FORMAT_R8G8B8A8_UINT, spirvFormat(spv::ImageFormat::Rgba8ui), Kind::Unsigned, false, 8, 4},
    {"r8i", VK_FORMAT_R8_SINT, spirvFormat(spv::ImageFormat::R8i), Kind::Signed, false, 8, 1},
    {"rg8i", VK_FORMAT_R8G8_SINT, spirvFormat(spv::ImageFormat::Rg8i), Kind::Signed, false, 8, 2},
    {"rgba8i", VK_FORMAT_R8G8B8A8_SINT, spirvFormat(spv::ImageFormat::Rgba8i), Kind::Signed, false, 8, 4},
    {"r16", VK_FORMAT_R16_UNORM, spirvFormat(spv::ImageFormat::R16), Kind::Unsigned, true, 16, 1},
    {"rg16", VK_FORMAT_R16G16_UNORM, spirvFormat(spv::ImageFormat::Rg16), Kind::Unsigned, true, 16, 2},
    {"rgba16", VK_FORMAT_R16G16B16A16_UNORM, spirvFormat(spv::ImageFormat::Rgba16), Kind::Unsigned, true, 16, 4},
    {"r16_snorm", VK_FORMAT_R16_SNORM, spirvFormat(spv::ImageFormat::R16Snorm), Kind::Signed, true, 16, 1},
    {"rg16_snorm", VK_FORMAT_R16G16_SNORM, spirvFormat(spv::ImageFormat::Rg16Snorm), Kind::Signed, true, 16, 2},
    {"rgba16_snorm", VK_FORMAT_R16G16B16A16_SNORM, spirvFormat(spv::ImageFormat::Rgba16Snorm), Kind::Signed, true, 16,
     4},
    {"r16ui", VK_FORMAT_R16_UINT, spirvFormat(spv::ImageFormat::R16ui), Kind::Unsigned, false, 16, 1},
    {"rg16ui", VK_FORMAT_R16G16_UINT, spirvFormat(spv::ImageFormat::Rg16ui), Kind::Unsigned, false, 16, 2},
    {"rgba16ui", VK_FORMAT_R16G16B16A16_UINT, spirvFormat(spv::ImageFormat::Rgba16ui), Kind::Unsigned, false, 16, 4},
    {"r16i", VK_FORMAT_R16_SINT, spirvFormat(spv::ImageFormat::R16i), Kind::Signed, false, 16, 1},
    {"rg16i", VK_FORMAT_R16G16_SINT, spirvFormat(spv::ImageFormat::Rg16i), Kind::Signed, false, 16, 2},
    {"rgba16i", VK_FORMAT_R16G16B16A16_SINT, spirvFormat(spv::ImageFormat::Rgba16i), Kind::Signed, false, 16, 4},
    {"r16f", VK_FORMAT_R16_SFLOAT, spirvFormat(spv::ImageFormat::R16f), Kind::Float, false, 16, 1},
    {"rg16f", VK_FORMAT_R16G16_SFLOAT, spirvFormat(spv::ImageFormat::Rg16f), Kind::Float, false, 16, 2},
    {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, spirvFormat(spv::ImageFormat::Rgba16f), Kind::Float, false, 16, 4},
    {"r32ui", VK_FORMAT_R32_UINT, spirvFormat(spv::ImageFormat::R32ui), Kind::Unsigned, false, 32, 1},
    {"rg32ui", VK_FORMAT_R32G32_UINT, spirvFormat(spv::ImageFormat::Rg32ui), Kind::Unsigned, false, 32, 2},
    {"rgb32ui", VK_FORMAT_R32G32B32_UINT, spirvFormat(spv::ImageFormat::Unknown), Kind::Unsigned, false, 32, 3},
    {"rgba32ui", VK_FORMAT_R32G32B32A32_UINT, spirvFormat(spv::ImageFormat::Rgba32ui), Kind::Unsigned, false, 32, 4},
    {"r32i", VK_FORMAT_R32_SINT, spirvFormat(spv::ImageFormat::R32i), Kind::Signed, false, 32, 1},
    {"rg32i", VK_FORMAT_R32G32_SINT, spirvFormat(spv::ImageFormat::Rg32i), Kind::Signed, false, 32, 2},
    {"rgb32i", VK_FORMAT_R32G32B32_SINT, spirvFormat(spv::ImageFormat::Unknown), Kind::Signed, false, 32, 3},
    {"rgba32i", VK_FORMAT_R32G32B32A32_SINT, spirvFormat(spv::ImageFormat::Rgba32i), Kind::Signed, false, 32, 4},
    {"r32f", VK_FORMAT_R32_SFLOAT, spirvFormat(spv::ImageFormat::R32f), Kind::Float, false, 32, 1},
    {"rg32f", VK_FORMAT_R32G32_SFLOAT, spirvFormat(spv::ImageFormat::Rg32f), Kind::Float, false, 32, 2},
    {"rgb32f", VK_FORMAT_R32G32B32_SFLOAT, spirvFormat(spv::ImageFormat::Unknown), Kind::Float, false, 32, 3},
    {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, spirvFormat(spv::ImageFormat::Rgba32f), Kind::Float, false, 32, 4},
};

template <typename Member, typename Wanted>
const ImageFormat* findBy(Member member, const Wanted& wanted)
{
    const auto* const found = std::ranges::find(kFormats, wanted, member);
    return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace

DataTypeRef ImageFormat::texelType() const
{
    const DataTypeRef scalar = scalarType(kind, bits);
    return components == 1 ? scalar : vectorType(scalar, components);
}

const ImageFormat* findFormat(const std::string& name)
{
    return findBy([](const ImageFormat& f) { return std::string(f.name); }, name);
}

const ImageFormat* findFormat(uint32_t spirv)
{
    return spirv == spirvFormat(spv::ImageFormat::Unknown) ? nullptr : findBy(&ImageFormat::spirv, spirv);
}

std::vector<std::string> formatNames()
{
    std::vector<std::string> out;
    for (const ImageFormat& format : kFormats)
        out.emplace_back(format.name);
    return out;
}

DataTypeRef imageType(const ImageFormat& format, uint32_t width, uint32_t height)
{
    const uint64_t rowBytes = uint64_t(width) * format.texelBytes();
    return arrayType(arrayType(format.texelType(), width, format.texelBytes()), height, rowBytes);
}

}  // namespace millrace::tools::run
