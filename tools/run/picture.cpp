// SPDX-License-Identifier: Apache-2.0
#include "tools/run/picture.h"

#include <memory>
#include <new>

#define STBI_ONLY_PNG
#include <stb_image.h>
#include <stb_image_write.h>

#include "base/input_file.h"

namespace millrace::tools::run {

Status readPicture(const std::string& file, uint32_t components, Picture& picture)
{
    std::string content;
    if (Status read = readInputFile(file, content); !read)
        return read;
    int width = 0;
    int height = 0;
    int found = 0;
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> texels(
        stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(content.data()), static_cast<int>(content.size()),
                              &width, &height, &found, static_cast<int>(components)),
        stbi_image_free);
    if (!texels)
        return Diagnostic{"", "", stbi_failure_reason()};
    picture.width = static_cast<uint32_t>(width);
    picture.height = static_cast<uint32_t>(height);
    picture.texels.assign(texels.get(), texels.get() + size_t(picture.width) * picture.height * components);
    return {};
}

std::string encodePicture(uint32_t width, uint32_t height, uint32_t components, std::span<const uint8_t> texels)
{
    std::string png;
    const auto append = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), static_cast<size_t>(count));
    };
    const int done =
        stbi_write_png_to_func(append, &png, static_cast<int>(width), static_cast<int>(height),
                               static_cast<int>(components), texels.data(), static_cast<int>(width * components));
    if (done == 0)
        throw std::bad_alloc();
    return png;
}

}  // namespace millrace::tools::run
