// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace millrace::runtime {

namespace {

constexpr VkSystemAllocationScope kScope = VK_SYSTEM_ALLOCATION_SCOPE_OBJECT;

TEST(HostMemory, IsAligned_AndKeepsItsContentsWhereItGrows)
{
    const VkAllocationCallbacks& memory = *hostMemory();
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        auto* bytes = static_cast<char*>(memory.pfnAllocation(nullptr, 100, alignment, kScope));
        ASSERT_TRUE(bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % alignment, 0u);
        std::memset(bytes, 5, 100);
        bytes = static_cast<char*>(memory.pfnReallocation(nullptr, bytes, 10000, alignment, kScope));
        ASSERT_TRUE(bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % alignment, 0u);
        EXPECT_EQ(bytes[99], 5);
        std::memset(bytes, 6, 10000);
        bytes = static_cast<char*>(memory.pfnReallocation(nullptr, bytes, 10, alignment, kScope));
        ASSERT_TRUE(bytes);
        EXPECT_EQ(bytes[9], 6);
        memory.pfnFree(nullptr, bytes);
    }
}

TEST(HostMemory, EdgesAreAsVulkanHasThem)
{
    const VkAllocationCallbacks& memory = *hostMemory();
    memory.pfnFree(nullptr, nullptr);
    void* made = memory.pfnReallocation(nullptr, nullptr, 8, 8, kScope);
    EXPECT_TRUE(made) << "as an allocation";
    EXPECT_FALSE(memory.pfnReallocation(nullptr, made, 0, 8, kScope)) << "as a release";
    EXPECT_FALSE(memory.pfnAllocation(nullptr, SIZE_MAX - 8, 16, kScope));
}

}  // namespace

}  // namespace millrace::runtime
