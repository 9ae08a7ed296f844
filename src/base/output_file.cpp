// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "base/system.h"

namespace millrace {

namespace {

constexpr size_t kMostOver = 16;  // bytes that write() may replace

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, std::string_view begin)
{
    const int file = openForWriting(path);
    if (file < 0)
        return Diagnostic{"", "", "cannot write " + path + ": " + std::strerror(errno)};
    std::unique_ptr<OutputFile> out(new OutputFile(file, path));
    out->write(begin);
    if (const std::optional<std::string> problem = out->takeProblem())
        return Diagnostic{"", "", *problem};
    return out;
}

OutputFile::~OutputFile()
{
    ::close(m_file);
}

// What cannot be sought, a pipe, takes what comes at its end.
bool OutputFile::put(std::string_view text, size_t at)
{
    if (at != m_size && ::lseek(m_file, static_cast<off_t>(at), SEEK_SET) < 0)
        return false;
    while (!text.empty()) {
        const ssize_t written = ::write(m_file, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

void OutputFile::write(std::string_view text, size_t over)
{
    const std::lock_guard lock(m_mutex);
    if (m_error != 0)
        return;
    const size_t at = m_size - std::min(over, m_end.size());
    if (!put(text, at)) {
        m_error = errno != 0 ? errno : EIO;
        // As it was: room for this is there.
        const size_t size = std::exchange(m_size, SIZE_MAX);
        put(std::string_view(m_end).substr(m_end.size() - (size - at)), at);
        [[maybe_unused]] const int failed = ::ftruncate(m_file, static_cast<off_t>(size));
        return;
    }
    m_size = at + text.size();
    m_end.resize(m_end.size() - std::min(over, m_end.size()));
    m_end += text.substr(text.size() - std::min(text.size(), kMostOver));
    m_end.erase(0, m_end.size() - std::min(m_end.size(), kMostOver));
}

std::optional<std::string> OutputFile::takeProblem()
{
    const std::lock_guard lock(m_mutex);
    if (m_error == 0 || std::exchange(m_isTold, true))
        return std::nullopt;
    return "cannot write " + m_path + ": " + std::strerror(m_error);
}

}  // namespace millrace
