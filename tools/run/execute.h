// SPDX-License-Identifier: Apache-2.0
// Runs the work on a device, as often as wanted, and takes the time.
#pragma once

#include "tools/run/device.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

struct ExecutionOptions {
    uint32_t repeats = 1;
    // Bytes, which are clamped to what the graph can use; none: the most.
    std::optional<uint64_t> scratchBytes;
    bool leastScratch = false;
    std::optional<DispatchForm> form;  // instead of what each dispatch says
};

struct Execution {
    uint64_t scratchLeast = 0;
    uint64_t scratchMost = 0;
    uint64_t scratchBytes = 0;
    std::vector<double> deviceMilliseconds;  // of each run; empty if the device has no clock
    std::vector<double> hostMilliseconds;    // from submission until the host knows that it is done
};

// Each run starts with the initial contents; Resource::result is what the last one left. Throws DeviceError.
Execution execute(const Instance& instance, const Device& device, const Program& program, Work& work,
                  const ExecutionOptions& options);

}  // namespace millrace::tools::run
