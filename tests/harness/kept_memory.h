// SPDX-License-Identifier: Apache-2.0
// Memory that a device of tests keeps for its next buffers: drivers take milliseconds for an allocation, one process
// after the other, and random graphs need seven each.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include <vulkan/vulkan.h>

namespace millrace::harness {

struct Memory {
    VkDeviceMemory handle = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    uint32_t type = 0;
    void* mapped = nullptr;
};

// Not thread-safe. What was taken goes back, or stays the caller's; free() comes before the device is destroyed.
class KeptMemory {
public:
    // Of at least `bytes`, for addresses of the device, mapped or not. Contents are anything. Throws HarnessError.
    Memory take(VkDevice device, uint32_t type, VkDeviceSize bytes, bool isMapped);
    // Requires: the device is done with it.
    void giveBack(VkDevice device, const Memory& memory);
    // Frees what nobody has.
    void free(VkDevice device);

private:
    std::map<std::tuple<uint32_t, VkDeviceSize, bool>, std::vector<Memory>>
        m_kept;  // by type, size, and whether mapped
};

}  // namespace millrace::harness
