// SPDX-License-Identifier: Apache-2.0
#include "drivers/bare_device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace millrace::drivers {

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " returned " + std::to_string(result));
}

VkInstance createInstance()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    return instance;
}

VkPhysicalDevice findDevice(VkInstance instance, const std::string& name)
{
    uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> all(count);
    vkEnumeratePhysicalDevices(instance, &count, all.data());
    for (VkPhysicalDevice device : all) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        if (!std::strstr(properties.deviceName, name.c_str()))
            continue;
        std::printf("%s\n", properties.deviceName);
        return device;
    }
    throw std::runtime_error("there is no device '" + name + "'");
}

std::string wantedDevice()
{
    const char* device = std::getenv("MILLRACE_TEST_DEVICE");
    return device ? device : "";
}

BareDevice::BareDevice(VkPhysicalDevice physical, uint32_t family, VkDeviceSize bufferBytes, VkBufferUsageFlags usage,
                       uint32_t pushBytes)
    : m_physical(physical)
{
    createDevice(family);
    createBuffer(bufferBytes, usage);
    createLayout(pushBytes);
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    info.queueFamilyIndex = family;
    check(vkCreateCommandPool(m_device, &info, nullptr, &m_pool), "vkCreateCommandPool");
}

BareDevice::~BareDevice()
{
    vkDestroyCommandPool(m_device, m_pool, nullptr);
    for (VkPipeline pipeline : m_pipelines)
        vkDestroyPipeline(m_device, pipeline, nullptr);
    vkDestroyPipelineLayout(m_device, m_layout, nullptr);
    vkDestroyBuffer(m_device, m_buffer, nullptr);
    vkFreeMemory(m_device, m_memory, nullptr);
    vkDestroyDevice(m_device, nullptr);
}

VkPipeline BareDevice::createPipeline(std::span<const uint32_t> words)
{
    if (m_pipelineCount == std::size(m_pipelines))
        throw std::runtime_error("too many pipelines");
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = words.size_bytes();
    module.pCode = words.data();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = m_layout;
    check(vkCreateShaderModule(m_device, &module, nullptr, &info.stage.module), "vkCreateShaderModule");
    VkPipeline& pipeline = m_pipelines[m_pipelineCount++];
    check(vkCreateComputePipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "vkCreateComputePipelines");
    vkDestroyShaderModule(m_device, info.stage.module, nullptr);
    return pipeline;
}

VkCommandBuffer BareDevice::begin(VkCommandBufferUsageFlags flags)
{
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = m_pool;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(vkAllocateCommandBuffers(m_device, &allocate, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = flags;
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    return commands;
}

void BareDevice::run(VkCommandBuffer commands, uint32_t times)
{
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    const std::vector<VkCommandBuffer> runs(times, commands);
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = times;
    submit.pCommandBuffers = runs.data();
    check(vkQueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(m_queue), "vkQueueWaitIdle");
}

void BareDevice::createDevice(uint32_t family)
{
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan12Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    features.bufferDeviceAddress = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    check(vkCreateDevice(m_physical, &info, nullptr, &m_device), "vkCreateDevice");
    vkGetDeviceQueue(m_device, family, 0, &m_queue);
}

uint32_t BareDevice::findMemoryType(uint32_t bits) const
{
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_physical, &memory);
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type)
        if ((bits >> type & 1) && (memory.memoryTypes[type].propertyFlags & kWanted) == kWanted)
            return type;
    throw std::runtime_error("no memory that the host sees");
}

void BareDevice::createBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    check(vkCreateBuffer(m_device, &info, nullptr, &m_buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, m_buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    memory.allocationSize = needs.size;
    memory.memoryTypeIndex = findMemoryType(needs.memoryTypeBits);
    check(vkAllocateMemory(m_device, &memory, nullptr, &m_memory), "vkAllocateMemory");
    check(vkBindBufferMemory(m_device, m_buffer, m_memory, 0), "vkBindBufferMemory");
    void* mapped = nullptr;
    check(vkMapMemory(m_device, m_memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    m_words = static_cast<uint32_t*>(mapped);
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = m_buffer;
    m_address = vkGetBufferDeviceAddress(m_device, &address);
}

void BareDevice::createLayout(uint32_t pushBytes)
{
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(m_device, &info, nullptr, &m_layout), "vkCreatePipelineLayout");
}

}  // namespace millrace::drivers
