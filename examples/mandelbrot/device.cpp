// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>
#include <vector>

namespace {

constexpr char kMillraceLayer[] = "VK_LAYER_MILLRACE_emulation";
constexpr char kAdvice[] =
    "\nMillrace provides it on Vulkan 1.3 devices; 'millrace info' says more."
    "\nTell the Vulkan loader to use its layer:"
    "\n    export VK_ADD_LAYER_PATH=<folder with VkLayer_MILLRACE_emulation.json>   (not needed once installed)"
    "\n    export VK_INSTANCE_LAYERS=VK_LAYER_MILLRACE_emulation";

constexpr const char* kExtensions[] = {
    VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
    // VK_AMDX_shader_enqueue requires these two.
    VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
    VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
};

// The two-call idiom of Vulkan's enumerations.
template <typename Item, typename Function, typename... Arguments>
std::vector<Item> enumerate(const char* name, const Item& blank, Function function, Arguments... arguments)
{
    uint32_t count = 0;
    std::vector<Item> items;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        check(function(arguments..., &count, nullptr), name);
        items.assign(count, blank);
        result = function(arguments..., &count, items.data());
    }
    check(result, name);
    items.resize(count);
    return items;
}

bool lists(const std::vector<VkExtensionProperties>& available, const char* wanted)
{
    return std::ranges::any_of(available, [&](const VkExtensionProperties& extension) {
        return !std::strcmp(extension.extensionName, wanted);
    });
}

std::vector<VkExtensionProperties> extensionsOf(VkPhysicalDevice device)
{
    return enumerate("vkEnumerateDeviceExtensionProperties", VkExtensionProperties{},
                     vkEnumerateDeviceExtensionProperties, device, nullptr);
}

bool hasExtensions(VkPhysicalDevice device)
{
    const auto available = extensionsOf(device);
    return std::ranges::all_of(kExtensions, [&](const char* wanted) { return lists(available, wanted); });
}

// A driver may list the extension and yet not support the feature; it then leaves the structure as it was.
bool runsGraphs(VkPhysicalDevice device)
{
    if (!hasExtensions(device))
        return false;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    vkGetPhysicalDeviceFeatures2(device, &features);
    return enqueue.shaderEnqueue == VK_TRUE;
}

// What Millrace needs to provide graphs and the device lacks; without such, that they are not there.
std::string whatIsMissing(VkPhysicalDevice device, uint32_t version)
{
    if (version < VK_API_VERSION_1_3)
        return "lacks Vulkan 1.3, has " + std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
               std::to_string(VK_API_VERSION_MINOR(version));
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    vkGetPhysicalDeviceFeatures2(device, &features);
    return features12.bufferDeviceAddress ? "no VK_AMDX_shader_enqueue" : "lacks bufferDeviceAddress";
}

bool containsIgnoringCase(std::string_view text, std::string_view part)
{
    auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return !std::ranges::search(text, part, same).empty() || part.empty();
}

}  // namespace

void check(VkResult result, const char* call)
{
    if (result == VK_SUCCESS)
        return;
    static constexpr std::pair<VkResult, const char*> kNames[] = {
        {VK_ERROR_OUT_OF_HOST_MEMORY, " (out of host memory)"},
        {VK_ERROR_OUT_OF_DEVICE_MEMORY, " (out of device memory)"},
        {VK_ERROR_INITIALIZATION_FAILED, " (initialization failed)"},
        {VK_ERROR_DEVICE_LOST, " (device lost)"},
        {VK_ERROR_LAYER_NOT_PRESENT, " (layer not present)"},
        {VK_ERROR_EXTENSION_NOT_PRESENT, " (extension not present)"},
        {VK_ERROR_FEATURE_NOT_PRESENT, " (feature not present)"},
        {VK_ERROR_INCOMPATIBLE_DRIVER, " (incompatible driver)"},
    };
    const auto* found = std::ranges::find(kNames, result, &std::pair<VkResult, const char*>::first);
    const std::string name = found == std::end(kNames) ? "" : found->second;
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(result) + name);
}

Device::Device(const std::string& name)
{
    createInstance();
    choosePhysicalDevice(name);
    createDevice();
}

Device::~Device()
{
    vkDestroyDevice(m_device, nullptr);
    vkDestroyInstance(m_instance, nullptr);
}

void Device::createInstance()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "mandelbrot";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    // Otherwise the loader hides devices that implement less than all of Vulkan, as those on macOS.
    const char* const portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    if (lists(enumerate("vkEnumerateInstanceExtensionProperties", VkExtensionProperties{},
                        vkEnumerateInstanceExtensionProperties, nullptr),
              portability)) {
        info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &portability;
    }
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
}

