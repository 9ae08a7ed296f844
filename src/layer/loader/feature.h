// SPDX-License-Identifier: Apache-2.0
// What an extension that the layer emulates is to the layer. No feature knows another; commands and structures that two
// of them want are the core's. maintenance5/maintenance5.cpp is the smallest and the example to read.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <vector>

#include "layer/loader/entry_points.h"
#include "layer/loader/support.h"

namespace millrace::layer {

class PatchedDeviceCreateInfo;
struct Device;
struct EnabledByApplication;

struct ProvidedExtension {
    VkExtensionProperties properties;
    bool Support::*inDriver;  // whether the driver has it already; null: its own is of no use
};

// One object for each extension, without state, as long as the process. Any thread.
class Feature {
public:
    // Its own, and those that it depends on: all are listed where the feature is emulated.
    virtual std::span<const ProvidedExtension> extensions() const = 0;
    // Whether there is something that the layer provides of it.
    virtual bool isProvided(const Support& support) const { return support.emulated; }

    // Structures that drivers leave alone, or fill in for something else, when they are asked.
    virtual std::span<const VkStructureType> hiddenStructures(const Support&) const { return {}; }
    // The answers, behind the driver's. Never called where the driver implements all that the layer provides.
    virtual void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const = 0;
    virtual void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const = 0;

    // The bits of Use of a device that is created so.
    virtual uint32_t uses(const EnabledByApplication& enabled, const Support& support) const = 0;
    // Takes out of a device's creation what the driver does not have, and puts in what the feature needs.
    virtual void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t uses) const = 0;

    // What it needs on a device that has just been created, as the application asked for it. Errors are those of
    // vkCreateDevice.
    virtual VkResult start(Device&, const VkDeviceCreateInfo&) const { return VK_SUCCESS; }

    // Its own commands.
    virtual std::vector<EntryPoints> entryPoints() const = 0;

protected:
    ~Feature() = default;
};

const Feature& graphFeature();
const Feature& maintenance5Feature();
const Feature& generatedCommandsFeature();
const Feature& tokenStreamFeature();
const Feature& meshFeature();

// All of them. The order is that of the lists that applications get.
std::span<const Feature* const> allFeatures();

}  // namespace millrace::layer
