// SPDX-License-Identifier: Apache-2.0
// Reading memory that may not be there, where a system has pipes.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace millrace {

// A pipe takes what it can read of the memory, and says so where it cannot.
inline bool copyByPipe(std::byte* to, const std::byte* from, size_t bytes)
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

// As copyReadable(), of which `first` bytes lie in front of the next page.
inline size_t copyReadableByPipe(std::byte* to, const std::byte* from, size_t bytes, size_t first)
{
    if (!copyByPipe(to, from, first))
        return 0;
    return copyByPipe(to + first, from + first, bytes - first) ? bytes : first;
}

}  // namespace millrace