void Device::choosePhysicalDevice(const std::string& name)
{
    const auto devices =
        enumerate("vkEnumeratePhysicalDevices", VkPhysicalDevice{}, vkEnumeratePhysicalDevices, m_instance);
    std::string seen;
    for (VkPhysicalDevice device : devices) {
        m_driver = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &m_driver};
        vkGetPhysicalDeviceProperties2(device, &properties);
        m_properties = properties.properties;
        seen += std::string("\n    ") + m_properties.deviceName;
        if (!containsIgnoringCase(m_properties.deviceName, name))
            continue;
        if (runsGraphs(device)) {
            m_physicalDevice = device;
            return;
        }
        seen += " (" + whatIsMissing(device, m_properties.apiVersion) + ")";
    }
    if (devices.empty())
        throw std::runtime_error("there is no Vulkan device");
    const std::string wanted = name.empty() ? "no device" : "no device called \"" + name + "\"";
    throw std::runtime_error(wanted + " offers VK_AMDX_shader_enqueue. Devices:" + seen + kAdvice);
}

void Device::createDevice()
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(m_physicalDevice, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(m_physicalDevice, &count, families.data());
    const auto family = std::ranges::find_if(
        families, [](const VkQueueFamilyProperties& each) { return (each.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
    if (family == families.end())
        throw std::runtime_error("the device has no compute queue");
    m_queueFamily = static_cast<uint32_t>(family - families.begin());
    m_timestampBits = family->timestampValidBits;

    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = VK_TRUE;
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                         &enqueue};
    maintenance5.maintenance5 = VK_TRUE;
    VkPhysicalDeviceVulkan13Features vulkan13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &maintenance5};
    vulkan13.synchronization2 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features vulkan12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &vulkan13};
    vulkan12.bufferDeviceAddress = VK_TRUE;

    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = m_queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &vulkan12};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    std::vector<const char*> extensions(std::begin(kExtensions), std::end(kExtensions));
    // Such a device must be created with it.
    if (lists(extensionsOf(m_physicalDevice), VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME))
        extensions.push_back(VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME);
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(m_physicalDevice, &info, nullptr, &m_device), "vkCreateDevice");
    vkGetDeviceQueue(m_device, m_queueFamily, 0, &m_queue);
}

PFN_vkVoidFunction Device::loadAny(const char* name) const
{
    const PFN_vkVoidFunction function = vkGetDeviceProcAddr(m_device, name);
    if (!function)
        throw std::runtime_error(std::string("the device lists VK_AMDX_shader_enqueue but has no ") + name);
    return function;
}

uint32_t Device::memoryType(uint32_t allowed, Memory where) const
{
    constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags needed =
        where == Memory::Device ? VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT} : kHost;
    // The host reads faster through its cache. Not every device has coherent memory that the host caches.
    const VkMemoryPropertyFlags best = needed | (where == Memory::Host ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_physicalDevice, &memory);
    for (const VkMemoryPropertyFlags wanted : {best, needed})
        for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
                return i;
    throw std::runtime_error("the device has no suitable memory type");
}

Buffer Device::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage, Memory memory) const
{
    Buffer buffer;
    buffer.size = size;
    const bool addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage;
    check(vkCreateBuffer(m_device, &info, nullptr, &buffer.handle), "vkCreateBuffer");

    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(m_device, buffer.handle, &requirements);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = addressed ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    allocation.allocationSize = requirements.size;
    allocation.memoryTypeIndex = memoryType(requirements.memoryTypeBits, memory);
    check(vkAllocateMemory(m_device, &allocation, nullptr, &buffer.memory), "vkAllocateMemory");
    check(vkBindBufferMemory(m_device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    if (memory == Memory::Host)
        check(vkMapMemory(m_device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped), "vkMapMemory");
    if (addressed) {
        VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        address.buffer = buffer.handle;
        buffer.address = vkGetBufferDeviceAddress(m_device, &address);
    }
    return buffer;
}

void Device::destroy(const Buffer& buffer) const
{
    vkDestroyBuffer(m_device, buffer.handle, nullptr);
    vkFreeMemory(m_device, buffer.memory, nullptr);
}

std::string Device::description() const
{
    return std::string(m_properties.deviceName) + ", driver " + m_driver.driverName + " " + m_driver.driverInfo;
}

std::string Device::graphProvider() const
{
    const VkPhysicalDeviceToolProperties blank{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
    const auto tools =
        enumerate("vkGetPhysicalDeviceToolProperties", blank, vkGetPhysicalDeviceToolProperties, m_physicalDevice);
    for (const VkPhysicalDeviceToolProperties& tool : tools)
        if (!std::strcmp(tool.layer, kMillraceLayer))
            return std::string(tool.name) + " " + tool.version + ", " + tool.description + " (" + tool.layer +
                   " is among the active tools)";
    return std::string("the driver (") + kMillraceLayer + " is not among the active tools)";
}
