// SPDX-License-Identifier: Apache-2.0
// Memory for results that the host reads.
#pragma once

#include "harness/device.h"

namespace millrace::bench {

// Mapped. Host-cached where the device has such memory: the host reads it at full speed.
harness::Buffer createReadback(harness::Device& device, VkDeviceSize bytes);

}  // namespace millrace::bench
