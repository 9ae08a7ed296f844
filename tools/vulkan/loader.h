// SPDX-License-Identifier: Apache-2.0
// Vulkan for commands that need it. The loader is opened when it is asked for: the others run without Vulkan.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::tools {

class Loader {
public:
    // The diagnostic says how to get one.
    static Result<Loader> open();

    PFN_vkGetInstanceProcAddr getInstanceProcAddr() const { return m_getInstanceProcAddr; }
    uint32_t version() const;
    std::vector<VkLayerProperties> layers() const;
    std::vector<VkExtensionProperties> extensions() const;

private:
    std::shared_ptr<void> m_library;
    PFN_vkGetInstanceProcAddr m_getInstanceProcAddr = nullptr;
};

// A Vulkan instance of version 1.3 with the given layers.
class VulkanInstance {
public:
    VulkanInstance() = default;
    VulkanInstance(VulkanInstance&& other) noexcept { *this = std::move(other); }
    VulkanInstance& operator=(VulkanInstance&& other) noexcept;
    ~VulkanInstance();

    // Returns Vulkan's error. Requires: the instance is empty and the loader outlives it.
    VkResult create(const Loader& loader, const std::vector<const char*>& layers);

    VkInstance handle() const { return m_handle; }
    const VkuInstanceDispatchTable& table() const { return m_table; }
    // Fills `device` and `table` if it returns VK_SUCCESS. The caller destroys the device.
    VkResult createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo& info, VkDevice& device,
                          VkuDeviceDispatchTable& table) const;
    std::vector<VkPhysicalDevice> physicalDevices() const;
    std::vector<VkExtensionProperties> extensions(VkPhysicalDevice physical) const;

private:
    PFN_vkGetInstanceProcAddr m_getInstanceProcAddr = nullptr;
    VkInstance m_handle = VK_NULL_HANDLE;
    VkuInstanceDispatchTable m_table{};
};

// Devices that implement less than all of Vulkan, which the loader hides from instances that do not ask for them.
// `extensions` become those of `info` afterwards.
void askForPortability(const Loader& loader, VkInstanceCreateInfo& info, std::vector<const char*>& extensions);
// Such a device must be created with VK_KHR_portability_subset, which others do not have.
void addPortability(const std::vector<VkExtensionProperties>& available, std::vector<const char*>& extensions);

std::string versionText(uint32_t version);  // "1.4.309"
bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name);

}  // namespace millrace::tools
