// SPDX-License-Identifier: Apache-2.0
// A device by what it says of itself: features and limits that are less than those of the driver it is simulated on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/limit_table.h"

namespace millrace::drivers {

// A file has a line for each fact, and says where it is from:
//     maxComputeWorkGroupSize = 128 128 64 | where that is written
//     shaderInt64 = 0 | ...
//     -VK_EXT_mesh_shader | ...
//     +VK_KHR_portability_subset | ...
//     apiVersion = 1 2 175 | ...
//     leastMemory = 1 | ...
//     oneQueue = 1 | ...
// The only extension to be added takes away: its features are there unless the file says otherwise, and without it all
// of them are what Vulkan guarantees.
// Empty lines and those that begin with # say nothing.
struct DeviceFile {
    std::map<std::string, std::vector<uint64_t>> values;  // of features and limits
    std::set<std::string> hiddenExtensions;
    bool isPortabilitySubset = false;  // the device has VK_KHR_portability_subset, whatever the driver has
    uint32_t apiVersion = UINT32_MAX;  // as VK_MAKE_API_VERSION() packs it
    bool hasLeastMemory = false;       // memory_layer.h
    bool hasOneQueue = false;          // of the driver's first family

    // Lowers what a driver has filled in: the structure and all that is chained to it. What the driver has less of
    // stays. Structures of VK_KHR_portability_subset are filled in first, since the driver does not know them.
    void lower(void* chain) const;
    // True if a structure of the chain enables a feature that the device has not.
    bool enablesMore(const void* chain) const;
};

// Errors: a line that is none of those above, an unknown name, a number of values that the limit has not, no source, a
// name twice.
Result<DeviceFile> parseDevice(const std::string& text);

}  // namespace millrace::drivers
