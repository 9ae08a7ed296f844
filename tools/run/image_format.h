// SPDX-License-Identifier: Apache-2.0
// Formats of storage images and texel buffers under the names that GLSL has for them.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <vector>

#include "tools/run/data_type.h"

namespace millrace::tools::run {

// Of storage images, and of the image that mesh nodes draw into.
inline constexpr VkImageUsageFlags kImageUsage =
    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
inline constexpr VkImageUsageFlags kTargetUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;

struct ImageFormat {
    const char* name;
    VkFormat format;
    uint32_t spirv;       // spv::ImageFormat; Unknown: no shader can say it
    DataType::Kind kind;  // of a component in memory
    bool isNormalized;    // shaders see numbers from 0 or -1 to 1
    uint32_t bits;        // of a component
    uint32_t components;

    uint32_t texelBytes() const { return bits / 8 * components; }
    // What shaders read and write.
    DataType::Kind shaderKind() const { return isNormalized ? DataType::Kind::Float : kind; }
    // PNG files hold the same.
    bool isPicture() const { return bits == 8 && kind == DataType::Kind::Unsigned; }
    // A texel: a scalar or a vector.
    DataTypeRef texelType() const;
};

const ImageFormat* findFormat(const std::string& name);
// None of spv::ImageFormat::Unknown.
const ImageFormat* findFormat(uint32_t spirv);
std::vector<std::string> formatNames();

// Rows of texels, as the buffers that images are copied to and from have them.
DataTypeRef imageType(const ImageFormat& format, uint32_t width, uint32_t height);

}  // namespace millrace::tools::run
