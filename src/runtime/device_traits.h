// SPDX-License-Identifier: Apache-2.0
// The choices that depend on the device, in one table.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::runtime {

struct DeviceTraits {
    // Invocations of a direct dispatch that fill the device: workgroups loop over the work, so fewer leave the device
    // idle and more only cost their launch (docs/performance.md).
    uint32_t fullInvocations = 0;
    // And at least, at most this many workgroups.
    uint32_t minGroups = 1;
    uint32_t maxGroups = 0;
};

DeviceTraits traitsOf(VkPhysicalDeviceType type);

// Workgroups of `invocationsPerGroup` that a full dispatch starts.
uint32_t fullGrid(const DeviceTraits& traits, uint32_t invocationsPerGroup);

}  // namespace millrace::runtime
