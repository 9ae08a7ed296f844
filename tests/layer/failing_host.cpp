// SPDX-License-Identifier: Apache-2.0
#include "layer/failing_host.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace millrace::layertest {

namespace {

struct Range {
    std::atomic<uintptr_t> begin{0};
    std::atomic<uintptr_t> end{0};

    bool has(const void* address) const
    {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return at >= begin && at < end;
    }
};

Range g_layer;
std::atomic<uintptr_t> g_operatorNew{0};  // where it calls malloc(): what else calls that does not throw
std::atomic<size_t> g_failAt{0};
std::atomic<size_t> g_allocations{0};
std::atomic<bool> g_failThreads{false};
std::atomic<size_t> g_threads{0};

// Who in the layer has called malloc() how often, while it is being found.
struct Caller {
    std::atomic<uintptr_t> address{0};
    std::atomic<size_t> calls{0};
};
std::array<Caller, 64> g_callers;
std::atomic<bool> g_counts{false};

void count(uintptr_t address)
{
    for (Caller& caller : g_callers) {
        uintptr_t none = 0;
        if (caller.address == address || caller.address.compare_exchange_strong(none, address)) {
            ++caller.calls;
            return;
        }
    }
}

bool failsNow(void* caller)
{
    if (!g_layer.has(caller))
        return false;
    if (g_counts)
        count(reinterpret_cast<uintptr_t>(caller));
    if (reinterpret_cast<uintptr_t>(caller) != g_operatorNew)
        return false;
    return ++g_allocations == g_failAt;
}

int noteLibrary(dl_phdr_info* info, size_t, void*)
{
    if (!info->dlpi_name || !std::strstr(info->dlpi_name, "libVkLayer_MILLRACE_emulation"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
            continue;
        g_layer.begin = info->dlpi_addr + header.p_vaddr;
        g_layer.end = info->dlpi_addr + header.p_vaddr + header.p_memsz;
    }
    return 1;
}

}  // namespace

void findLayer()
{
    dl_iterate_phdr(noteLibrary, nullptr);
    // It may have been elsewhere before.
    for (Caller& caller : g_callers) {
        caller.calls = 0;
        caller.address = 0;
    }
    ASSERT_NE(g_layer.begin, 0u) << "the layer is not loaded";
    // It may have been loaded elsewhere before.
    for (Caller& caller : g_callers) {
        caller.calls = 0;
        caller.address = 0;
    }
    g_counts = true;
}

void failAllocation(size_t number)
{
    if (g_counts.exchange(false)) {
        size_t most = 0;
        for (const Caller& caller : g_callers) {
            if (caller.calls > most) {
                most = caller.calls;
                g_operatorNew = caller.address.load();
            }
        }
        ASSERT_GT(most, 10u) << "the layer has allocated nothing since findLayer()";
    }
    g_allocations = 0;
    g_failAt = number;
}

size_t allocations()
{
    return g_allocations;
}

void failThreads(bool fail)
{
    g_failThreads = fail;
}

size_t threads()
{
    return g_threads;
}

}  // namespace millrace::layertest

// In front of the C library's for everybody in the process.
extern "C" {

void* __libc_malloc(size_t size);

void* malloc(size_t size)
{
    return millrace::layertest::failsNow(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument)
{
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (millrace::layertest::g_layer.has(__builtin_return_address(0))) {
        ++millrace::layertest::g_threads;
        if (millrace::layertest::g_failThreads)
            return EAGAIN;
    }
    return next(thread, attributes, start, argument);
}
}
