// SPDX-License-Identifier: Apache-2.0
// Where a queue waits for the host: what is submitted behind it is with the driver already.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "layer/submission/own_timeline.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

// One thread at a time. Errors are the driver's.
class Gate {
public:
    explicit Gate(const Device& device) : m_timeline(device, "gate of a queue") {}

    bool isClosed() const { return m_isClosed; }
    // Only while it is open.
    VkResult close();
    // What waits for it on the device waits until it is open again.
    VkSemaphoreSubmitInfo behind() const { return m_timeline.info(m_value); }
    // For queues beside: what waits for this sees what the device has done in front of the gate, once the host has seen
    // the end of that and calls letMore().
    VkSemaphoreSubmitInfo more() const { return m_timeline.info(m_value - 1); }
    VkResult letMore();
    VkResult open();
    // What somebody has to signal if nobody ever opens it.
    StatusWatch::SemaphoreValue opening() const { return {m_timeline.handle(), m_value}; }

private:
    OwnTimeline m_timeline;  // two values for each time; the host signals all
    uint64_t m_value = 0;
    bool m_isClosed = false;
    bool m_hasLet = false;
};

}  // namespace millrace::layer
