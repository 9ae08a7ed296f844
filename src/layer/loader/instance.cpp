// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/instance.h"

#include <algorithm>
#include <cstring>

#include "layer/chains/chain.h"
#include "layer/loader/entry_points.h"
#include "runtime/driver_support.h"

namespace millrace::layer {

namespace {

Registry<Instance>& instances()
{
    static Registry<Instance>& registry = *new Registry<Instance>;  // never destroyed
    return registry;
}

bool enables(const VkInstanceCreateInfo& createInfo, const char* extension)
{
    for (uint32_t i = 0; i < createInfo.enabledExtensionCount; ++i)
        if (std::strcmp(createInfo.ppEnabledExtensionNames[i], extension) == 0)
            return true;
    return false;
}

VkLayerInstanceCreateInfo* linkInfo(const VkInstanceCreateInfo* createInfo)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(createInfo->pNext); item; item = item->pNext) {
        // The loader lets layers write to its own structures.
        auto* info = const_cast<VkLayerInstanceCreateInfo*>(reinterpret_cast<const VkLayerInstanceCreateInfo*>(item));
        if (item->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && info->function == VK_LAYER_LINK_INFO)
            return info;
    }
    return nullptr;
}

// What the layer asks for in the application's place.
struct Request {
    VkInstanceCreateInfo info;
    std::vector<const char*> extensions;

    void enable(const char* extension)
    {
        extensions.assign(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount);
        extensions.push_back(extension);
        info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
        info.ppEnabledExtensionNames = extensions.data();
    }
};

