// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/trace_output.h"

#include "layer/loader/device.h"
#include "layer/loader/trace_file.h"
#include "runtime/trace_recorder.h"

namespace millrace::layer {

VkResult startTrace(Device& device)
{
    std::shared_ptr<trace::Sink> sink = traceFile(device);
    if (!sink)
        return VK_SUCCESS;
    return runtime::TraceRecorder::create(device.physical, device.instance.table, *device.runtime, std::move(sink),
                                          {.exact = device.settings().traceNodes,
                                           .hostQueryReset = device.support.hostQueryReset,
                                           .settings = traceSettings(device)},
                                          device.trace);
}

}  // namespace millrace::layer
