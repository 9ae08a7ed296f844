// SPDX-License-Identifier: Apache-2.0
// The implementations of stb's headers, which warn in our settings and are compiled alone.
#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
