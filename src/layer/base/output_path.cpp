// SPDX-License-Identifier: Apache-2.0
#include "layer/base/output_path.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include <unistd.h>

namespace millrace::layer {

std::string outputPath(std::string pattern)
{
    static std::mutex mutex;
    static auto& asked = *new std::map<std::string, uint32_t>;  // never destroyed
    if (const size_t at = pattern.find("%p"); at != std::string::npos)
        pattern.replace(at, 2, std::to_string(getpid()));
    std::error_code error;
    const std::filesystem::file_status there = std::filesystem::status(pattern, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        return pattern;
    const std::lock_guard lock(mutex);
    const uint32_t number = ++asked[pattern];
    if (number == 1)
        return pattern;
    const std::filesystem::path path(pattern);
    return (path.parent_path() / path.stem()).string() + "-" + std::to_string(number) + path.extension().string();
}

}  // namespace millrace::layer
