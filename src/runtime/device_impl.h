// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share of a device.
#pragma once

#include "runtime/device_traits.h"
#include "runtime/memory.h"
#include "runtime/meta_pipelines.h"
#include "runtime/names.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

struct Device::Impl {
    VkDevice device = VK_NULL_HANDLE;
    const VkuDeviceDispatchTable* table = nullptr;
    Settings settings;
    DeviceTraits traits;
    Names names;
    Memory memory;
    MetaPipelines meta;
    std::vector<ObserverFactory> observerFactories;

    // Workgroups of a direct dispatch that cannot know how much it has to do.
    uint32_t fullGroups(uint32_t invocationsPerGroup, size_t dispatches) const
    {
        return settings.gridGroups ? settings.gridGroups : fullGrid(traits, invocationsPerGroup, dispatches);
    }
};

}  // namespace millrace::runtime
