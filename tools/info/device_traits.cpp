// SPDX-License-Identifier: Apache-2.0
#include "tools/info/device_traits.h"

#include <vulkan/vk_enum_string_helper.h>

#include <memory>

#include "base/cache_folder.h"
#include "runtime/driver_support.h"
#include "runtime/runtime.h"

namespace millrace::tools {

namespace {

// A device with the features that the scheduler's shaders use, and one queue if any runs compute shaders.
class ScratchDevice {
public:
    ScratchDevice(const VulkanInstance& instance, VkPhysicalDevice physical)
        : m_instance(instance), m_physical(physical)
    {
    }
    ~ScratchDevice()
    {
        if (m_device != VK_NULL_HANDLE)
            m_table.DestroyDevice(m_device, nullptr);
    }
    ScratchDevice(const ScratchDevice&) = delete;
    ScratchDevice& operator=(const ScratchDevice&) = delete;

    VkResult create(const runtime::DriverAnswers& answers);

    VkDevice handle() const { return m_device; }
    const VkuDeviceDispatchTable& table() const { return m_table; }
    const runtime::IdleQueue& queue() const { return m_queue; }

private:
    uint32_t computeFamily() const;

    const VulkanInstance& m_instance;
    VkPhysicalDevice m_physical;
    VkDevice m_device = VK_NULL_HANDLE;
    VkuDeviceDispatchTable m_table{};
    runtime::IdleQueue m_queue;
};

// UINT32_MAX: none.
uint32_t ScratchDevice::computeFamily() const
{
    uint32_t count = 0;
    m_instance.table().GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    m_instance.table().GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, families.data());
    for (uint32_t f = 0; f < count; ++f)
        if ((families[f].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0)
            return f;
    return UINT32_MAX;
}

VkResult ScratchDevice::create(const runtime::DriverAnswers& answers)
{
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    features12.bufferDeviceAddress = VK_TRUE;
    features12.shaderBufferInt64Atomics = answers.features12.shaderBufferInt64Atomics;
    features12.scalarBlockLayout = answers.features12.scalarBlockLayout;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    features.features.shaderInt64 = answers.features.shaderInt64;
    const uint32_t family = computeFamily();
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family == UINT32_MAX ? 0 : family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    std::vector<const char*> extensions;
    addPortability(m_instance.extensions(m_physical), extensions);
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const VkResult result = m_instance.createDevice(m_physical, info, m_device, m_table);
    if (result == VK_SUCCESS && family != UINT32_MAX) {
        m_queue.family = family;
        m_table.GetDeviceQueue(m_device, family, 0, &m_queue.handle);
    }
    return result;
}

}  // namespace

std::vector<TraitState> findTraits(const VulkanInstance& instance, VkPhysicalDevice physical,
                                   const settings::Settings& settings, std::vector<std::string>& warnings)
{
    const runtime::DriverAnswers answers = runtime::askDriver(instance.table(), physical);
    runtime::Settings wanted = settings.runtime;
    wanted.cacheFolder = cacheFolder();
    wanted.int64 = answers.features.shaderInt64 != VK_FALSE;
    wanted.int64Atomics = wanted.int64 && answers.features12.shaderBufferInt64Atomics != VK_FALSE;
    wanted.subgroupOperations = runtime::subgroupOperations(answers);
    ScratchDevice device(instance, physical);
    std::unique_ptr<runtime::Device> found;
    VkResult result = device.create(answers);
    if (result == VK_SUCCESS) {
        result = runtime::Device::create(instance.handle(), physical, device.handle(), instance.table(), device.table(),
                                         wanted, device.queue(), found);
    }
    if (result != VK_SUCCESS) {
        warnings.push_back(std::string("the traits of the device are not known: vkCreateDevice and what follows it "
                                       "return ") +
                           string_VkResult(result));
        return {};
    }
    if (!found->whyNotMeasured().empty())
        warnings.push_back("the device could not be measured, because " + found->whyNotMeasured());
    warnings.insert(warnings.end(), found->traitChoice().problems.begin(), found->traitChoice().problems.end());
    std::vector<TraitState> states;
    for (const runtime::TraitText& trait : runtime::traitTexts(found->traitChoice()))
        states.push_back({trait.key, trait.value, trait.origin});
    return states;
}

}  // namespace millrace::tools
