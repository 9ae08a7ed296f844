// SPDX-License-Identifier: Apache-2.0
// A Vulkan driver whose commands do nothing: what recording takes above it is the cost of what is in front of it.
// It has what graphs need, so that the layer provides the extension.
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace {

// Dispatchable: the loader keeps its own pointer in the first word.
struct Object {
    VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
};

Object physicalDevice;
Object queue;

template <typename Handle>
Handle newHandle()
{
    if constexpr (std::is_same_v<Handle, VkInstance> || std::is_same_v<Handle, VkDevice> ||
                  std::is_same_v<Handle, VkCommandBuffer>) {
        return reinterpret_cast<Handle>(new Object);
    } else {
        static std::atomic<uintptr_t> last{0};
        return reinterpret_cast<Handle>(++last);
    }
}

// A command without a result, or one that succeeds.
template <typename Function>
struct Nothing;
template <typename Return, typename... Args>
struct Nothing<Return(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR Return VKAPI_CALL call(Args...) { return Return(); }
};

// vkCreate*: the last parameter gets a new handle.
template <typename Function>
struct Create;
template <typename Parent, typename Info, typename Handle>
struct Create<VkResult(VKAPI_PTR*)(Parent, const Info*, const VkAllocationCallbacks*, Handle*)> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(Parent, const Info*, const VkAllocationCallbacks*, Handle* out)
    {
        *out = newHandle<Handle>();
        return VK_SUCCESS;
    }
};
template <typename Info>
struct Create<VkResult(VKAPI_PTR*)(VkDevice, VkPipelineCache, uint32_t, const Info*, const VkAllocationCallbacks*,
                                   VkPipeline*)> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(VkDevice, VkPipelineCache, uint32_t count, const Info*,
                                               const VkAllocationCallbacks*, VkPipeline* out)
    {
        for (uint32_t i = 0; i < count; ++i)
            out[i] = newHandle<VkPipeline>();
        return VK_SUCCESS;
    }
};

template <typename Handle>
void deleteObject(Handle handle)
{
    delete reinterpret_cast<Object*>(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                              VkInstance* out)
{
    *out = newHandle<VkInstance>();
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyInstance(VkInstance instance, const VkAllocationCallbacks*)
{
    deleteObject(instance);
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks*)
{
    deleteObject(device);
}

VKAPI_ATTR VkResult VKAPI_CALL enumeratePhysicalDevices(VkInstance, uint32_t* count, VkPhysicalDevice* out)
{
    if (out && *count > 0)
        *out = reinterpret_cast<VkPhysicalDevice>(&physicalDevice);
    *count = 1;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateInstanceExtensions(const char*, uint32_t* count, VkExtensionProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateDeviceExtensions(VkPhysicalDevice, const char*, uint32_t* count,
                                                         VkExtensionProperties* out)
{
    static constexpr VkExtensionProperties kExtensions[] = {
        {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_SPEC_VERSION},
        {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_SPEC_VERSION},
    };
    for (uint32_t i = 0; out && i < std::size(kExtensions) && i < *count; ++i)
        out[i] = kExtensions[i];
    *count = std::size(kExtensions);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* out)
{
    *out = {};
    out->apiVersion = VK_API_VERSION_1_3;
    out->deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;  // not worth measuring
    std::strcpy(out->deviceName, "null");
    VkPhysicalDeviceLimits& limits = out->limits;
    limits.maxPushConstantsSize = 256;
    limits.maxBoundDescriptorSets = 8;
    limits.maxComputeWorkGroupInvocations = 1024;
    limits.maxMemoryAllocationCount = 4096;
    limits.bufferImageGranularity = 1;
    limits.nonCoherentAtomSize = 1;
    for (uint32_t i = 0; i < 3; ++i) {
        limits.maxComputeWorkGroupSize[i] = 1024;
        limits.maxComputeWorkGroupCount[i] = 65535;
    }
}

VkBaseOutStructure* nextOf(const void* structure)
{
    return static_cast<const VkBaseOutStructure*>(structure)->pNext;
}

VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* out)
{
    getProperties(physical, &out->properties);
    for (VkBaseOutStructure* item = nextOf(out); item; item = item->pNext) {
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            auto& properties = *reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(item);
            properties.subgroupSize = 32;
            properties.subgroupSupportedStages = VK_SHADER_STAGE_ALL;
            properties.subgroupSupportedOperations =
                VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
        } else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceVulkan13Properties*>(item)->minSubgroupSize = 32;
        } else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceMaintenance3Properties*>(item)->maxMemoryAllocationSize = 1u << 30;
        } else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceMaintenance4Properties*>(item)->maxBufferSize = 1u << 30;
        }
    }
}