// With the setting debug_labels, VK_EXT_debug_utils is enabled for the layer itself, as far as the loader has it.
// Drivers of Vulkan 1.0 refuse instances of any other version; all others have to take what they are asked for.
VkResult callNext(const VkInstanceCreateInfo& createInfo, const VkAllocationCallbacks* allocator, VkInstance* out,
                  VkLayerInstanceCreateInfo& link, Instance& instance)
{
    VkLayerInstanceLink* own = link.u.pLayerInfo;
    const PFN_vkGetInstanceProcAddr next = own->pfnNextGetInstanceProcAddr;
    const auto create = [&](const VkInstanceCreateInfo& info) {
        link.u.pLayerInfo = own->pNext;  // layers below move on from there
        return reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"))(&info, allocator, out);
    };
    Request request{createInfo, {}};
    instance.debugUtils = enables(createInfo, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (instance.settings.debugLabels && !instance.debugUtils) {
        request.enable(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
        instance.debugUtils = true;
    }
    const VkApplicationInfo* application = createInfo.pApplicationInfo;
    if (application && application->apiVersion != 0)
        instance.apiVersion = application->apiVersion;
    instance.requestedApiVersion = std::max(instance.apiVersion, runtime::kNeededApiVersion);
    if (instance.requestedApiVersion == instance.apiVersion)
        return create(request.info);
    VkApplicationInfo raised{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    if (application)
        raised = *application;
    raised.apiVersion = instance.requestedApiVersion;
    request.info.pApplicationInfo = &raised;
    const VkResult result = create(request.info);
    if (result != VK_ERROR_INCOMPATIBLE_DRIVER)
        return result;
    request.info.pApplicationInfo = application;
    instance.requestedApiVersion = instance.apiVersion;
    const VkResult unraised = create(request.info);
    if (unraised == VK_SUCCESS)
        instance.messages.warning(
            "Millrace-api-version", {},
            "graphs need Vulkan 1.3, the application asks for less (VkApplicationInfo::apiVersion), "
            "and no driver takes more",
            "Update the driver or the Vulkan loader; 'millrace info' lists what devices lack");
    return unraised;
}

std::string versionText(uint32_t version)
{
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

// A device whose driver is too old for graphs looks like one that has never heard of them.
void tellOldDriver(const Instance& instance, VkPhysicalDevice physical, const Support& support)
{
    VkPhysicalDeviceProperties properties{};
    instance.table.GetPhysicalDeviceProperties(physical, &properties);
    const bool isToldOfAll = instance.requestedApiVersion < runtime::kNeededApiVersion;
    if (support.native || isToldOfAll || properties.apiVersion >= runtime::kNeededApiVersion)
        return;
    instance.messages.warning("Millrace-api-version", objectReference(VK_OBJECT_TYPE_PHYSICAL_DEVICE, physical),
                              std::string("graphs need Vulkan 1.3, and the driver of ") + properties.deviceName +
                                  " has " + versionText(properties.apiVersion),
                              "Update the driver, or take another device; 'millrace info' lists what devices lack");
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* pCreateInfo,
                                              const VkAllocationCallbacks* pAllocator, VkInstance* pInstance)
{
    VkLayerInstanceCreateInfo* link = linkInfo(pCreateInfo);
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    auto instance = std::make_shared<Instance>();
    instance->hasCallbacks = pAllocator;
    std::vector<std::string> problems;
    instance->settings = settings::readSettings(*pCreateInfo, problems);
    instance->messages.addChained(pCreateInfo->pNext);
    for (const std::string& problem : problems)
        instance->messages.warning("Millrace-setting", {}, problem,
                                   "docs/settings.md lists all settings and their values");
    const VkResult result = callNext(*pCreateInfo, pAllocator, pInstance, *link, *instance);
    instance->messages.removeChained();
    if (result != VK_SUCCESS)
        return result;

    instance->handle = *pInstance;
    vkuInitInstanceDispatchTable(*pInstance, &instance->table, next);
    instance->settings.runtime.labels = instance->debugUtils;
    const PFN_vkDestroyInstance destroy = instance->table.DestroyInstance;
    rememberOrUndo([&] { destroy(*pInstance, pAllocator); },
                   [&] { instances().insert(handleId(dispatchKey(*pInstance)), std::move(instance)); });
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* pAllocator)
{
    if (!handle)
        return;
    std::shared_ptr<Instance> instance = instances().remove(handleId(dispatchKey(handle)));
    instance->table.DestroyInstance(handle, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessengerEXT(VkInstance handle,
                                                            const VkDebugUtilsMessengerCreateInfoEXT* pCreateInfo,
                                                            const VkAllocationCallbacks* pAllocator,
                                                            VkDebugUtilsMessengerEXT* pMessenger)
{
    Instance& instance = Instance::of(handle);
    const VkResult result = instance.table.CreateDebugUtilsMessengerEXT(handle, pCreateInfo, pAllocator, pMessenger);
    if (result == VK_SUCCESS)
        instance.messages.add(*pMessenger, *pCreateInfo);
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                         const VkAllocationCallbacks* pAllocator)
{
    Instance& instance = Instance::of(handle);
    if (messenger)
        instance.messages.remove(messenger);
    instance.table.DestroyDebugUtilsMessengerEXT(handle, messenger, pAllocator);
}

}  // namespace

Instance* Instance::of(void* key)
{
    return instances().find(handleId(key));
}

Support Instance::support(VkPhysicalDevice physical)
{
    {
        std::lock_guard lock(m_mutex);
        if (const auto found = m_support.find(physical); found != m_support.end())
            return found->second;
    }
    // Without the lock: what drivers and layers say of a question may lead to another.
    const Support support = querySupport(*this, physical, false);
    bool isNew = false;
    {
        std::lock_guard lock(m_mutex);
        isNew = m_support.emplace(physical, support).second;
    }
    if (isNew)
        tellOldDriver(*this, physical, support);
    return support;
}

void Instance::markPhantom(VkPhysicalDevice physical)
{
    const Support support = querySupport(*this, physical, true);
    std::lock_guard lock(m_mutex);
    m_support[physical] = support;
}

EntryPoints instanceEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateInstance, kUseAlways, true),
        MILLRACE_ENTRY(DestroyInstance, kUseAlways),
        MILLRACE_ENTRY(CreateDebugUtilsMessengerEXT, kUseAlways),
        MILLRACE_ENTRY(DestroyDebugUtilsMessengerEXT, kUseAlways),
    };
    return entries;
}

}  // namespace millrace::layer
