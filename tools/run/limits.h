// SPDX-License-Identifier: Apache-2.0
// Whether a device can have what a graph asks for.
#pragma once

#include "tools/run/device.h"
#include "tools/run/program.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

// Before anything is made on the device. Throws InputError at what is beyond a limit, with the limit's name.
void checkLimits(const Instance& instance, const Device& device, const Program& program, const Work& work);

}  // namespace millrace::tools::run
