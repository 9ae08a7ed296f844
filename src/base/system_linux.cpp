// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/pipe_copy.h"
#include "base/system.h"

namespace millrace {

// The kernel's word, which knows of capabilities as well.
bool hasMorePrivileges()
{
    return getauxval(AT_SECURE) != 0;
}

char** environment()
{
    return environ;
}

int openForWriting(const std::string& path)
{
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

// The kernel copies parts or not; the second begins at a page.
size_t copyReadable(void* to, const void* from, size_t bytes)
{
    static const size_t pageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* begin = static_cast<std::byte*>(const_cast<void*>(from));
    const size_t first = std::min(pageBytes - reinterpret_cast<uintptr_t>(begin) % pageBytes, bytes);
    const iovec target{to, bytes};
    const iovec parts[] = {{begin, first}, {begin + first, bytes - first}};
    const ssize_t copied = process_vm_readv(getpid(), &target, 1, parts, 2, 0);
    // Filters of system calls, as containers have them, may refuse the call, and qemu-user has none.
    if (copied < 0 && errno != EFAULT)
        return copyReadableByPipe(static_cast<std::byte*>(to), begin, bytes, first);
    return copied < static_cast<ssize_t>(first) ? 0 : copied < static_cast<ssize_t>(bytes) ? first : bytes;
}

}  // namespace millrace
