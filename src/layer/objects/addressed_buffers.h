// SPDX-License-Identifier: Apache-2.0
// What lies at a device address (setting "validate", and generated commands, which are given by address).
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace millrace::layer {

// Buffers whose address the application has asked for. Thread-safe.
class AddressedBuffers {
public:
    struct Range {
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceSize offset = 0;         // of the address in it
        VkDeviceSize bytesFromHere = 0;  // to the end of the buffer
        VkBufferUsageFlags2 usage = 0;
    };

    // `driverUsage`: usage that the driver sees and the application did not say.
    void created(VkBuffer buffer, const VkBufferCreateInfo& createInfo, VkBufferUsageFlags2 driverUsage = 0);
    void addressed(VkBuffer buffer, VkDeviceAddress address);
    void destroyed(VkBuffer buffer);

    // 0 for one that it does not know.
    VkDeviceSize sizeOf(VkBuffer buffer) const;

    std::optional<Range> find(VkDeviceAddress address) const;
    // A buffer with all bits of `usage` that has `bytes` bytes from there on, among buffers that share memory.
    std::optional<Range> find(VkDeviceAddress address, VkDeviceSize bytes, VkBufferUsageFlags2 usage) const;

    struct Reach {
        VkDeviceAddress begin = 0;
        VkDeviceAddress end = 0;
    };
    // Of buffers with all bits of `usage`, in the order of `begin`: how far those reach that begin there or before.
    // What lies in one buffer is below the `end` of the last one that does not begin behind it.
    std::vector<Reach> reaches(VkBufferUsageFlags2 usage) const;
    // Another one whenever reaches() may be.
    uint64_t version() const { return m_version; }

private:
    struct Buffer {
        VkDeviceSize size = 0;
        VkBufferUsageFlags2 usage = 0;
        VkDeviceAddress address = 0;
    };

    mutable std::mutex m_mutex;
    std::unordered_map<VkBuffer, Buffer> m_buffers;
    std::multimap<VkDeviceAddress, VkBuffer> m_byAddress;
    VkDeviceSize m_largest = 0;  // buffer there has been
    std::atomic<uint64_t> m_version{1};
};

}  // namespace millrace::layer
