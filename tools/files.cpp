// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <filesystem>
#include <iostream>

#include "base/output_file.h"
#include "tools/console.h"

namespace millrace::tools {

void makeFolderOf(const std::string& path)
{
    std::error_code error;
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
        std::filesystem::create_directories(folder, error);
    }
}

Status makeFile(const std::string& path, std::string_view content)
{
    makeFolderOf(path);
    const auto file = OutputFile::create(path, content);
    return file ? Status() : file.error();
}

int writeFile(const std::string& path, std::string_view content)
{
    if (path == "-") {
        std::cout << content << std::flush;
        return std::cout.good() ? 0 : fail("cannot write to standard output");
    }
    const Status made = makeFile(path, content);
    return made ? 0 : fail(printable(made.error().text()));
}

}  // namespace millrace::tools
