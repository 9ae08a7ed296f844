// SPDX-License-Identifier: Apache-2.0
// Keeps the device's clocks up, as bench/suite/clocks.h does: they fall while the host is at work, and rise only under
// load.
#pragma once

#include "bench/peer/vulkan_resources.h"

namespace millrace::bench::peer {

class ClockLoad {
public:
    explicit ClockLoad(harness::Device& device);
    ~ClockLoad();
    ClockLoad(const ClockLoad&) = delete;

    // Keeps the device busy until it is as fast as it has been seen before, or a second has passed. Of a software
    // driver nobody raises clocks.
    void raise();

private:
    double spin();  // microseconds

    harness::Device& m_device;
    Stamps m_stamps;
    harness::Buffer m_result;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    double m_least = 0;
};

}  // namespace millrace::bench::peer
