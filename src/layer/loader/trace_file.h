// SPDX-License-Identifier: Apache-2.0
// Setting "trace": the file that all features of a device write to.
#pragma once

#include <memory>
#include <string>

#include "trace/trace.h"

namespace millrace::layer {

struct Device;

// Makes it when it is first asked for. Null without the setting, and where the file cannot be written, which is a
// warning: nothing is traced then. Thread-safe once it is there.
std::shared_ptr<trace::Sink> traceFile(Device& device);

// The same for a feature that runs no graphs: says what the device is, if nobody has.
std::shared_ptr<trace::Sink> describedTraceFile(Device& device);

// The device's settings that are not as by default, for whoever reads the trace.
std::string traceSettings(const Device& device);

}  // namespace millrace::layer
