// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace {

constexpr char kAdvice[] =
    "\nMillrace provides generated commands on any Vulkan 1.3 driver: "
    "VK_INSTANCE_LAYERS=VK_LAYER_MILLRACE_emulation VK_MILLRACE_EMULATION_ENABLE=generated_commands; "
    "'millrace info' says what a device lacks";
constexpr char kPortabilitySubset[] = "VK_KHR_portability_subset";  // the headers call it provisional and hide it

bool lists(const std::vector<VkExtensionProperties>& extensions, const std::string& name)
{
    return std::ranges::any_of(extensions,
                               [&](const VkExtensionProperties& extension) { return extension.extensionName == name; });
}

std::vector<VkExtensionProperties> extensionsOf(VkPhysicalDevice device)
{
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
    return extensions;
}

std::vector<VkExtensionProperties> instanceExtensions()
{
    uint32_t count = 0;
    vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data());
    return extensions;
}

// Of what the forest uses; empty if nothing is. Without the first two Millrace provides no generated commands, either.
std::string whatIsMissing(VkPhysicalDevice device, uint32_t version)
{
    if (version < VK_API_VERSION_1_3)
        return "Vulkan 1.3";
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    vkGetPhysicalDeviceFeatures2(device, &features);
    if (!features12.bufferDeviceAddress)
        return "bufferDeviceAddress";
    return lists(extensionsOf(device), VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME)
               ? ""
               : VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME;
}

}  // namespace

void check(VkResult result, const char* call)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(call) + " returns " + std::to_string(result));
}

Device::Device(const std::string& name)
{
    createInstance();
    choosePhysicalDevice(name);
    createDevice();
    vkGetDeviceQueue(m_device, 0, 0, &m_queue);
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
}

Device::~Device()
{
    vkDestroyCommandPool(m_device, m_pool, nullptr);
    vkDestroyDevice(m_device, nullptr);
    vkDestroyInstance(m_instance, nullptr);
}

void Device::createInstance()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    // Otherwise the loader hides devices that implement less than all of Vulkan, as those on macOS.
    const char* const portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    if (lists(instanceExtensions(), portability)) {
        info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &portability;
    }
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
}

void Device::choosePhysicalDevice(const std::string& name)
{
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
    std::string seen;
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        m_name = properties.deviceName;
        const std::string missing = whatIsMissing(device, properties.apiVersion);
        m_physicalDevice = device;
        if (missing.empty() && m_name.find(name) != std::string::npos)
            return;
        seen += "\n    " + m_name + (missing.empty() ? "" : " lacks " + missing);
    }
    throw std::runtime_error("no device can draw the forest. Devices:" + seen + kAdvice);
}

void Device::createDevice()
{
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT commands{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT};
    commands.deviceGeneratedCommands = VK_TRUE;
    VkPhysicalDeviceMaintenance5Features maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES,
                                                      &commands};
    maintenance5.maintenance5 = VK_TRUE;
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &maintenance5};
    v13.dynamicRendering = v13.synchronization2 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    v12.bufferDeviceAddress = VK_TRUE;
    std::vector<const char*> extensions = {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
                                           VK_KHR_MAINTENANCE_5_EXTENSION_NAME};
    if (lists(extensionsOf(m_physicalDevice), kPortabilitySubset))
        extensions.push_back(kPortabilitySubset);  // such a device must be created with it
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v12};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(m_physicalDevice, &info, nullptr, &m_device), "vkCreateDevice");
}

VkDeviceMemory Device::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_physicalDevice, &memory);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    info.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
        if (++info.memoryTypeIndex == memory.memoryTypeCount)
            throw std::runtime_error("the device has no memory of the kind");
    VkDeviceMemory out = VK_NULL_HANDLE;
    check(vkAllocateMemory(m_device, &info, nullptr, &out), "vkAllocateMemory");
    return out;
}

Buffer Device::createBuffer(VkDeviceSize size, VkBufferUsageFlags2 usage) const
{
    Buffer buffer;
    buffer.size = size;
    VkBufferUsageFlags2CreateInfo flags{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    flags.usage = usage | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &flags};
    info.size = size;
    check(vkCreateBuffer(m_device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, buffer.handle, &needs);
    const bool isPreprocess = usage & VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT;
    buffer.memory =
        allocate(needs, isPreprocess ? 0 : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    check(vkBindBufferMemory(m_device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    if (!isPreprocess)
        check(vkMapMemory(m_device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped), "vkMapMemory");
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = buffer.handle;
    buffer.address = vkGetBufferDeviceAddress(m_device, &ask);
    return buffer;
}

void Device::destroy(const Buffer& buffer) const
{
    vkDestroyBuffer(m_device, buffer.handle, nullptr);
    vkFreeMemory(m_device, buffer.memory, nullptr);
}

Image Device::createImage(VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const
{
    Image image;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {extent.width, extent.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    check(vkCreateImage(m_device, &info, nullptr, &image.handle), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device, image.handle, &needs);
    image.memory = allocate(needs, 0);
    check(vkBindImageMemory(m_device, image.handle, image.memory, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image.handle;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, 1};
    check(vkCreateImageView(m_device, &view, nullptr, &image.view), "vkCreateImageView");
    return image;
}

void Device::destroy(const Image& image) const
{
    vkDestroyImageView(m_device, image.view, nullptr);
    vkDestroyImage(m_device, image.handle, nullptr);
    vkFreeMemory(m_device, image.memory, nullptr);
}

VkShaderModule Device::createModule(std::span<const uint32_t> words) const
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(m_device, &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

void Device::run(const std::function<void(VkCommandBuffer)>& record) const
{
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = m_pool;
    allocate.commandBufferCount = 1;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    check(vkAllocateCommandBuffers(m_device, &allocate, &cmd), "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(cmd, &begin), "vkBeginCommandBuffer");
    record(cmd);
    check(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &cmd;
    check(vkQueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(m_queue), "vkQueueWaitIdle");
    vkFreeCommandBuffers(m_device, m_pool, 1, &cmd);
}
