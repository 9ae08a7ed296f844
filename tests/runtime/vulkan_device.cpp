// SPDX-License-Identifier: Apache-2.0
#include "runtime/vulkan_device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace millrace::test {

namespace {

void check(VkResult result, const char* what)
{
    if (result == VK_SUCCESS)
        return;
    std::fprintf(stderr, "%s returned %d\n", what, result);
    std::abort();
}

}  // namespace

VulkanDevice::VulkanDevice()
{
    createInstance();
    createDevice();
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(vkCreateCommandPool(device, &info, nullptr, &m_pool), "vkCreateCommandPool");
}

void VulkanDevice::createInstance()
{
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.apiVersion = VK_API_VERSION_1_3;
    const bool validate = !std::getenv("MILLRACE_TEST_NO_VALIDATION");
    const char* layer = "VK_LAYER_KHRONOS_validation";
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkBool32 on = VK_TRUE;
    const VkLayerSettingEXT sync{layer, "validate_sync", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on};
    VkLayerSettingsCreateInfoEXT settings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    settings.settingCount = 1;
    settings.pSettings = &sync;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pNext = validate ? &settings : nullptr;
    info.pApplicationInfo = &app;
    info.enabledLayerCount = validate ? 1 : 0;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = validate ? 1 : 0;
    info.ppEnabledExtensionNames = &extension;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    vkuInitInstanceDispatchTable(instance, &instanceTable, vkGetInstanceProcAddr);
    if (!validate) {
        std::printf("validation is off (MILLRACE_TEST_NO_VALIDATION)\n");
        return;
    }
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = onMessage;
    messenger.pUserData = this;
    check(instanceTable.CreateDebugUtilsMessengerEXT(instance, &messenger, nullptr, &m_messenger), "messenger");
}

void VulkanDevice::createDevice()
{
    uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> all(count);
    vkEnumeratePhysicalDevices(instance, &count, all.data());
    const char* wanted = std::getenv("MILLRACE_TEST_DEVICE");
    for (VkPhysicalDevice candidate : all) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(candidate, &properties);
        if (!physical && (!wanted || std::strstr(properties.deviceName, wanted)))
            physical = candidate;
    }
    check(physical ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED, "looking for a device");

    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    v13.maintenance4 = VK_TRUE;  // LocalSizeId
    v13.subgroupSizeControl = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    v12.bufferDeviceAddress = VK_TRUE;
    v12.shaderBufferInt64Atomics = VK_TRUE;
    v12.scalarBlockLayout = VK_TRUE;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
    features.features.shaderInt64 = VK_TRUE;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, 0, 0, &queue);
    vkuInitDeviceDispatchTable(device, &table, vkGetDeviceProcAddr);
    m_messages = 0;  // the table asks for an instance function, which the validation layer remarks on
}

VulkanDevice::~VulkanDevice()
{
    vkDestroyCommandPool(device, m_pool, nullptr);
    vkDestroyDevice(device, nullptr);
    if (m_messenger)
        instanceTable.DestroyDebugUtilsMessengerEXT(instance, m_messenger, nullptr);
    vkDestroyInstance(instance, nullptr);
}

HostBuffer VulkanDevice::createBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage)
{
    HostBuffer out;
    out.size = bytes;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    check(vkCreateBuffer(device, &info, nullptr, &out.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, out.buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    // Memory of the device that the host can map, where there is such: elsewhere every access crosses the bus.
    const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const auto findType = [&](VkMemoryPropertyFlags wanted) {
        uint32_t type = 0;
        while (type < memory.memoryTypeCount &&
               (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted))
            ++type;
        return type;
    };
    uint32_t type = findType(mapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == memory.memoryTypeCount)
        type = findType(mapped);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    check(vkAllocateMemory(device, &allocate, nullptr, &out.memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device, out.buffer, out.memory, 0), "vkBindBufferMemory");
    void* data = nullptr;
    check(vkMapMemory(device, out.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
    out.words = static_cast<uint32_t*>(data);
    std::memset(data, 0, bytes);
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = out.buffer;
    out.address = vkGetBufferDeviceAddress(device, &ask);
    return out;
}

void VulkanDevice::destroy(HostBuffer& buffer)
{
    vkDestroyBuffer(device, buffer.buffer, nullptr);
    vkFreeMemory(device, buffer.memory, nullptr);
    buffer = {};
}

void VulkanDevice::run(const std::function<void(VkCommandBuffer)>& record)
{
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = m_pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commandBuffer;
    check(vkAllocateCommandBuffers(device, &allocate, &commandBuffer), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commandBuffer, &begin), "vkBeginCommandBuffer");
    record(commandBuffer);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                         0, nullptr, 0, nullptr);
    check(vkEndCommandBuffer(commandBuffer), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commandBuffer;
    check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
    vkFreeCommandBuffers(device, m_pool, 1, &commandBuffer);
}

VkBool32 VKAPI_PTR VulkanDevice::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                           const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    std::fprintf(stderr, "%s\n", data->pMessage);
    ++static_cast<VulkanDevice*>(user)->m_messages;
    return VK_FALSE;
}

}  // namespace millrace::test
