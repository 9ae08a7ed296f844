// SPDX-License-Identifier: Apache-2.0
// Queries that take any pipeline, on devices with graphs. A pipeline of ours answers for the compute pipelines of its
// nodes, in order.
#include <algorithm>
#include <cstring>

#include "layer/base/content_hash.h"
#include "layer/chains/chain.h"
#include "layer/graphs/pipelines.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

std::vector<VkPipelineExecutablePropertiesKHR> executablesOf(const Device& device, const NodePipeline& node)
{
    VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
    info.pipeline = node.code->usual();
    if (!info.pipeline)  // nothing reaches the node
        return {};
    uint32_t count = 0;
    device.table.GetPipelineExecutablePropertiesKHR(device.handle, &info, &count, nullptr);
    std::vector<VkPipelineExecutablePropertiesKHR> properties(count,
                                                              {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
    device.table.GetPipelineExecutablePropertiesKHR(device.handle, &info, &count, properties.data());
    properties.resize(count);
    return properties;
}

// The node's pipeline in place of ours; `index` counts the executables of all nodes.
bool locate(const Device& device, const GraphObject& object, uint32_t index, VkPipelineExecutableInfoKHR& info)
{
    for (const std::shared_ptr<NodePipeline>& node : object.nodes) {
        const auto count = static_cast<uint32_t>(executablesOf(device, *node).size());
        if (index < count) {
            info.pipeline = node->code->usual();
            info.executableIndex = index;
            return true;
        }
        index -= count;
    }
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutablePropertiesKHR(VkDevice handle, const VkPipelineInfoKHR* pInfo,
                                                                  uint32_t* pCount,
                                                                  VkPipelineExecutablePropertiesKHR* pProperties)
{
    Device& device = Device::of(handle);
    const GraphObject* object = device.graphObjects.find(handleId(pInfo->pipeline));
    if (!object)
        return device.table.GetPipelineExecutablePropertiesKHR(handle, pInfo, pCount, pProperties);
    std::vector<VkPipelineExecutablePropertiesKHR> all;
    for (const std::shared_ptr<NodePipeline>& node : object->nodes)
        for (const VkPipelineExecutablePropertiesKHR& properties : executablesOf(device, *node))
            all.push_back(properties);
    const auto available = static_cast<uint32_t>(all.size());
    if (!pProperties) {
        *pCount = available;
        return VK_SUCCESS;
    }
    *pCount = std::min(*pCount, available);
    for (uint32_t i = 0; i < *pCount; ++i) {
        all[i].pNext = pProperties[i].pNext;
        pProperties[i] = all[i];
    }
    return *pCount < available ? VK_INCOMPLETE : VK_SUCCESS;
}

template <typename Item, typename Next>
VkResult getOfExecutable(VkDevice handle, const VkPipelineExecutableInfoKHR* pInfo, uint32_t* pCount, Item* pItems,
                         const Next& next)
{
    Device& device = Device::of(handle);
    const GraphObject* object = device.graphObjects.find(handleId(pInfo->pipeline));
    VkPipelineExecutableInfoKHR info = *pInfo;
    if (object && !locate(device, *object, pInfo->executableIndex, info)) {
        *pCount = 0;
        return VK_SUCCESS;
    }
    return next(device)(handle, &info, pCount, pItems);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableStatisticsKHR(VkDevice handle,
                                                                  const VkPipelineExecutableInfoKHR* pInfo,
                                                                  uint32_t* pCount,
                                                                  VkPipelineExecutableStatisticKHR* pStatistics)
{
    return getOfExecutable(handle, pInfo, pCount, pStatistics,
                           [](Device& device) { return device.table.GetPipelineExecutableStatisticsKHR; });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice handle, const VkPipelineExecutableInfoKHR* pInfo, uint32_t* pCount,
    VkPipelineExecutableInternalRepresentationKHR* pRepresentations)
{
    return getOfExecutable(handle, pInfo, pCount, pRepresentations,
                           [](Device& device) { return device.table.GetPipelineExecutableInternalRepresentationsKHR; });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelinePropertiesEXT(VkDevice handle, const VkPipelineInfoEXT* pInfo,
                                                        VkBaseOutStructure* pProperties)
{
    Device& device = Device::of(handle);
    const GraphObject* object = device.graphObjects.find(handleId(pInfo->pipeline));
    if (!object)
        return device.table.GetPipelinePropertiesEXT(handle, pInfo, pProperties);
    auto* identifier = findInChain<VkPipelinePropertiesIdentifierEXT>(
        static_cast<void*>(pProperties), VK_STRUCTURE_TYPE_PIPELINE_PROPERTIES_IDENTIFIER_EXT);
    ContentHash hash;
    const auto addLong = [&](uint64_t value) {
        hash.addWord(static_cast<uint32_t>(value));
        hash.addWord(static_cast<uint32_t>(value >> 32));
    };
    addLong(object->flags);
    for (const std::shared_ptr<NodePipeline>& node : object->nodes) {
        for (const uint64_t part : node->content)
            addLong(part);
        hash.add(node->node.declared.id.name);
        hash.addWord(node->node.declared.id.index);
        hash.add(node->node.declared.entryPoint);
    }
    if (identifier) {
        static_assert(sizeof(ContentHash::Value) == VK_UUID_SIZE);
        std::memcpy(identifier->pipelineIdentifier, hash.value().data(), VK_UUID_SIZE);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetShaderInfoAMD(VkDevice handle, VkPipeline pipeline, VkShaderStageFlagBits stage,
                                                VkShaderInfoTypeAMD infoType, size_t* pInfoSize, void* pInfo)
{
    Device& device = Device::of(handle);
    if (device.graphObjects.find(handleId(pipeline)))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    return device.table.GetShaderInfoAMD(handle, pipeline, stage, infoType, pInfoSize, pInfo);
}

// Execution graphs have no binaries: what the layer makes of them is not one pipeline.
bool isGraph(const void* chain)
{
    return findInChain<VkBaseInStructure>(chain, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
}

VkResult refuseBinaries(const Device& device)
{
    device.messages().error("Millrace-pipeline-binary", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                            "pipeline binaries of execution graphs and their libraries are not supported",
                            "Use a VkPipelineCache for them");
    return VK_ERROR_UNKNOWN;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineKeyKHR(VkDevice handle, const VkPipelineCreateInfoKHR* pCreateInfo,
                                                 VkPipelineBinaryKeyKHR* pKey)
{
    Device& device = Device::of(handle);
    if (pCreateInfo && isGraph(pCreateInfo->pNext))
        return refuseBinaries(device);
    return device.table.GetPipelineKeyKHR(handle, pCreateInfo, pKey);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineBinariesKHR(VkDevice handle,
                                                         const VkPipelineBinaryCreateInfoKHR* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkPipelineBinaryHandlesInfoKHR* pBinaries)
{
    Device& device = Device::of(handle);
    if (device.graphObjects.find(handleId(pCreateInfo->pipeline)) ||
        (pCreateInfo->pPipelineCreateInfo && isGraph(pCreateInfo->pPipelineCreateInfo->pNext)))
        return refuseBinaries(device);
    return device.table.CreatePipelineBinariesKHR(handle, pCreateInfo, pAllocator, pBinaries);
}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseCapturedPipelineDataKHR(VkDevice handle,
                                                              const VkReleaseCapturedPipelineDataInfoKHR* pInfo,
                                                              const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    if (device.graphObjects.find(handleId(pInfo->pipeline)))
        return VK_SUCCESS;
    return device.table.ReleaseCapturedPipelineDataKHR(handle, pInfo, pAllocator);
}

}  // namespace

EntryPoints pipelineQueryEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetPipelineExecutablePropertiesKHR, kUseGraphs),
        MILLRACE_ENTRY(GetPipelineExecutableStatisticsKHR, kUseGraphs),
        MILLRACE_ENTRY(GetPipelineExecutableInternalRepresentationsKHR, kUseGraphs),
        MILLRACE_ENTRY(GetPipelinePropertiesEXT, kUseGraphs),
        MILLRACE_ENTRY(GetShaderInfoAMD, kUseGraphs),
        MILLRACE_ENTRY(GetPipelineKeyKHR, kUseGraphs),
        MILLRACE_ENTRY(CreatePipelineBinariesKHR, kUseGraphs),
        MILLRACE_ENTRY(ReleaseCapturedPipelineDataKHR, kUseGraphs),
    };
    return entries;
}

}  // namespace millrace::layer
