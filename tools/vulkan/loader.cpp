// SPDX-License-Identifier: Apache-2.0
#include "tools/vulkan/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace millrace::tools {

namespace {

constexpr const char* kLibrary = "libvulkan.so.1";

// The two-call idiom. Requires: `call(count, items)` returns a VkResult.
template <typename Item, typename Call>
std::vector<Item> enumerate(Call&& call)
{
    std::vector<Item> items;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        uint32_t count = 0;
        result = call(&count, nullptr);
        items.resize(result == VK_SUCCESS ? count : 0);
        if (count > 0 && result == VK_SUCCESS) {
            result = call(&count, items.data());
            items.resize(result == VK_SUCCESS ? count : 0);
        }
    }
    return items;
}

template <typename Function>
Function findGlobal(PFN_vkGetInstanceProcAddr getInstanceProcAddr, const char* name)
{
    return reinterpret_cast<Function>(getInstanceProcAddr(VK_NULL_HANDLE, name));
}

}  // namespace

Result<Loader> Loader::open()
{
    Loader loader;
    void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return Diagnostic{
            "", "",
            std::string("there is no Vulkan loader: ") + dlerror() + "; Debian has it in the package libvulkan1"};
    }
    loader.m_library.reset(library, dlclose);
    loader.m_getInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    if (loader.m_getInstanceProcAddr == nullptr)
        return Diagnostic{"", "", std::string(kLibrary) + " is no Vulkan loader"};
    return loader;
}

uint32_t Loader::version() const
{
    const auto enumerateVersion =
        findGlobal<PFN_vkEnumerateInstanceVersion>(m_getInstanceProcAddr, "vkEnumerateInstanceVersion");
    uint32_t version = VK_API_VERSION_1_0;
    if (enumerateVersion != nullptr)
        enumerateVersion(&version);
    return version;
}

std::vector<VkLayerProperties> Loader::layers() const
{
    return enumerate<VkLayerProperties>(findGlobal<PFN_vkEnumerateInstanceLayerProperties>(
        m_getInstanceProcAddr, "vkEnumerateInstanceLayerProperties"));
}

std::vector<VkExtensionProperties> Loader::extensions() const
{
    const auto call = findGlobal<PFN_vkEnumerateInstanceExtensionProperties>(m_getInstanceProcAddr,
                                                                             "vkEnumerateInstanceExtensionProperties");
    return enumerate<VkExtensionProperties>(
        [&](uint32_t* count, VkExtensionProperties* items) { return call(nullptr, count, items); });
}

VulkanInstance& VulkanInstance::operator=(VulkanInstance&& other) noexcept
{
    std::swap(m_getInstanceProcAddr, other.m_getInstanceProcAddr);
    std::swap(m_handle, other.m_handle);
    std::swap(m_table, other.m_table);
    return *this;
}

VulkanInstance::~VulkanInstance()
{
    if (m_handle != VK_NULL_HANDLE)
        m_table.DestroyInstance(m_handle, nullptr);
}

VkResult VulkanInstance::create(const Loader& loader, const std::vector<const char*>& layers)
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "millrace";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    std::vector<const char*> extensions;
    askForPortability(loader, info, extensions);
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const auto create = findGlobal<PFN_vkCreateInstance>(loader.getInstanceProcAddr(), "vkCreateInstance");
    const VkResult result = create(&info, nullptr, &m_handle);
    if (result == VK_SUCCESS) {
        m_getInstanceProcAddr = loader.getInstanceProcAddr();
        vkuInitInstanceDispatchTable(m_handle, &m_table, m_getInstanceProcAddr);
    } else {
        m_handle = VK_NULL_HANDLE;
    }
    return result;
}

VkResult VulkanInstance::createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo& info, VkDevice& device,
                                      VkuDeviceDispatchTable& table) const
{
    // What the table of an instance leaves out.
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(m_getInstanceProcAddr(m_handle, "vkCreateDevice"));
    const auto getProcAddr =
        reinterpret_cast<PFN_vkGetDeviceProcAddr>(m_getInstanceProcAddr(m_handle, "vkGetDeviceProcAddr"));
    const VkResult result = create(physical, &info, nullptr, &device);
    if (result == VK_SUCCESS)
        vkuInitDeviceDispatchTable(device, &table, getProcAddr);
    return result;
}

std::vector<VkPhysicalDevice> VulkanInstance::physicalDevices() const
{
    return enumerate<VkPhysicalDevice>([&](uint32_t* count, VkPhysicalDevice* items) {
        return m_table.EnumeratePhysicalDevices(m_handle, count, items);
    });
}

std::vector<VkExtensionProperties> VulkanInstance::extensions(VkPhysicalDevice physical) const
{
    return enumerate<VkExtensionProperties>([&](uint32_t* count, VkExtensionProperties* items) {
        return m_table.EnumerateDeviceExtensionProperties(physical, nullptr, count, items);
    });
}

void askForPortability(const Loader& loader, VkInstanceCreateInfo& info, std::vector<const char*>& extensions)
{
    if (lists(loader.extensions(), VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    }
}

void addPortability(const std::vector<VkExtensionProperties>& available, std::vector<const char*>& extensions)
{
    if (lists(available, VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME))
        extensions.push_back(VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME);
}

std::string versionText(uint32_t version)
{
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name)
{
    return std::ranges::any_of(extensions, [&](const VkExtensionProperties& extension) {
        return std::string_view(extension.extensionName) == name;
    });
}

}  // namespace millrace::tools
