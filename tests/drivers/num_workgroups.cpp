// SPDX-License-Identifier: Apache-2.0
// Whether gl_NumWorkGroups behind an indirect dispatch is what the dispatch has (docs/gpu.md, "What drivers do"): one
// shader writes the arguments, a barrier follows, the other looks. The command buffer runs many times in a submission.
// usage: num_workgroups [a part of the device's name]. The exit status is 0 if all saw the right number.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "shaders/num_workgroups_shaders.h"

namespace {

constexpr uint32_t kRuns = 48;
constexpr uint32_t kWordsPerRun = 4;
constexpr VkDeviceSize kGridOffset = 0, kRunOffset = 64, kResultOffset = 256;

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

// A device with one queue.
class Gpu {
public:
    Gpu(VkPhysicalDevice physical, uint32_t family) : m_physical(physical)
    {
        createDevice(family);
        createBuffer();
        createPipelines();
        VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        info.queueFamilyIndex = family;
        check(vkCreateCommandPool(m_device, &info, nullptr, &m_pool), "vkCreateCommandPool");
    }
    ~Gpu()
    {
        vkDestroyCommandPool(m_device, m_pool, nullptr);
        vkDestroyPipeline(m_device, m_write, nullptr);
        vkDestroyPipeline(m_device, m_see, nullptr);
        vkDestroyPipelineLayout(m_device, m_layout, nullptr);
        vkDestroyBuffer(m_device, m_buffer, nullptr);
        vkFreeMemory(m_device, m_memory, nullptr);
        vkDestroyDevice(m_device, nullptr);
    }
    Gpu(const Gpu&) = delete;

    // Of the indirect dispatches, how many had a workgroup that saw another number than there were.
    uint32_t countOld(bool withUniformRead)
    {
        std::memset(m_words, 0, kResultOffset + kRuns * kWordsPerRun * 4);
        const VkCommandBuffer commands = record(withUniformRead);
        const std::vector<VkCommandBuffer> runs(kRuns, commands);
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = kRuns;
        submit.pCommandBuffers = runs.data();
        check(vkQueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
        check(vkQueueWaitIdle(m_queue), "vkQueueWaitIdle");
        uint32_t old = 0;
        for (uint32_t run = 0; run < kRuns; ++run) {
            const uint32_t* result = m_words + kResultOffset / 4 + run * kWordsPerRun;
            if (result[0] == 0 || result[1] != result[0])
                throw std::runtime_error("run " + std::to_string(run) + " had another number of workgroups");
            old += result[2] != result[0] || result[3] != result[0] ? 1 : 0;
        }
        return old;
    }

private:
    void createDevice(uint32_t family)
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

    uint32_t findMemoryType(uint32_t bits) const
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

    void createBuffer()
    {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = kResultOffset + kRuns * kWordsPerRun * 4;
        info.usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
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

    void createPipelines()
    {
        VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 24};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        check(vkCreatePipelineLayout(m_device, &info, nullptr, &m_layout), "vkCreatePipelineLayout");
        m_write = createPipeline(millrace::shaders::write_grid);
        m_see = createPipeline(millrace::shaders::see_grid);
    }

    VkPipeline createPipeline(std::span<const uint32_t> words)
    {
        VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        module.codeSize = words.size_bytes();
        module.pCode = words.data();
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.pName = "main";
        info.layout = m_layout;
        check(vkCreateShaderModule(m_device, &module, nullptr, &info.stage.module), "vkCreateShaderModule");
        VkPipeline pipeline = VK_NULL_HANDLE;
        check(vkCreateComputePipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              "vkCreateComputePipelines");
        vkDestroyShaderModule(m_device, info.stage.module, nullptr);
        return pipeline;
    }

    void recordBarrier(VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access) const
    {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = access;
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    }

    VkCommandBuffer record(bool withUniformRead)
    {
        VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = m_pool;
        allocate.commandBufferCount = 1;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        check(vkAllocateCommandBuffers(m_device, &allocate, &commands), "vkAllocateCommandBuffers");
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
        check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
        const VkDeviceAddress arguments[] = {m_address + kGridOffset, m_address + kRunOffset, m_address + kResultOffset};
        vkCmdPushConstants(commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(arguments), arguments);
        constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        recordBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, kShader);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_write);
        vkCmdDispatch(commands, 1, 1, 1);
        recordBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                      kShader | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                          (withUniformRead ? VkAccessFlags(VK_ACCESS_UNIFORM_READ_BIT) : VkAccessFlags(0)));
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_see);
        vkCmdDispatchIndirect(commands, m_buffer, kGridOffset);
        check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        return commands;
    }

    VkPhysicalDevice m_physical;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    uint32_t* m_words = nullptr;
    VkDeviceAddress m_address = 0;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_write = VK_NULL_HANDLE, m_see = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
};

// Of the families with compute. Returns how many dispatches of all saw an old number.
uint32_t lookAtFamilies(VkPhysicalDevice physical)
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    uint32_t old = 0;
    for (uint32_t family = 0; family < count; ++family) {
        if (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        const char* graphics = families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT ? "with" : "without";
        for (const bool withUniformRead : {false, true}) {
            const uint32_t here = Gpu(physical, family).countOld(withUniformRead);
            std::printf("queue family %u (%s graphics), barrier %s VK_ACCESS_UNIFORM_READ_BIT: %u of %u dispatches saw "
                        "an old gl_NumWorkGroups\n",
                        family, graphics, withUniformRead ? "with" : "without", here, kRuns);
            old += here;
        }
    }
    return old;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const char* device = std::getenv("MILLRACE_TEST_DEVICE");
        const VkInstance instance = createInstance();
        const uint32_t old = lookAtFamilies(findDevice(instance, argc > 1 ? argv[1] : device ? device : ""));
        vkDestroyInstance(instance, nullptr);
        return old > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "num_workgroups: %s\n", error.what());
        return 2;
    }
}
