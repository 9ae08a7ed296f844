// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test, that makes the driver look like another. MILLRACE_TEST_DRIVER lists how:
// "-shaderInt64", "-shaderBufferInt64Atomics", "-scalarBlockLayout", "-bufferDeviceAddress", "-ballot", "-arithmetic"
// (of subgroups),
// "-storageBuffer8BitAccess",
// "-texelBuffers", "-texelAtomics", "-withoutFormat" (of every format), "-maintenance5", "-compute" (no queue runs
// compute shaders), "another" (than any that the process has seen), "discrete" (no processor), "vulkan1.2", "driver=N"
// (VkDriverId),
// "+shaderEnqueue"; separated by commas.
#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Instance {
    VkInstance handle = VK_NULL_HANDLE;
    VkuInstanceDispatchTable table{};
};

std::mutex g_mutex;
std::map<void*, Instance> g_instances;
std::atomic<uint32_t> g_devices;  // that "another" has made

template <typename Handle>
const Instance& instanceOf(Handle handle)
{
    std::lock_guard lock(g_mutex);
    return g_instances.at(*reinterpret_cast<void**>(handle));
}

bool is(const char* wanted)
{
    const char* list = std::getenv("MILLRACE_TEST_DRIVER");
    return list && ("," + std::string(list) + ",").find("," + std::string(wanted) + ",") != std::string::npos;
}

// The number of "driver=N", 0: there is none.
uint32_t wantedDriver()
{
    const char* list = std::getenv("MILLRACE_TEST_DRIVER");
    const char* found = list ? std::strstr(list, "driver=") : nullptr;
    return found ? static_cast<uint32_t>(std::strtoul(found + std::strlen("driver="), nullptr, 10)) : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* out)
{
    auto* item = const_cast<VkLayerInstanceCreateInfo*>(static_cast<const VkLayerInstanceCreateInfo*>(info->pNext));
    while (item &&
           (item->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || item->function != VK_LAYER_LINK_INFO))
        item = const_cast<VkLayerInstanceCreateInfo*>(static_cast<const VkLayerInstanceCreateInfo*>(item->pNext));
    if (!item)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (is("atMost1.2") && info->pApplicationInfo && info->pApplicationInfo->apiVersion > VK_API_VERSION_1_2)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    const PFN_vkGetInstanceProcAddr next = item->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    item->u.pLayerInfo = item->u.pLayerInfo->pNext;
    auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    Instance instance{*out};
    vkuInitInstanceDispatchTable(*out, &instance.table, next);
    std::lock_guard lock(g_mutex);
    g_instances[*reinterpret_cast<void**>(*out)] = instance;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* allocator)
{
    void* key = *reinterpret_cast<void**>(handle);
    instanceOf(handle).table.DestroyInstance(handle, allocator);
    std::lock_guard lock(g_mutex);
    g_instances.erase(key);
}

void nameAnother(VkPhysicalDeviceIDProperties& ids)
{
    const uint32_t number = ++g_devices;
    std::memcpy(ids.deviceUUID, &number, sizeof number);
}

