// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace millrace::runtime {

namespace {

void* VKAPI_PTR allocate(void*, size_t size, size_t alignment, VkSystemAllocationScope)
{
    if (alignment <= alignof(std::max_align_t))
        return std::malloc(size);
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void VKAPI_PTR release(void*, void* memory)
{
    std::free(memory);
}

void* VKAPI_PTR reallocate(void* user, void* original, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    if (size == 0) {
        release(user, original);
        return nullptr;
    }
    if (alignment <= alignof(std::max_align_t))
        return std::realloc(original, size);
    void* moved = allocate(user, size, alignment, scope);
    if (moved && original) {
        std::memcpy(moved, original, std::min(size, malloc_usable_size(original)));
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
