// SPDX-License-Identifier: Apache-2.0
// How fast the device moves bytes.
#pragma once

#include "bench/gpu.h"

namespace millrace::bench {

// Bytes read and written in a nanosecond by copying a buffer of so many bytes, a multiple of 16 KiB: the better one of
// vkCmdCopyBuffer and a kernel, each the median of several copies.
double measureCopyRate(Gpu& gpu, VkDeviceSize bytes);

}  // namespace millrace::bench
