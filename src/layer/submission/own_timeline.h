// SPDX-License-Identifier: Apache-2.0
// A timeline semaphore of the layer's.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::layer {

struct Device;

// Errors are the driver's. Where the process ends nothing but signals reaches the driver any more, and the device
// counts as lost: whoever waits for a signal there must not wait for ever.
class OwnTimeline {
public:
    // `name`: for tools.
    OwnTimeline(const Device& device, const char* name) : m_device(device), m_name(name) {}
    ~OwnTimeline();
    OwnTimeline(const OwnTimeline&) = delete;
    OwnTimeline& operator=(const OwnTimeline&) = delete;

    // If it is not there yet; its value is 0 then. In front of all that follows.
    VkResult create();
    // To wait for a value, or to signal it, on the device.
    VkSemaphoreSubmitInfo info(uint64_t value) const;
    VkResult read(uint64_t& value) const;
    // VK_TIMEOUT if the value is not reached by then.
    VkResult wait(uint64_t value, uint64_t nanoseconds) const;
    VkResult signal(uint64_t value) const;
    VkSemaphore handle() const { return m_semaphore; }

private:
    const Device& m_device;
    const char* const m_name;
    VkSemaphore m_semaphore = VK_NULL_HANDLE;
};

}  // namespace millrace::layer
