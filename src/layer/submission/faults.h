// SPDX-License-Identifier: Apache-2.0
// Tells what the device was doing when it was lost, or when a step takes longer than it may (setting "step_limit_ms").
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace millrace::layer {

struct Device;
class Stepped;

class Faults {
public:
    explicit Faults(Device& device) : m_device(device) {}
    ~Faults() { stop(); }

    // A graph has been recorded: from now on steps are watched, if there is a limit.
    void watch();
    // No message comes from the watching thread any more.
    void stop();
    // Passes a result of the driver on; reports the first loss of the device.
    VkResult check(VkResult result)
    {
        if (result == VK_ERROR_DEVICE_LOST)
            reportLoss();
        return result;
    }

private:
    using Clock = std::chrono::steady_clock;
    // A step in progress, as long as it is the same.
    struct Sighting {
        uint64_t mark = 0;
        Clock::time_point since;
        bool told = false;
    };

    void reportLoss();
    void run(std::chrono::milliseconds limit);
    void look(std::chrono::milliseconds limit);
    void reportSlow(const Stepped& run, const std::string& text, std::chrono::milliseconds limit) const;

    Device& m_device;
    std::atomic<bool> m_lost{false};
    std::atomic<bool> m_hasNoThread{false};                                     // and has said so
    std::map<std::weak_ptr<Stepped>, Sighting, std::owner_less<>> m_sightings;  // of the thread
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_stop = false;
    std::thread m_thread;
};

}  // namespace millrace::layer
