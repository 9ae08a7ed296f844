// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/ends.h"

#include <chrono>
#include <thread>

#include "layer/base/own_thread.h"
#include "layer/recording/boundary.h"

namespace millrace::layer {

VkResult Ends::prepare()
{
    const VkResult result = m_timeline.create();
    if (result == VK_SUCCESS)
        ++m_value;
    return result;
}

// The device stands still until the host has seen that it is done and goes on. To wake up takes the host longer than
// most graphs take, so it looks for a while before it sleeps (docs/experiments.md).
VkResult Ends::wait(uint64_t value, uint32_t spinUs, const Continuation* behind) const
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::microseconds(spinUs);
    do {
        uint64_t now = 0;
        const VkResult result = m_timeline.read(now);
        if (result != VK_SUCCESS || now >= value)
            return result;
        if (behind && behind->isDecided())
            return VK_SUCCESS;
        std::this_thread::yield();
    } while (Clock::now() < deadline);
    // Never so long that the process could not end.
    constexpr std::chrono::nanoseconds kSlice = std::chrono::milliseconds(100);
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT) {
        if (mustLeaveDriver())
            return VK_ERROR_DEVICE_LOST;
        result = m_timeline.wait(value, kSlice.count());
    }
    return result;
}

}  // namespace millrace::layer
