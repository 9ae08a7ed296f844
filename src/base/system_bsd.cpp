// SPDX-License-Identifier: Apache-2.0
// The BSDs and macOS.
#include <fcntl.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#else
extern "C" char** environ;
#endif

#include <algorithm>
#include <cstdint>

#include "base/pipe_copy.h"
#include "base/system.h"

namespace millrace {

bool hasMorePrivileges()
{
    return issetugid() != 0;
}

char** environment()
{
#ifdef __APPLE__
    return *_NSGetEnviron();  // environ is there for programs alone
#else
    return environ;
#endif
}

int openForWriting(const std::string& path)
{
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

size_t copyReadable(void* to, const void* from, size_t bytes)
{
    static const size_t pageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const auto* begin = static_cast<const std::byte*>(from);
    const size_t first = std::min(pageBytes - reinterpret_cast<uintptr_t>(begin) % pageBytes, bytes);
    return copyReadableByPipe(static_cast<std::byte*>(to), begin, bytes, first);
}

}  // namespace millrace
