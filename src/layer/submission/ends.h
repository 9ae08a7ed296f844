// SPDX-License-Identifier: Apache-2.0
// The ends of what is submitted to a queue, for the host to wait for.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "layer/submission/own_timeline.h"

namespace millrace::layer {

class Continuation;

// One thread at a time. Errors are the driver's.
class Ends {
public:
    explicit Ends(const Device& device) : m_timeline(device, "ends on a queue") {}

    // What is submitted next signals signal(), whose value wait() is given.
    VkResult prepare();
    VkSemaphoreSubmitInfo signal() const { return m_timeline.info(m_value); }
    // Until that has ended, or until `behind` is decided, if that is before. The host looks for `spinUs` microseconds
    // before it sleeps.
    VkResult wait(uint64_t value, uint32_t spinUs, const Continuation* behind = nullptr) const;

private:
    OwnTimeline m_timeline;
    uint64_t m_value = 0;
};

}  // namespace millrace::layer
