// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share of a device.
#pragma once

#include <array>

#include "runtime/memory.h"
#include "runtime/meta_pipelines.h"
#include "runtime/names.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

// The driver's UUIDs of device and driver.
using DeviceIdentity = std::array<uint8_t, 2 * VK_UUID_SIZE>;

struct Device::Impl {
    VkDevice device = VK_NULL_HANDLE;
    const VkuDeviceDispatchTable* table = nullptr;
    Settings settings;
    TraitChoice choice;
    std::string whyNotMeasured;
    uint64_t mostBufferBytes = 0;  // of one buffer and its memory
    Names names;
    Memory memory;
    MetaPipelines meta;
    std::vector<ObserverFactory> observerFactories;
    bool seesSteps = false;  // one of them has to

    // Workgroups of a direct dispatch that cannot know how much it has to do.
    uint32_t fullGroups(uint32_t invocationsPerGroup, size_t nodes = 1, size_t nodesOfLevel = 1) const
    {
        return fullGrid(choice.traits, invocationsPerGroup, nodes, nodesOfLevel);
    }
};

}  // namespace millrace::runtime
