// SPDX-License-Identifier: Apache-2.0
// What lies at a device address (setting "validate").
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace millrace::layer {

// Buffers whose address the application has asked for. Thread-safe.
class AddressedBuffers {
public:
    struct Range {
        VkDeviceSize bytesFromHere = 0;  // to the end of the buffer
        VkBufferUsageFlags2 usage = 0;
    };

    void created(VkBuffer buffer, const VkBufferCreateInfo& createInfo);
    void addressed(VkBuffer buffer, VkDeviceAddress address);
    void destroyed(VkBuffer buffer);

    std::optional<Range> find(VkDeviceAddress address) const;

private:
    struct Buffer {
        VkDeviceSize size = 0;
        VkBufferUsageFlags2 usage = 0;
        VkDeviceAddress address = 0;
    };

    mutable std::mutex m_mutex;
    std::unordered_map<VkBuffer, Buffer> m_buffers;
    std::map<VkDeviceAddress, VkBuffer> m_byAddress;
};

}  // namespace millrace::layer
