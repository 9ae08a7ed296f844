// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/start_graphs.h"

#include <span>
#include <string>

#include "base/cache_folder.h"
#include "layer/graphs/capture_output.h"
#include "layer/graphs/pipelines_ahead.h"
#include "layer/graphs/trace_output.h"
#include "layer/loader/device.h"
#include "runtime/runtime.h"

namespace millrace::layer {

namespace {

// A queue of the application's, which does not have it yet. Null if none runs compute shaders.
runtime::IdleQueue idleQueue(Device& device, const VkDeviceCreateInfo& createInfo)
{
    runtime::IdleQueue queue;
    for (const VkDeviceQueueCreateInfo& info :
         std::span(createInfo.pQueueCreateInfos, createInfo.queueCreateInfoCount)) {
        const bool computes = device.queueFamilies[info.queueFamilyIndex].queueFlags & VK_QUEUE_COMPUTE_BIT;
        if (queue.handle || !computes || info.flags != 0)
            continue;
        queue.family = info.queueFamilyIndex;
        device.table.GetDeviceQueue(device.handle, queue.family, 0, &queue.handle);
    }
    // The loader sees neither the queue nor command buffers for it; layers below need its dispatch pointer.
    const auto adopt = [&device](void* object) {
        return device.setLoaderData ? device.setLoaderData(device.handle, object) : VK_SUCCESS;
    };
    if (queue.handle && adopt(queue.handle) != VK_SUCCESS)
        queue.handle = VK_NULL_HANDLE;
    queue.adopt = adopt;
    return queue;
}

void tellTraits(const Device& device)
{
    const ObjectReference object = objectReference(VK_OBJECT_TYPE_DEVICE, device.handle);
    const Messages& messages = device.messages();
    for (const std::string& problem : device.runtime->traitChoice().problems)
        messages.warning("Millrace-setting", object, problem, "docs/settings.md lists all settings and their values");
    if (!device.runtime->whyNotMeasured().empty())
        messages.info("Millrace-device-not-measured", object,
                      "the device could not be measured, because " + device.runtime->whyNotMeasured() +
                          "; its traits follow from its type",
                      "The setting traits can say better ones, see docs/settings.md");
    std::string text;
    for (const runtime::TraitText& trait : runtime::traitTexts(device.runtime->traitChoice()))
        text += (text.empty() ? "" : ", ") + trait.key + " " + std::to_string(trait.value) + " (" + trait.origin + ")";
    messages.info("Millrace-device-traits", object, "traits of the device: " + text,
                  "The setting traits changes them, see docs/settings.md");
}

}  // namespace

VkResult startGraphs(Device& device, const VkDeviceCreateInfo& createInfo)
{
    const Instance& instance = device.instance;
    runtime::Settings settings = instance.settings.runtime;
    settings.cacheFolder = cacheFolder();
    settings.int64 = device.support.int64;
    settings.int64Atomics = device.support.int64Atomics;
    settings.subgroupOperations = device.support.subgroupOperations;
    settings.events = device.support.events;
    device.pipelinesAhead = std::make_shared<PipelinesAhead>();
    device.stops.push_back([&ahead = *device.pipelinesAhead] { ahead.stop(); });
    VkResult result = runtime::Device::create(instance.handle, device.physical, device.handle, instance.table,
                                              device.table, settings, idleQueue(device, createInfo), device.runtime);
    if (result == VK_SUCCESS)
        tellTraits(device);
    if (result == VK_SUCCESS)
        result = startTrace(device);
    return result == VK_SUCCESS ? startCapture(device) : result;
}

}  // namespace millrace::layer
