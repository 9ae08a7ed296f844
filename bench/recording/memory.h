// SPDX-License-Identifier: Apache-2.0
// Memory for a command pool whose speed does not depend on what was allocated and freed before.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace millrace::bench {

// Allocations follow each other in blocks. Those behind `keep` are given out again from the start as soon as all of
// them are free. One thread at a time, as Vulkan asks of a pool's user. Outlives the pool.
class PoolMemory {
public:
    PoolMemory();
    PoolMemory(const PoolMemory&) = delete;

    const VkAllocationCallbacks* callbacks() const { return &m_callbacks; }
    // What is allocated by now stays for good.
    void keep();

private:
    static constexpr size_t kBlock = size_t{1} << 20;
    struct Place {
        size_t block = 0;
        size_t offset = 0;
    };

    void* allocate(size_t size, size_t alignment);
    bool addBlock();
    void free(void* memory);
    bool isKept(const void* memory) const;

    VkAllocationCallbacks m_callbacks{};
    std::vector<std::unique_ptr<std::byte[]>> m_blocks;
    Place m_next, m_kept;
    size_t m_live = 0;  // behind m_kept
};

}  // namespace millrace::bench
