// SPDX-License-Identifier: Apache-2.0
// PNG files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "tools/run/data_type.h"

namespace millrace::tools::run {

struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    Bytes texels;  // 8 bits for each component, rows without gaps
};

// With that many components (1, 2 or 4), whatever the file has. The diagnostic says why it cannot be read as PNG.
Status readPicture(const std::string& file, uint32_t components, Picture& picture);

// The content of a PNG file.
std::string encodePicture(uint32_t width, uint32_t height, uint32_t components, std::span<const uint8_t> texels);

}  // namespace millrace::tools::run
