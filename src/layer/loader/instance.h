// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of a VkInstance, and the commands that create and destroy it.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "layer/base/messages.h"
#include "layer/chains/unknown_structures.h"
#include "layer/loader/support.h"
#include "settings/settings.h"

namespace millrace::layer {

using settings::Settings;

struct Instance {
    VkInstance handle = VK_NULL_HANDLE;
    VkuInstanceDispatchTable table{};
    uint32_t apiVersion = VK_API_VERSION_1_0;           // that the application asked for
    uint32_t requestedApiVersion = VK_API_VERSION_1_0;  // that the layer asked for: what graphs need, if there is that
    bool debugUtils = false;
    bool hasCallbacks = false;  // the application gave allocation callbacks, which devices have that get none
    Settings settings;
    Messages messages;
    UnknownStructures unknownStructures;  // that were told of

    // Found out at the first question, then remembered. A copy: markPhantom() changes what is remembered.
    Support support(VkPhysicalDevice physical);
    // The driver turned out to have no entry points although it claims the feature.
    void markPhantom(VkPhysicalDevice physical);

    // Of an instance or one of its physical devices; never null for valid handles.
    static Instance* of(void* key);
    template <typename Handle>
    static Instance& of(Handle handle)
    {
        return *of(dispatchKey(handle));
    }

private:
    std::mutex m_mutex;
    std::unordered_map<VkPhysicalDevice, Support> m_support;
};

}  // namespace millrace::layer