// Features are all of a structure's words behind its first two members.
template <typename Features>
void setAll(VkBaseOutStructure* item)
{
    auto* features = reinterpret_cast<VkBool32*>(reinterpret_cast<std::byte*>(item) + sizeof(VkBaseOutStructure));
    constexpr size_t kCount = (sizeof(Features) - sizeof(VkBaseOutStructure)) / sizeof(VkBool32);
    for (size_t i = 0; i < kCount; ++i)
        features[i] = VK_TRUE;
}

VKAPI_ATTR void VKAPI_CALL getFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures* out)
{
    auto* features = reinterpret_cast<VkBool32*>(out);
    for (size_t i = 0; i < sizeof *out / sizeof(VkBool32); ++i)
        features[i] = VK_TRUE;
}

VKAPI_ATTR void VKAPI_CALL getFeatures2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* out)
{
    getFeatures(physical, &out->features);
    for (VkBaseOutStructure* item = nextOf(out); item; item = item->pNext)
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
            setAll<VkPhysicalDeviceVulkan11Features>(item);
        else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            setAll<VkPhysicalDeviceVulkan12Features>(item);
        else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
            setAll<VkPhysicalDeviceVulkan13Features>(item);
        else if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR)
            setAll<VkPhysicalDeviceMaintenance5Features>(item);
}

VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* out)
{
    if (out && *count > 0)
        *out = {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};
    *count = 1;
}

