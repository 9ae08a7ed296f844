// SPDX-License-Identifier: Apache-2.0
// Records what graphs do (docs/trace.md): an observer of every dispatch, and where all that they see comes together.
// Without one nothing of it is recorded, and node shaders are the same with and without.
#pragma once

#include <memory>

#include "runtime/runtime.h"
#include "trace/trace.h"

namespace millrace::runtime {

struct TraceOptions {
    // Keeps the dispatches of a level apart, so that each has its own time and bytes: what is seen is exact, and
    // slower.
    bool exact = false;
    bool hostQueryReset = false;  // the feature is enabled
    std::string settings;         // in words, for whoever reads the trace
};

// Thread-safe, but for its creation.
class TraceRecorder {
public:
    // From now on `device` traces. Both outlive everything that is recorded.
    static VkResult create(VkPhysicalDevice physical, const VkuInstanceDispatchTable& instanceTable, Device& device,
                           std::shared_ptr<trace::Sink> sink, const TraceOptions& options,
                           std::unique_ptr<TraceRecorder>& out);
    ~TraceRecorder();

    // Gives the sink what the device has written. Whenever the device is known to have finished something; sweeps that
    // wait for too long are lost, which the sink is told.
    void drain();

    struct Impl;

private:
    std::shared_ptr<Impl> m_impl;
};

}  // namespace millrace::runtime
