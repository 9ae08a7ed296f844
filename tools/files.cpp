// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tools/console.h"

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

int writeFile(const std::string& path, std::string_view content)
{
    if (path == "-") {
        std::cout << content << std::flush;
        return std::cout.good() ? 0 : fail("cannot write to standard output");
    }
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    return file.good() ? 0 : fail("cannot write " + printable(path));
}

}  // namespace millrace::tools
