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
    // Of a node that shares its level with so many others that together they would be too much, at least.
    uint32_t minShare = 1;
    // Of a workgroup of ours that runs several of a node with a static grid (compiler::Options::staticInvocations).
    uint32_t staticInvocations = 64;
    // What maxSize aims at. Applications mostly allocate it, and a graph that fits needs no reservations and no look at
    // what is left: two to three times faster where it has millions of payloads.
    uint64_t maxScratchBytes = 0;
};

// `localBytes`: the largest heap of device-local memory.
DeviceTraits traitsOf(VkPhysicalDeviceType type, uint64_t localBytes);

// Workgroups of `invocationsPerGroup` that a full dispatch starts, if it is one of `dispatches` between two barriers.
uint32_t fullGrid(const DeviceTraits& traits, uint32_t invocationsPerGroup, size_t dispatches);

}  // namespace millrace::runtime
