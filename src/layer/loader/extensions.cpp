// SPDX-License-Identifier: Apache-2.0
// Which layers and extensions there are, ours included.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "layer/base/identity.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/feature.h"
#include "layer/loader/instance.h"

namespace millrace::layer {

namespace {

const VkExtensionProperties kLayerSettings{VK_EXT_LAYER_SETTINGS_EXTENSION_NAME, VK_EXT_LAYER_SETTINGS_SPEC_VERSION};

// The two-call idiom.
template <typename Item>
VkResult give(std::span<const Item> items, uint32_t* count, Item* out)
{
    if (!out) {
        *count = static_cast<uint32_t>(items.size());
        return VK_SUCCESS;
    }
    *count = std::min(*count, static_cast<uint32_t>(items.size()));
    std::copy_n(items.begin(), *count, out);
    return *count < items.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

bool isOurs(const char* layerName)
{
    return layerName && std::strcmp(layerName, settings::kLayerName) == 0;
}

// What the layer may provide.
std::vector<VkExtensionProperties> ownExtensions()
{
    std::vector<VkExtensionProperties> list;
    for (const Feature* feature : allFeatures())
        for (const ProvidedExtension& extension : feature->extensions())
            list.push_back(extension.properties);
    return list;
}

auto find(std::vector<VkExtensionProperties>& list, const VkExtensionProperties& extension)
{
    return std::find_if(list.begin(), list.end(), [&](const VkExtensionProperties& candidate) {
        return std::strcmp(candidate.extensionName, extension.extensionName) == 0;
    });
}

void provide(std::vector<VkExtensionProperties>& list, const VkExtensionProperties& extension)
{
    auto found = find(list, extension);
    if (found == list.end())
        list.push_back(extension);
    else
        *found = extension;
}

// The driver may list what it does not have, and neither can we provide it.
void remove(std::vector<VkExtensionProperties>& list, const VkExtensionProperties& extension)
{
    if (auto phantom = find(list, extension); phantom != list.end())
        list.erase(phantom);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(uint32_t* pPropertyCount,
                                                                VkLayerProperties* pProperties)
{
    VkLayerProperties layer{};
    std::strcpy(layer.layerName, settings::kLayerName);
    std::strcpy(layer.description, kLayerDescription);
    layer.specVersion = VK_HEADER_VERSION_COMPLETE;
    layer.implementationVersion = kLayerVersion;
    return give<VkLayerProperties>({&layer, 1}, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* pLayerName, uint32_t* pPropertyCount,
                                                                    VkExtensionProperties* pProperties)
{
    if (!isOurs(pLayerName))
        return VK_ERROR_LAYER_NOT_PRESENT;
    return give<VkExtensionProperties>({&kLayerSettings, 1}, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceLayerProperties(VkPhysicalDevice, uint32_t* pPropertyCount,
                                                              VkLayerProperties* pProperties)
{
    return EnumerateInstanceLayerProperties(pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char* pLayerName,
                                                                  uint32_t* pPropertyCount,
                                                                  VkExtensionProperties* pProperties)
{
    // Without a physical device the loader asks for the layer's own list.
    if (!physical)
        return isOurs(pLayerName) ? give<VkExtensionProperties>(ownExtensions(), pPropertyCount, pProperties)
                                  : VK_ERROR_LAYER_NOT_PRESENT;
    Instance& instance = Instance::of(physical);
    const Support support = instance.support(physical);
    if (isOurs(pLayerName)) {
        std::vector<VkExtensionProperties> own;
        for (const Feature* feature : allFeatures())
            for (const ProvidedExtension& extension : feature->extensions())
                if (feature->isProvided(support))
                    own.push_back(extension.properties);
        return give<VkExtensionProperties>(own, pPropertyCount, pProperties);
    }
    if (pLayerName || support.native)
        return instance.table.EnumerateDeviceExtensionProperties(physical, pLayerName, pPropertyCount, pProperties);

    uint32_t count = 0;
    VkResult result = instance.table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    if (result != VK_SUCCESS)
        return result;
    std::vector<VkExtensionProperties> list(count);
    result = instance.table.EnumerateDeviceExtensionProperties(physical, nullptr, &count, list.data());
    if (result != VK_SUCCESS)
        return result;
    list.resize(count);
    for (const Feature* feature : allFeatures())
        for (const ProvidedExtension& extension : feature->extensions()) {
            const bool isProvided = feature->isProvided(support);
            if (isProvided && !(extension.inDriver && support.*extension.inDriver))
                provide(list, extension.properties);
            else if (!isProvided && !extension.inDriver)
                remove(list, extension.properties);
        }
    return give<VkExtensionProperties>(list, pPropertyCount, pProperties);
}

}  // namespace

EntryPoints extensionEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(EnumerateInstanceLayerProperties, kUseAlways, true),
        MILLRACE_ENTRY(EnumerateInstanceExtensionProperties, kUseAlways, true),
        MILLRACE_ENTRY(EnumerateDeviceLayerProperties, kUseAlways, true),
        MILLRACE_ENTRY(EnumerateDeviceExtensionProperties, kUseAlways, true),
    };
    return entries;
}

}  // namespace millrace::layer
