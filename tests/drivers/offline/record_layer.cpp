// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test, that writes down each compute and graphics pipeline which the driver is
// asked for: NUMBER.STAGE.spv for each shader, where STAGE is its VkShaderStageFlagBits, and NUMBER.pipeline, in the
// folder MILLRACE_TEST_PIPELINES, equal ones once. NUMBER.pipeline has lines of
//   binding SET BINDING VkDescriptorType COUNT
//   push BYTES
//   entry STAGE NAME
//   constant STAGE ID OFFSET BYTES, and data STAGE BYTES with each byte as a number: a specialization
//   topology VkPrimitiveTopology, patch POINTS, colors ATTACHMENTS, views MASK
//   vertices BINDING STRIDE VkVertexInputRate, attribute LOCATION BINDING VkFormat OFFSET
// Not written down are libraries of pipelines, pipelines of such, of the driver's own task and mesh shaders and with a
// dynamic vertex input, and shader objects.
#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <ostream>
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
            text << "binding " << set << ' ' << binding.binding << ' ' << binding.descriptorType << ' '
                 << binding.descriptorCount << '\n';
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

void describe(std::ostream& out, const VkPipelineShaderStageCreateInfo& stage)
{
    out << "entry " << stage.stage << ' ' << stage.pName << '\n';
    const VkSpecializationInfo* const values = stage.pSpecializationInfo;
    if (!values)
        return;
    for (uint32_t i = 0; i < values->mapEntryCount; ++i) {
        const VkSpecializationMapEntry& entry = values->pMapEntries[i];
        out << "constant " << stage.stage << ' ' << entry.constantID << ' ' << entry.offset << ' ' << entry.size
            << '\n';
    }
    out << "data " << stage.stage << ' ' << values->dataSize;
    for (size_t i = 0; i < values->dataSize; ++i)
        out << ' ' << uint32_t{static_cast<const uint8_t*>(values->pData)[i]};
    out << '\n';
}

void describe(std::ostream& out, const VkPipelineVertexInputStateCreateInfo& input)
{
    for (uint32_t i = 0; i < input.vertexBindingDescriptionCount; ++i) {
        const VkVertexInputBindingDescription& each = input.pVertexBindingDescriptions[i];
        out << "vertices " << each.binding << ' ' << each.stride << ' ' << each.inputRate << '\n';
    }
    for (uint32_t i = 0; i < input.vertexAttributeDescriptionCount; ++i) {
        const VkVertexInputAttributeDescription& each = input.pVertexAttributeDescriptions[i];
        out << "attribute " << each.location << ' ' << each.binding << ' ' << each.format << ' ' << each.offset << '\n';
    }
}

// The state on which shaders depend.
void describeState(std::ostream& out, const VkGraphicsPipelineCreateInfo& info)
{
    const auto* rendering = static_cast<const VkBaseInStructure*>(info.pNext);
    while (rendering && rendering->sType != VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO)
        rendering = rendering->pNext;
    if (info.renderPass == VK_NULL_HANDLE && rendering)
        out << "views " << reinterpret_cast<const VkPipelineRenderingCreateInfo*>(rendering)->viewMask << '\n';
    if (info.pInputAssemblyState)
        out << "topology " << info.pInputAssemblyState->topology << '\n';
    if (info.pTessellationState)
        out << "patch " << info.pTessellationState->patchControlPoints << '\n';
    if (info.pColorBlendState)
        out << "colors " << info.pColorBlendState->attachmentCount << '\n';
    if (info.pVertexInputState)
        describe(out, *info.pVertexInputState);
}

// Equal ones once.
void write(const VkPipelineShaderStageCreateInfo* stages, uint32_t count, const std::string& text)
{
    const char* folder = std::getenv("MILLRACE_TEST_PIPELINES");
    std::string all;
    for (uint32_t i = 0; i < count; ++i) {
        const std::string& words = recorded().modules[stages[i].module];
        if (words.empty())
            return;
        all += words;
    }
    if (!folder || !recorded().written.emplace(std::move(all), text).second)
        return;
    const std::string path = std::string(folder) + '/' + std::to_string(recorded().written.size()) + '.';
    for (uint32_t i = 0; i < count; ++i)
        std::ofstream(path + std::to_string(stages[i].stage) + ".spv", std::ios::binary)
            << recorded().modules[stages[i].module];
    std::ofstream(path + "pipeline") << text;
}

void write(const VkComputePipelineCreateInfo& info)
{
    std::lock_guard lock(recorded().mutex);
    std::ostringstream text;
    text << recorded().layouts[info.layout];
    describe(text, info.stage);
    write(&info.stage, 1, text.str());
}

bool isWhole(const VkGraphicsPipelineCreateInfo& info)
{
    for (auto* next = static_cast<const VkBaseInStructure*>(info.pNext); next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT ||
            next->sType == VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR)
            return false;
    for (uint32_t i = 0; info.pDynamicState && i < info.pDynamicState->dynamicStateCount; ++i)
        if (info.pDynamicState->pDynamicStates[i] == VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)
            return false;
    return std::any_of(info.pStages, info.pStages + info.stageCount,
                       [](const auto& each) { return each.stage == VK_SHADER_STAGE_VERTEX_BIT; });
}

void write(const VkGraphicsPipelineCreateInfo& info)
{
    if (!isWhole(info))
        return;
    std::lock_guard lock(recorded().mutex);
    std::ostringstream text;
    text << recorded().layouts[info.layout];
    for (uint32_t i = 0; i < info.stageCount; ++i)
        describe(text, info.pStages[i]);
    describeState(text, info);
    write(info.pStages, info.stageCount, text.str());
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    for (uint32_t i = 0; i < count; ++i)
        write(infos[i]);
    return tableOf(device).CreateComputePipelines(device, cache, count, infos, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    for (uint32_t i = 0; i < count; ++i)
        write(infos[i]);
    return tableOf(device).CreateGraphicsPipelines(device, cache, count, infos, allocator, out);
}

using Functions = std::map<std::string, PFN_vkVoidFunction>;

const Functions& deviceFunctions()
{
    static const Functions functions = {
        {"vkCreateDescriptorSetLayout", reinterpret_cast<PFN_vkVoidFunction>(CreateDescriptorSetLayout)},
        {"vkCreatePipelineLayout", reinterpret_cast<PFN_vkVoidFunction>(CreatePipelineLayout)},
        {"vkCreateShaderModule", reinterpret_cast<PFN_vkVoidFunction>(CreateShaderModule)},
        {"vkCreateComputePipelines", reinterpret_cast<PFN_vkVoidFunction>(CreateComputePipelines)},
        {"vkCreateGraphicsPipelines", reinterpret_cast<PFN_vkVoidFunction>(CreateGraphicsPipelines)},
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
