// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace millrace {

namespace {

Diagnostic tooLong()
{
    return {"", "", "it is longer than " + std::to_string(kMaxInputBytes >> 20) + " MiB, the most that is read"};
}

}  // namespace

Status readInputFile(const std::string& path, std::string& content)
{
    std::error_code error;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open())
        return Diagnostic{"", "", std::strerror(errno != 0 ? errno : EIO)};
    // Reading a folder throws.
    if (std::filesystem::is_directory(path, error))
        return Diagnostic{"", "", "it is a folder"};
    // Only of files on a disk is the size known before.
    if (std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > kMaxInputBytes)
        return tooLong();
    return readInputStream(file, content);
}

Status readInputStream(std::istream& stream, std::string& content)
{
    content.clear();
    for (size_t block = 1 << 16; stream; block = std::min<size_t>(2 * block, 16 << 20)) {
        const size_t before = content.size();
        content.resize(before + block);
        stream.read(content.data() + before, static_cast<std::streamsize>(block));
        content.resize(before + static_cast<size_t>(stream.gcount()));
        if (content.size() > kMaxInputBytes)
            return tooLong();
    }
    return stream.bad() ? Status(Diagnostic{"", "", std::strerror(errno != 0 ? errno : EIO)}) : Status();
}

std::string_view withoutByteOrderMark(std::string_view text)
{
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string withReason(const std::string& what, const Status& status)
{
    return status.error().message.empty() ? what : what + ": " + status.error().message;
}

}  // namespace millrace
