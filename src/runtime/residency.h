// SPDX-License-Identifier: Apache-2.0
// Measures how many workgroups a device runs at once, from which its grids follow (device_traits.h).
#pragma once

#include "base/result.h"
#include "runtime/device_impl.h"
#include "runtime/device_traits.h"

namespace millrace::runtime {

// What was found of a device and driver is remembered until this library is unloaded, and kept in the device's
// Settings::cacheFolder: processes measure until KeptResidency::isEnough(). Calls at the same time wait for each other,
// so as not to measure each other. Measuring takes some milliseconds, and leaves the queue idle. The diagnostic says
// why it was not possible, in words that can follow "because".
Result<Residency> measureResidency(Device::Impl& device, const IdleQueue& queue, const DeviceIdentity& identity);

}  // namespace millrace::runtime
