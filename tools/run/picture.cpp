// SPDX-License-Identifier: Apache-2.0
#include "tools/run/picture.h"

#include <memory>

#define STBI_ONLY_PNG
#include <stb_image.h>
#include <stb_image_write.h>

namespace millrace::tools::run {

bool readPicture(const std::string& file, uint32_t components, Picture& picture)
{
    int width = 0;
    int height = 0;
    int found = 0;
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> texels(
        stbi_load(file.c_str(), &width, &height, &found, static_cast<int>(components)), stbi_image_free);
    if (!texels) {
        return false;
    }
    picture.width = static_cast<uint32_t>(width);
    picture.height = static_cast<uint32_t>(height);
    picture.texels.assign(texels.get(), texels.get() + size_t(picture.width) * picture.height * components);
    return true;
}

bool writePicture(const std::string& file, uint32_t width, uint32_t height, uint32_t components,
                  std::span<const uint8_t> texels)
{
    return stbi_write_png(file.c_str(), static_cast<int>(width), static_cast<int>(height), static_cast<int>(components),
                          texels.data(), static_cast<int>(width * components)) != 0;
}

}  // namespace millrace::tools::run
