// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test, that writes down each compute pipeline which the driver is asked for:
// NUMBER.spv and NUMBER.layout in the folder MILLRACE_TEST_PIPELINES, equal ones once. A layout has a line for each
// binding, "set binding VkDescriptorType count", one for push constants, "push bytes", and "entry name".
#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

// All that one process has; tests have one instance and one device at a time that matter.
struct Recorded {
    std::mutex mutex;
    std::map<void*, VkuInstanceDispatchTable> instances;
    std::map<void*, VkuDeviceDispatchTable> devices;
    std::map<VkDescriptorSetLayout, std::vector<VkDescriptorSetLayoutBinding>> setLayouts;
    std::map<VkPipelineLayout, std::string> layouts;
    std::map<VkShaderModule, std::string> modules;
    std::set<std::pair<std::string, std::string>> written;
};

Recorded& recorded()
{
    static Recorded& all = *new Recorded;  // threads of the layer above may outlive main()
    return all;
}

template <typename Handle>
void* keyOf(Handle handle)
{
    return *reinterpret_cast<void**>(handle);
}

template <typename Handle>
const VkuDeviceDispatchTable& tableOf(Handle handle)
{
    std::lock_guard lock(recorded().mutex);
    return recorded().devices.at(keyOf(handle));
}

template <typename Link>
Link* findLink(const void* chain, VkStructureType type)
{
    auto* item = static_cast<Link*>(const_cast<void*>(chain));
    while (item && (item->sType != type || item->function != VK_LAYER_LINK_INFO))
        item = static_cast<Link*>(const_cast<void*>(item->pNext));
    return item;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* out)
{
    auto* link = findLink<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    std::lock_guard lock(recorded().mutex);
    vkuInitInstanceDispatchTable(*out, &recorded().instances[keyOf(*out)], next);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    auto* link = findLink<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr nextInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(nextInstance(VK_NULL_HANDLE, "vkCreateDevice"));
    const VkResult result = create(physical, info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    std::lock_guard lock(recorded().mutex);
    vkuInitDeviceDispatchTable(*out, &recorded().devices[keyOf(*out)], next);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                         const VkAllocationCallbacks* allocator,
                                                         VkDescriptorSetLayout* out)
{
    const VkResult result = tableOf(device).CreateDescriptorSetLayout(device, info, allocator, out);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(recorded().mutex);
        recorded().setLayouts[*out] = {info->pBindings, info->pBindings + info->bindingCount};
    }
    return result;
}

std::string describe(const VkPipelineLayoutCreateInfo& info)
{
    std::ostringstream text;
    for (uint32_t set = 0; set < info.setLayoutCount; ++set)
        for (const VkDescriptorSetLayoutBinding& binding : recorded().setLayouts[info.pSetLayouts[set]])
            text << set << ' ' << binding.binding << ' ' << binding.descriptorType << ' ' << binding.descriptorCount
                 << '\n';
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < info.pushConstantRangeCount; ++i)
        bytes = std::max(bytes, info.pPushConstantRanges[i].offset + info.pPushConstantRanges[i].size);
    text << "push " << bytes << '\n';
    return text.str();
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks* allocator, VkPipelineLayout* out)
{
    const VkResult result = tableOf(device).CreatePipelineLayout(device, info, allocator, out);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(recorded().mutex);
        recorded().layouts[*out] = describe(*info);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* out)
{
    const VkResult result = tableOf(device).CreateShaderModule(device, info, allocator, out);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(recorded().mutex);
        recorded().modules[*out] = {reinterpret_cast<const char*>(info->pCode), info->codeSize};
    }
    return result;
}

void write(const VkComputePipelineCreateInfo& info)
{
    const char* folder = std::getenv("MILLRACE_TEST_PIPELINES");
    std::lock_guard lock(recorded().mutex);
    const std::string& words = recorded().modules[info.stage.module];
    const std::string layout = recorded().layouts[info.layout] + "entry " + info.stage.pName + '\n';
    if (!folder || words.empty() || !recorded().written.emplace(words, layout).second)
        return;
    const std::string path = std::string(folder) + '/' + std::to_string(recorded().written.size());
    std::ofstream(path + ".spv", std::ios::binary) << words;
    std::ofstream(path + ".layout") << layout;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    for (uint32_t i = 0; i < count; ++i)
        write(infos[i]);
    return tableOf(device).CreateComputePipelines(device, cache, count, infos, allocator, out);
}

using Functions = std::map<std::string, PFN_vkVoidFunction>;

const Functions& deviceFunctions()
{
    static const Functions functions = {
        {"vkCreateDescriptorSetLayout", reinterpret_cast<PFN_vkVoidFunction>(CreateDescriptorSetLayout)},
        {"vkCreatePipelineLayout", reinterpret_cast<PFN_vkVoidFunction>(CreatePipelineLayout)},
        {"vkCreateShaderModule", reinterpret_cast<PFN_vkVoidFunction>(CreateShaderModule)},
        {"vkCreateComputePipelines", reinterpret_cast<PFN_vkVoidFunction>(CreateComputePipelines)},
    };
    return functions;
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name)
{
    if (name == std::string("vkGetDeviceProcAddr"))
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    const auto found = deviceFunctions().find(name);
    return found != deviceFunctions().end() ? found->second : tableOf(device).GetDeviceProcAddr(device, name);
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name)
{
    static const Functions functions = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(CreateInstance)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(CreateDevice)},
    };
    if (const auto found = functions.find(name); found != functions.end())
        return found->second;
    if (const auto found = deviceFunctions().find(name); found != deviceFunctions().end())
        return found->second;
    std::lock_guard lock(recorded().mutex);
    return instance ? recorded().instances.at(keyOf(instance)).GetInstanceProcAddr(instance, name) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation)
{
    negotiation->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    negotiation->pfnGetInstanceProcAddr = getInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = getDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
