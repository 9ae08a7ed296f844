// SPDX-License-Identifier: Apache-2.0
// How much scratch memory a dispatch needs, found by trying.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/suite/programs.h"

namespace millrace::bench {

// Bytes. What was not found out is 0.
struct ScratchNeed {
    VkDeviceSize least = 0;     // minSize, with which everything ends, if not in one sweep
    VkDeviceSize oneSweep = 0;  // the least with which one sweep is enough, up to 1 % more
    VkDeviceSize regions = 0;   // of that the most that payloads took, or would have taken if nobody counted
    VkDeviceSize live = 0;      // the payloads themselves, if they are in memory at the same time
};

// `run` executes the graph with its scratch memory as it then is, and throws if the result is wrong. `live` bytes of
// payloads are where the search begins; 0 if nobody knows.
ScratchNeed findScratchNeed(harness::Device& device, Graph& graph, VkDeviceSize live, const std::function<void()>& run);

}  // namespace millrace::bench
