// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pipeline_caches.h"

#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

// Nodes are compiled on threads of ours, where a driver may want more memory for the cache.
VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkPipelineCache* pCache)
{
    Device& device = Device::of(handle);
    const VkResult result =
        device.table.CreatePipelineCache(handle, pCreateInfo, device.allocatorFor(pAllocator), pCache);
    if (result == VK_SUCCESS) {
        const bool external = pCreateInfo->flags & VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
        rememberOrUndo(
            [&] { device.table.DestroyPipelineCache(handle, *pCache, device.allocatorFor(pAllocator)); },
            [&] { device.pipelineCaches.insert(handleId(*pCache), std::make_shared<PipelineCache>(external)); });
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineCache(VkDevice handle, VkPipelineCache cache,
                                                const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.pipelineCaches.remove(handleId(cache));
    device.table.DestroyPipelineCache(handle, cache, device.allocatorFor(pAllocator));
}

VKAPI_ATTR VkResult VKAPI_CALL MergePipelineCaches(VkDevice handle, VkPipelineCache destination, uint32_t sourceCount,
                                                   const VkPipelineCache* pSources)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.MergePipelineCaches(handle, destination, sourceCount, pSources);
    PipelineCache* into = device.pipelineCaches.find(handleId(destination));
    for (uint32_t i = 0; into && result == VK_SUCCESS && i < sourceCount; ++i) {
        if (const PipelineCache* source = device.pipelineCaches.find(handleId(pSources[i]))) {
            into->modules.merge(source->modules);
            into->prepared.merge(source->prepared);
            into->fused.merge(source->fused);
        }
    }
    return result;
}

}  // namespace

EntryPoints pipelineCacheEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreatePipelineCache, kUseGraphs),
        MILLRACE_ENTRY(DestroyPipelineCache, kUseGraphs),
        MILLRACE_ENTRY(MergePipelineCaches, kUseGraphs),
    };
    return entries;
}

}  // namespace millrace::layer
