// SPDX-License-Identifier: Apache-2.0
#include "bench/recording/memory.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

namespace millrace::bench {

namespace {

// In front of each allocation, for vkReallocate.
constexpr size_t kHeader = alignof(std::max_align_t);

size_t sizeOf(const void* memory)
{
    size_t size;
    std::memcpy(&size, static_cast<const std::byte*>(memory) - kHeader, sizeof size);
    return size;
}

}  // namespace

PoolMemory::PoolMemory()
{
    m_callbacks.pUserData = this;
    m_callbacks.pfnAllocation = [](void* user, size_t size, size_t alignment, VkSystemAllocationScope) {
        return static_cast<PoolMemory*>(user)->allocate(size, alignment);
    };
    m_callbacks.pfnReallocation = [](void* user, void* old, size_t size, size_t alignment, VkSystemAllocationScope) {
        PoolMemory& pool = *static_cast<PoolMemory*>(user);
        void* memory = size ? pool.allocate(size, alignment) : nullptr;
        if (old && memory)
            std::memcpy(memory, old, std::min(size, sizeOf(old)));
        if (old && (memory || !size))
            pool.free(old);
        return memory;
    };
    m_callbacks.pfnFree = [](void* user, void* memory) {
        if (memory)
            static_cast<PoolMemory*>(user)->free(memory);
    };
}

void PoolMemory::keep()
{
    m_kept = m_next;
    m_live = 0;
}

// Null for what no driver asks for: more than a block, or more alignment than blocks have.
void* PoolMemory::allocate(size_t size, size_t alignment)
{
    const size_t taken = kHeader + (size + kHeader - 1) / kHeader * kHeader;
    if (alignment > kHeader || taken > kBlock)
        return nullptr;
    if (m_next.block < m_blocks.size() && m_next.offset + taken > kBlock)
        m_next = {m_next.block + 1, 0};
    if (m_next.block == m_blocks.size() && !addBlock())
        return nullptr;
    std::byte* memory = m_blocks[m_next.block].get() + m_next.offset;
    std::memcpy(memory, &size, sizeof size);
    m_next.offset += taken;
    ++m_live;
    return memory + kHeader;
}

// Drivers are C: nothing is thrown through them.
bool PoolMemory::addBlock()
{
    try {
        m_blocks.push_back(std::make_unique<std::byte[]>(kBlock));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void PoolMemory::free(void* memory)
{
    if (isKept(memory) || --m_live > 0)
        return;
    m_next = m_kept;
}

bool PoolMemory::isKept(const void* memory) const
{
    for (size_t block = 0; block <= m_kept.block && block < m_blocks.size(); ++block) {
        const std::byte* start = m_blocks[block].get();
        const std::byte* end = start + (block < m_kept.block ? kBlock : m_kept.offset);
        if (std::less_equal<const void*>()(start, memory) && std::less<const void*>()(memory, end))
            return true;
    }
    return false;
}

}  // namespace millrace::bench
