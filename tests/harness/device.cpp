// SPDX-License-Identifier: Apache-2.0
#include "harness/device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/part_times.h"

namespace millrace::harness {

void check(VkResult result, const std::string& what)
{
    if (result != VK_SUCCESS)
        throw HarnessError(what + " returned " + std::to_string(result));
}

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT /*type*/,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* userData)
{
    Device* device = static_cast<Device*>(userData);
    const char* id = data->pMessageIdName ? data->pMessageIdName : "";
    const char* level = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? "error" : "warning";
    std::lock_guard lock(device->m_mutex);
    std::string text = data->pMessage;
    text.erase(std::min(text.find("\nThe Vulkan spec states"), text.size()));
    text = std::string(level) + " " + id + ": " + text;
    // A graph of many nodes repeats itself.
    if (std::find(device->m_messages.begin(), device->m_messages.end(), text) == device->m_messages.end())
        device->m_messages.push_back(std::move(text));
    return VK_FALSE;
}

Device::Device(const DeviceOptions& options)
{
    const Part part("devices");
    createInstance(options);
    choosePhysical();
    queryFeatures();
    createDevice(options);
    for (Queue& each : m_queues) {
        vkGetDeviceQueue(device, each.family, 0, &each.handle);
        VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        poolInfo.queueFamilyIndex = each.family;
        check(vkCreateCommandPool(device, &poolInfo, nullptr, &each.pool), "vkCreateCommandPool");
    }
    useQueueWithoutGraphics(false);
}

void Device::useQueueWithoutGraphics(bool wanted)
{
    const char* const always = std::getenv("MILLRACE_TEST_QUEUE");
    const Queue& chosen =
        wanted || (always && std::strcmp(always, "compute") == 0) ? m_queues.back() : m_queues.front();
    queue = chosen.handle;
    queueFamily = chosen.family;
    pool = chosen.pool;
}

void Device::close()
{
    if (device) {
        for (const Queue& each : m_queues)
            vkDestroyCommandPool(device, each.pool, nullptr);
        m_memory.free(device);
        vkDestroyDevice(device, nullptr);
        device = VK_NULL_HANDLE;
    }
    if (!instance)
        return;
    if (m_messenger) {
        const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(instance, m_messenger, nullptr);
    }
    vkDestroyInstance(instance, nullptr);
    instance = VK_NULL_HANDLE;
}

void Device::choosePhysical()
{
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> all(count);
    vkEnumeratePhysicalDevices(instance, &count, all.data());
    const char* wanted = std::getenv("MILLRACE_TEST_DEVICE");
    for (VkPhysicalDevice candidate : all) {
        vkGetPhysicalDeviceProperties(candidate, &properties);
        if (!wanted || std::strstr(properties.deviceName, wanted)) {
            physical = candidate;
            return;
        }
    }
    throw HarnessError(std::string("no device ") + (wanted ? wanted : ""));
}

std::vector<std::string> Device::takeMessages()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_messages, {});
}

uint32_t Device::memoryType(uint32_t bits, std::initializer_list<VkMemoryPropertyFlags> preferred) const
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (const VkMemoryPropertyFlags wanted : preferred)
        for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((bits >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
                return i;
    throw HarnessError("no suitable memory type");
}

namespace {

constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

}  // namespace

Buffer Device::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage)
{
    const Buffer buffer = createMappedBuffer(size, usage, {kVisible});
    if (size <= (16u << 20))  // larger ones are scratch memory, whose contents nobody may rely on
        std::memset(buffer.mapped, 0, size);
    return buffer;
}

Buffer Device::createDeviceBuffer(VkDeviceSize size, VkBufferUsageFlags usage)
{
    const Part part("buffers");
    return allocateBuffer(size, usage, {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}, false);
}

Buffer Device::createMappedBuffer(VkDeviceSize size, VkBufferUsageFlags usage,
                                  std::initializer_list<VkMemoryPropertyFlags> preferred)
{
    const Part part("buffers");
    return allocateBuffer(size, usage, preferred, true);
}

Buffer Device::createReadback(VkDeviceSize size)
{
    return createMappedBuffer(size, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                              {kVisible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kVisible});
}

Buffer Device::allocateBuffer(VkDeviceSize size, VkBufferUsageFlags usage,
                              std::initializer_list<VkMemoryPropertyFlags> preferred, bool isMapped)
{
    Buffer buffer;
    buffer.size = size;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    check(vkCreateBuffer(device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer.handle, &needs);
    buffer.memory = m_memory.take(device, memoryType(needs.memoryTypeBits, preferred), needs.size, isMapped);
    buffer.mapped = buffer.memory.mapped;
    check(vkBindBufferMemory(device, buffer.handle, buffer.memory.handle, 0), "vkBindBufferMemory");
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = buffer.handle;
    buffer.address = vkGetBufferDeviceAddress(device, &ask);
    return buffer;
}

void Device::destroyBuffer(const Buffer& buffer)
{
    const Part part("buffers");
    vkDestroyBuffer(device, buffer.handle, nullptr);
    m_memory.giveBack(device, buffer.memory);
}

VkShaderModule Device::createModule(const std::vector<uint32_t>& words)
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size() * 4;
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device, &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

void Device::memoryBarrier(VkCommandBuffer cmd, VkPipelineStageFlags from, VkPipelineStageFlags to)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(cmd, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Device::submit(const std::function<void(VkCommandBuffer)>& record)
{
    submitAgain(record, {[] {}});
}

void Device::submitAgain(const std::function<void(VkCommandBuffer)>& record,
                         const std::vector<std::function<void()>>& prepare)
{
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    check(vkAllocateCommandBuffers(device, &allocate, &cmd), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = prepare.size() == 1 ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : 0;
    check(vkBeginCommandBuffer(cmd, &begin), "vkBeginCommandBuffer");
    {
        const Part part("recording");
        record(cmd);
    }
    const Part part("execution");
    memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT);
    check(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    check(vkCreateFence(device, &fenceInfo, nullptr, &fence), "vkCreateFence");
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &cmd;
    for (const std::function<void()>& next : prepare) {
        next();
        check(vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
        check(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
        check(vkResetFences(device, 1, &fence), "vkResetFences");
    }
    vkDestroyFence(device, fence, nullptr);
    vkFreeCommandBuffers(device, pool, 1, &cmd);
}

namespace {

std::map<DeviceOptions, std::unique_ptr<Device>>& devices()
{
    static std::map<DeviceOptions, std::unique_ptr<Device>> all;
    return all;
}

}  // namespace

Device& sharedDevice(const DeviceOptions& options)
{
    std::unique_ptr<Device>& device = devices()[options];
    for (const auto& [others, other] : devices())
        if (other && other != device)
            other->freeKeptMemory();
    if (!device)
        device = std::make_unique<Device>(options);
    return *device;
}

std::vector<std::string> releaseSharedDevices()
{
    const Part part("devices");
    std::vector<std::string> out;
    for (auto& [options, device] : devices()) {
        if (!device)
            continue;
        device->close();
        for (std::string& message : device->takeMessages())
            out.push_back(std::move(message));
    }
    devices().clear();
    return out;
}

}  // namespace millrace::harness
