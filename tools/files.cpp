// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <filesystem>
#include <iostream>

#include "base/input_file.h"
#include "base/output_file.h"
#include "tools/console.h"

namespace millrace::tools {

std::string whatTakes(const std::string& path)
{
    struct Taker {
        std::string_view ending;
        const char* text;
    };
    constexpr const char* kGlsl = "'millrace compile' and 'millrace graph' take nodes in GLSL";
    constexpr const char* kModules = "'millrace graph' and 'millrace lower' take modules of SPIR-V";
    constexpr Taker kTakers[] = {
        {".comp", kGlsl},
        {".mesh", kGlsl},
        {".glsl", kGlsl},
        {".spv", kModules},
        {".spvasm", kModules},
        {".dxil", "'millrace dxil' takes libraries of DXIL"},
        {".hlsl", "Microsoft's dxc compiles HLSL, and 'millrace dxil' takes the result"},
        {".json", "'millrace run' and 'millrace graph' take graphs in JSON"},
        {".mrtrace", "'millrace report' takes traces"},
    };
    for (const Taker& taker : kTakers)
        if (std::string_view(path).ends_with(taker.ending))
            return std::string("; ") + taker.text;
    return "";
}

Status readInput(const std::string& path, std::string& content)
{
    if (path != "-")
        return readInputFile(path, content);
    static std::string given;
    static const Status status = readInputStream(std::cin, given);
    content = given;
    return status;
}

std::string inputName(const std::string& path)
{
    return path == "-" ? "<stdin>" : path;
}

void makeFolderOf(const std::string& path)
{
    std::error_code error;
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, error);
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
