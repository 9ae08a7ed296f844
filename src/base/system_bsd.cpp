// SPDX-License-Identifier: Apache-2.0
// The BSDs and macOS.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/system.h"

namespace millrace {

namespace {

// A pipe takes what it can read of the memory, and says so where it cannot.
bool copyPart(std::byte* to, const std::byte* from, size_t bytes)
{
    int ends[2];
    if (::pipe(ends) != 0)
        return false;
    // No pipe holds less than this, so nobody waits.
    constexpr size_t kMostAtOnce = 512;
    bool isCopied = true;
    for (size_t at = 0; at < bytes && isCopied; at += kMostAtOnce) {
        const size_t part = std::min(bytes - at, kMostAtOnce);
        const ssize_t whole = static_cast<ssize_t>(part);
        isCopied = ::write(ends[1], from + at, part) == whole && ::read(ends[0], to + at, part) == whole;
    }
    ::close(ends[0]);
    ::close(ends[1]);
    return isCopied;
}

}  // namespace

bool hasMorePrivileges()
{
    return issetugid() != 0;
}

int openForWriting(const std::string& path)
{
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

size_t copyReadable(void* to, const void* from, size_t bytes)
{
    static const size_t pageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* target = static_cast<std::byte*>(to);
    const auto* begin = static_cast<const std::byte*>(from);
    const size_t first = std::min(pageBytes - reinterpret_cast<uintptr_t>(begin) % pageBytes, bytes);
    if (!copyPart(target, begin, first))
        return 0;
    return copyPart(target + first, begin + first, bytes - first) ? bytes : first;
}

}  // namespace millrace
