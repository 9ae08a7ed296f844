// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace millrace::runtime {

namespace {

// In front of each allocation. C's own aligned memory differs between systems, and does not say how large it is.
struct alignas(std::max_align_t) Header {
    void* begin;  // of what malloc() gave
    size_t size;
};

Header& headerOf(void* memory)
{
    return static_cast<Header*>(memory)[-1];
}

void* VKAPI_PTR allocate(void*, size_t size, size_t alignment, VkSystemAllocationScope)
{
    const size_t step = std::max(alignment, alignof(Header));
    size_t room = size + sizeof(Header) + step;
    if (room < size)
        return nullptr;
    void* begin = std::malloc(room);
    if (!begin)
        return nullptr;
    void* memory = static_cast<std::byte*>(begin) + sizeof(Header);
    room -= sizeof(Header);
    std::align(step, size, memory, room);  // there is room
    headerOf(memory) = {begin, size};
    return memory;
}

void VKAPI_PTR release(void*, void* memory)
{
    if (memory)
        std::free(headerOf(memory).begin);
}

void* VKAPI_PTR reallocate(void* user, void* original, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    if (size == 0) {
        release(user, original);
        return nullptr;
    }
    void* moved = allocate(user, size, alignment, scope);
    if (moved && original) {
        std::memcpy(moved, original, std::min(size, headerOf(original).size));
        release(user, original);
    }
    return moved;
}

}  // namespace

const VkAllocationCallbacks* hostMemory()
{
    static constexpr VkAllocationCallbacks kCallbacks{nullptr, allocate, reallocate, release, nullptr, nullptr};
    return &kCallbacks;
}

}  // namespace millrace::runtime
