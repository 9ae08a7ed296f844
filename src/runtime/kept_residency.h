// SPDX-License-Identifier: Apache-2.0
// What was measured of a device, kept in a file for other processes.
#pragma once

#include <string>

#include "runtime/device_impl.h"
#include "runtime/device_traits.h"

namespace millrace::runtime {

struct KeptResidency {
    // A device that others use as well seems smaller than it is, so the most of several processes' measurements counts.
    static constexpr uint32_t kMeasurements = 3;

    Residency residency;
    uint32_t measurements = 0;

    bool isEnough() const { return measurements >= kMeasurements; }
    void add(const Residency& measured);
};

// Nothing is kept where `folder` is empty, and nothing of a file that is not as it was written: no measurements then.
KeptResidency readKeptResidency(const std::string& folder, const DeviceIdentity& identity);
// Makes the folder. Whoever reads meanwhile finds the file before or behind. Where it cannot be written, the next
// process measures again.
void writeKeptResidency(const std::string& folder, const DeviceIdentity& identity, const KeptResidency& kept);

}  // namespace millrace::runtime
