// SPDX-License-Identifier: Apache-2.0
// A layer for tests, above the one under test: enables VK_AMDX_shader_enqueue on every device that has it, for programs
// that do not know it.

#include <cstring>
#include <vector>

#include "layer/loaded_layer.h"

namespace millrace::layertest {

namespace {

bool hasGraphs(VkPhysicalDevice physical)
{
    const auto enumerate = instanceOf(physical).table.EnumerateDeviceExtensionProperties;
    uint32_t count = 0;
    enumerate(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    enumerate(physical, nullptr, &count, all.data());
    for (const VkExtensionProperties& one : all)
        if (std::strcmp(one.extensionName, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 0)
            return true;
    return false;
}

// A copy of what the application asks for, with more.
class Request {
public:
    explicit Request(const VkDeviceCreateInfo& info)
        : m_info(info), m_names(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount)
    {
    }

    void addExtension(const char* name)
    {
        if (!enables(m_info, name))
            m_names.push_back(name);
    }

    // In a structure that the application has chained, else in one of ours.
    template <typename Whole, typename Own>
    void addFeature(VkStructureType wholeType, VkBool32 Whole::*wholeMember, Own& own, VkBool32 Own::*member)
    {
        if (VkBool32* const there = find(wholeType, wholeMember))
            set(*there);
        else if (VkBool32* const there = find(own.sType, member))
            set(*there);
        else {
            own.*member = VK_TRUE;
            own.pNext = const_cast<void*>(m_info.pNext);
            m_info.pNext = &own;
        }
    }

    VkResult create(VkPhysicalDevice physical, const VkAllocationCallbacks* allocator, VkDevice* out)
    {
        m_info.enabledExtensionCount = static_cast<uint32_t>(m_names.size());
        m_info.ppEnabledExtensionNames = m_names.data();
        const VkResult result = createDevice(physical, &m_info, allocator, out);
        for (VkBool32* const one : m_changed)
            *one = VK_FALSE;
        return result;
    }

private:
    // The chain holds what the loader changes, so it cannot be copied: what is set in it is taken back.
    void set(VkBool32& feature)
    {
        if (!feature)
            m_changed.push_back(&feature);
        feature = VK_TRUE;
    }
    template <typename Struct>
    VkBool32* find(VkStructureType type, VkBool32 Struct::*member) const
    {
        for (auto* item = static_cast<const VkBaseInStructure*>(m_info.pNext); item; item = item->pNext)
            if (item->sType == type)
                return &(const_cast<Struct*>(reinterpret_cast<const Struct*>(item))->*member);
        return nullptr;
    }

    VkDeviceCreateInfo m_info;
    std::vector<const char*> m_names;
    std::vector<VkBool32*> m_changed;
};

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    if (!hasGraphs(physical))
        return createDevice(physical, info, allocator, out);
    Request request(*info);
    for (const char* name : {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                             VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME})
        request.addExtension(name);
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX graphs{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    request.addFeature(graphs.sType, &VkPhysicalDeviceShaderEnqueueFeaturesAMDX::shaderEnqueue, graphs,
                       &VkPhysicalDeviceShaderEnqueueFeaturesAMDX::shaderEnqueue);
    VkPhysicalDeviceMaintenance5Features maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES};
    request.addFeature(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
                       &VkPhysicalDeviceVulkan14Features::maintenance5, maintenance5,
                       &VkPhysicalDeviceMaintenance5Features::maintenance5);
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    request.addFeature(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                       &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress, addresses,
                       &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress);
    return request.create(physical, allocator, out);
}

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = {{"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(CreateDevice)}};
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
