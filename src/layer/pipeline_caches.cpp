// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline_caches.h"

#include "layer/device.h"
#include "layer/entry_points.h"

namespace millrace::layer {

std::shared_ptr<const compiler::LoweredNode> PipelineCache::find(const ContentHash::Value& key) const
{
    std::lock_guard lock(m_mutex);
    auto found = m_nodes.find(key);
    return found == m_nodes.end() ? nullptr : found->second;
}

void PipelineCache::insert(const ContentHash::Value& key, std::shared_ptr<const compiler::LoweredNode> node)
{
    std::lock_guard lock(m_mutex);
    m_nodes.emplace(key, std::move(node));
}

std::shared_ptr<const compiler::FusedCode> PipelineCache::findFused(const ContentHash::Value& key) const
{
    std::lock_guard lock(m_mutex);
    auto found = m_fused.find(key);
    return found == m_fused.end() ? nullptr : found->second;
}

void PipelineCache::insertFused(const ContentHash::Value& key, std::shared_ptr<const compiler::FusedCode> code)
{
    std::lock_guard lock(m_mutex);
    m_fused.emplace(key, std::move(code));
}

void PipelineCache::merge(const PipelineCache& other)
{
    if (&other == this)
        return;
    std::scoped_lock lock(m_mutex, other.m_mutex);
    m_nodes.insert(other.m_nodes.begin(), other.m_nodes.end());
    m_fused.insert(other.m_fused.begin(), other.m_fused.end());
}

namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice handle, const VkPipelineCacheCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkPipelineCache* pCache)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.CreatePipelineCache(handle, pCreateInfo, pAllocator, pCache);
    if (result == VK_SUCCESS) {
        const bool external = pCreateInfo->flags & VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
        device.pipelineCaches.insert(handleId(*pCache), std::make_shared<PipelineCache>(external));
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineCache(VkDevice handle, VkPipelineCache cache,
                                                const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.pipelineCaches.remove(handleId(cache));
    device.table.DestroyPipelineCache(handle, cache, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL MergePipelineCaches(VkDevice handle, VkPipelineCache destination, uint32_t sourceCount,
                                                   const VkPipelineCache* pSources)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.MergePipelineCaches(handle, destination, sourceCount, pSources);
    PipelineCache* into = device.pipelineCaches.find(handleId(destination));
    for (uint32_t i = 0; into && result == VK_SUCCESS && i < sourceCount; ++i)
        if (const PipelineCache* source = device.pipelineCaches.find(handleId(pSources[i])))
            into->merge(*source);
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
