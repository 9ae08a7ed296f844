// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace millrace::tools {

bool readFile(const std::string& path, std::string& content)
{
    std::error_code ignored;
    std::ifstream file(path, std::ios::binary);
    // Reading a folder throws.
    if (!file.is_open() || std::filesystem::is_directory(path, ignored)) {
        return false;
    }
    content.assign(std::istreambuf_iterator<char>(file), {});
    return !file.bad();
}

}  // namespace millrace::tools
