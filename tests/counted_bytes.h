// SPDX-License-Identifier: Apache-2.0
// For the one source file of a test that counts what is allocated, by itself in its program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

inline std::atomic<size_t> g_allocatedBytes = 0;  // by everybody, ever

[[gnu::noinline]] void* operator new(size_t bytes)
{
    g_allocatedBytes += bytes;
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept
{
    std::free(memory);
}

namespace millrace {

template <typename Function>
size_t bytesOf(const Function& function)
{
    const size_t before = g_allocatedBytes;
    function();
    return g_allocatedBytes - before;
}

}  // namespace millrace