void change(VkPhysicalDeviceProperties& properties)
{
    if (is("vulkan1.2"))
        properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 2, 203);
    if (is("discrete"))
        properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice physical, VkPhysicalDeviceProperties* out)
{
    instanceOf(physical).table.GetPhysicalDeviceProperties(physical, out);
    change(*out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceProperties2(physical, out);
    change(out->properties);
    const VkSubgroupFeatureFlags missing = (is("-ballot") ? VK_SUBGROUP_FEATURE_BALLOT_BIT : 0) |
                                           (is("-arithmetic") ? VK_SUBGROUP_FEATURE_ARITHMETIC_BIT : 0);
    for (auto* item = static_cast<VkBaseOutStructure*>(out->pNext); item; item = item->pNext)
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(item)->subgroupSupportedOperations &= ~missing;
        else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES && is("another"))
            nameAnother(*reinterpret_cast<VkPhysicalDeviceIDProperties*>(item));
        else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES && wantedDriver() != 0)
            reinterpret_cast<VkPhysicalDeviceDriverProperties*>(item)->driverID =
                static_cast<VkDriverId>(wantedDriver());
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical, uint32_t* count,
                                                                  VkQueueFamilyProperties* out)
{
    instanceOf(physical).table.GetPhysicalDeviceQueueFamilyProperties(physical, count, out);
    for (uint32_t i = 0; out && is("-compute") && i < *count; ++i)
        out[i].queueFlags &= ~VkQueueFlags(VK_QUEUE_COMPUTE_BIT);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceFeatures2(physical, out);
    if (is("-shaderInt64"))
        out->features.shaderInt64 = VK_FALSE;
    for (auto* item = static_cast<VkBaseOutStructure*>(out->pNext); item; item = item->pNext) {
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            auto* features = reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(item);
            features->bufferDeviceAddress = features->bufferDeviceAddress && !is("-bufferDeviceAddress");
            features->shaderBufferInt64Atomics =
                features->shaderBufferInt64Atomics && !is("-shaderBufferInt64Atomics") && !is("-shaderInt64");
            features->scalarBlockLayout = features->scalarBlockLayout && !is("-scalarBlockLayout");
            features->storageBuffer8BitAccess = features->storageBuffer8BitAccess && !is("-storageBuffer8BitAccess");
        } else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES && is("-maintenance5")) {
            reinterpret_cast<VkPhysicalDeviceMaintenance5Features*>(item)->maintenance5 = VK_FALSE;
        } else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX &&
                   is("+shaderEnqueue")) {
            auto* enqueue = reinterpret_cast<VkPhysicalDeviceShaderEnqueueFeaturesAMDX*>(item);
            enqueue->shaderEnqueue = VK_TRUE;
            enqueue->shaderMeshEnqueue = VK_TRUE;
        }
    }
}

VkFormatFeatureFlags2 lackingFormatFeatures()
{
    VkFormatFeatureFlags2 out = 0;
    if (is("-texelBuffers"))
        out |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;
    if (is("-texelAtomics"))
        out |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT | VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
    if (is("-withoutFormat")) {
        out |=
            VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
    }
    return out;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice physical, VkFormat format,
                                                              VkFormatProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceFormatProperties2(physical, format, out);
    for (auto* item = static_cast<VkBaseOutStructure*>(out->pNext); item; item = item->pNext) {
        if (item->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3) {
            auto* properties = reinterpret_cast<VkFormatProperties3*>(item);
            properties->optimalTilingFeatures &= ~lackingFormatFeatures();
            properties->bufferFeatures &= ~lackingFormatFeatures();
        }
    }
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char* layer,
                                                                  uint32_t* count, VkExtensionProperties* out)
{
    const auto& table = instanceOf(physical).table;
    uint32_t below = 0;
    table.EnumerateDeviceExtensionProperties(physical, layer, &below, nullptr);
    std::vector<VkExtensionProperties> list(below);
    table.EnumerateDeviceExtensionProperties(physical, layer, &below, list.data());
    std::erase_if(list, [](const VkExtensionProperties& extension) {
        return std::strcmp(extension.extensionName, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 0;
    });
    if (is("+shaderEnqueue"))
        list.push_back({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION});
    const uint32_t room = out ? *count : UINT32_MAX;
    *count = std::min(room, static_cast<uint32_t>(list.size()));
    if (out)
        std::copy_n(list.begin(), *count, out);
    return *count < list.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance handle, const char* name)
{
    static const std::map<std::string, PFN_vkVoidFunction> functions = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(CreateInstance)},
        {"vkDestroyInstance", reinterpret_cast<PFN_vkVoidFunction>(DestroyInstance)},
        {"vkGetPhysicalDeviceProperties", reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceProperties)},
        {"vkGetPhysicalDeviceProperties2", reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceProperties2)},
        {"vkGetPhysicalDeviceQueueFamilyProperties",
         reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceQueueFamilyProperties)},
        {"vkGetPhysicalDeviceFeatures2", reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceFeatures2)},
        {"vkGetPhysicalDeviceFormatProperties2",
         reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceFormatProperties2)},
        {"vkEnumerateDeviceExtensionProperties",
         reinterpret_cast<PFN_vkVoidFunction>(EnumerateDeviceExtensionProperties)},
    };
    const auto found = functions.find(name);
    if (found != functions.end())
        return found->second;
    return handle ? instanceOf(handle).table.GetInstanceProcAddr(handle, name) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation)
{
    negotiation->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    negotiation->pfnGetInstanceProcAddr = getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = nullptr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
