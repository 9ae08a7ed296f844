// SPDX-License-Identifier: Apache-2.0
// The device file that MILLRACE_TEST_DEVICE_FILE names. One that cannot be read ends the process.
#pragma once

#include "drivers/device_file.h"

namespace millrace::drivers {

const DeviceFile& deviceInUse();

}  // namespace millrace::drivers