VKAPI_ATTR void VKAPI_CALL getMemory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out)
{
    *out = {};
    out->memoryTypeCount = out->memoryHeapCount = 1;
    out->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    out->memoryHeaps[0] = {1u << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

VKAPI_ATTR void VKAPI_CALL getMemory2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* out)
{
    getMemory(physical, &out->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue(VkDevice, uint32_t, uint32_t, VkQueue* out)
{
    *out = reinterpret_cast<VkQueue>(&queue);
}

template <typename Object>
VKAPI_ATTR void VKAPI_CALL getRequirements(VkDevice, Object, VkMemoryRequirements* out)
{
    *out = {256, 256, 1};
}

template <typename Info>
VKAPI_ATTR void VKAPI_CALL getRequirements2(VkDevice, const Info*, VkMemoryRequirements2* out)
{
    out->memoryRequirements = {256, 256, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL allocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* out)
{
    for (uint32_t i = 0; i < info->commandBufferCount; ++i)
        out[i] = newHandle<VkCommandBuffer>();
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL freeCommandBuffers(VkDevice, VkCommandPool, uint32_t count, const VkCommandBuffer* list)
{
    for (uint32_t i = 0; i < count; ++i)
        deleteObject(list[i]);
}

VKAPI_ATTR VkResult VKAPI_CALL allocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* info,
                                                      VkDescriptorSet* out)
{
    for (uint32_t i = 0; i < info->descriptorSetCount; ++i)
        out[i] = newHandle<VkDescriptorSet>();
    return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL getAddress(VkDevice, const VkBufferDeviceAddressInfo*)
{
    return 1u << 16;
}

using Functions = std::unordered_map<std::string_view, PFN_vkVoidFunction>;

template <typename Function>
PFN_vkVoidFunction plain(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

// clang-format off
#define NOTHING(name) {"vk" #name, plain(&Nothing<PFN_vk##name>::call)},
#define CREATE(name) {"vk" #name, plain(&Create<PFN_vk##name>::call)},
// clang-format on

PFN_vkVoidFunction find(const Functions& functions, const char* name)
{
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name)
{
    // clang-format off
    static const Functions functions = {
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)}, {"vkDestroyDevice", plain(destroyDevice)},
        {"vkGetDeviceQueue", plain(getDeviceQueue)},
        {"vkGetBufferMemoryRequirements", plain(getRequirements<VkBuffer>)},
        {"vkGetImageMemoryRequirements", plain(getRequirements<VkImage>)},
        {"vkGetBufferMemoryRequirements2", plain(getRequirements2<VkBufferMemoryRequirementsInfo2>)},
        {"vkGetImageMemoryRequirements2", plain(getRequirements2<VkImageMemoryRequirementsInfo2>)},
        {"vkGetDeviceBufferMemoryRequirements", plain(getRequirements2<VkDeviceBufferMemoryRequirements>)},
        {"vkGetDeviceImageMemoryRequirements", plain(getRequirements2<VkDeviceImageMemoryRequirements>)},
        {"vkAllocateCommandBuffers", plain(allocateCommandBuffers)},
        {"vkFreeCommandBuffers", plain(freeCommandBuffers)},
        {"vkAllocateDescriptorSets", plain(allocateDescriptorSets)},
        {"vkGetBufferDeviceAddress", plain(getAddress)},
        CREATE(CreateBuffer) CREATE(CreateCommandPool) CREATE(CreateComputePipelines) CREATE(CreateDescriptorPool)
        CREATE(CreateDescriptorSetLayout) CREATE(CreateFence) CREATE(CreateGraphicsPipelines) CREATE(CreateImage)
        CREATE(CreateImageView) CREATE(CreatePipelineLayout) CREATE(CreateShaderModule) CREATE(AllocateMemory)
        NOTHING(BeginCommandBuffer) NOTHING(BindBufferMemory) NOTHING(BindBufferMemory2) NOTHING(BindImageMemory) NOTHING(BindImageMemory2) NOTHING(DestroyBuffer)
        NOTHING(DestroyCommandPool) NOTHING(DestroyDescriptorPool) NOTHING(DestroyDescriptorSetLayout)
        NOTHING(DestroyFence) NOTHING(DestroyImage) NOTHING(DestroyImageView) NOTHING(DestroyPipeline)
        NOTHING(DestroyPipelineLayout) NOTHING(DestroyShaderModule) NOTHING(DeviceWaitIdle)
        NOTHING(EndCommandBuffer) NOTHING(FlushMappedMemoryRanges) NOTHING(FreeMemory)
        NOTHING(InvalidateMappedMemoryRanges) NOTHING(MapMemory) NOTHING(ResetCommandPool) NOTHING(UnmapMemory)
        NOTHING(CmdBeginRendering) NOTHING(CmdBindDescriptorSets) NOTHING(CmdBindIndexBuffer) NOTHING(CmdBindPipeline)
        NOTHING(CmdBindVertexBuffers) NOTHING(CmdCopyBuffer) NOTHING(CmdDispatch) NOTHING(CmdDraw)
        NOTHING(CmdDrawIndexed) NOTHING(CmdEndRendering) NOTHING(CmdPipelineBarrier) NOTHING(CmdPipelineBarrier2)
        NOTHING(CmdPushConstants) NOTHING(CmdSetScissor) NOTHING(CmdSetViewport)
    };
    // clang-format on
    return find(functions, name);
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name)
{
    // clang-format off
    static const Functions functions = {
        {"vkCreateInstance", plain(createInstance)}, {"vkDestroyInstance", plain(destroyInstance)},
        {"vkEnumerateInstanceExtensionProperties", plain(enumerateInstanceExtensions)},
        {"vkEnumeratePhysicalDevices", plain(enumeratePhysicalDevices)},
        {"vkEnumerateDeviceExtensionProperties", plain(enumerateDeviceExtensions)},
        {"vkGetPhysicalDeviceProperties", plain(getProperties)},
        {"vkGetPhysicalDeviceProperties2", plain(getProperties2)},
        {"vkGetPhysicalDeviceFeatures", plain(getFeatures)}, {"vkGetPhysicalDeviceFeatures2", plain(getFeatures2)},
        {"vkGetPhysicalDeviceQueueFamilyProperties", plain(getQueueFamilies)},
        {"vkGetPhysicalDeviceMemoryProperties", plain(getMemory)},
        {"vkGetPhysicalDeviceMemoryProperties2", plain(getMemory2)},
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)}, {"vkGetInstanceProcAddr", plain(getInstanceProcAddr)},
        CREATE(CreateDevice)
        NOTHING(GetPhysicalDeviceFormatProperties) NOTHING(GetPhysicalDeviceImageFormatProperties)
        NOTHING(GetPhysicalDeviceSparseImageFormatProperties)
    };
    // clang-format on
    const PFN_vkVoidFunction found = find(functions, name);
    return found ? found : getDeviceProcAddr(reinterpret_cast<VkDevice>(instance), name);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char* name)
{
    return getInstanceProcAddr(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version)
{
    *version = 5;
    return VK_SUCCESS;
}
}
