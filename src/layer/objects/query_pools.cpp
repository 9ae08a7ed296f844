// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/query_pools.h"

#include <memory>

#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateQueryPool(VkDevice handle, const VkQueryPoolCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks* pAllocator, VkQueryPool* pQueryPool)
{
    Device& device = Device::of(handle);
    auto own = std::make_shared<QueryPool>(QueryPool{pCreateInfo->queryType, pCreateInfo->pipelineStatistics});
    VkResult result = VK_SUCCESS;
    if (device.queryMaker)
        result = device.queryMaker->create(*pCreateInfo, pAllocator, pQueryPool, own->own);
    if (own->own)
        own->statistics = own->own->driverStatistics();
    else if (result == VK_SUCCESS)
        result = device.table.CreateQueryPool(handle, pCreateInfo, pAllocator, pQueryPool);
    if (result == VK_SUCCESS)
        rememberOrUndo([&] { device.table.DestroyQueryPool(handle, *pQueryPool, pAllocator); },
                       [&] { device.queryPools.insert(handleId(*pQueryPool), std::move(own)); });
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyQueryPool(VkDevice handle, VkQueryPool queryPool,
                                            const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.queryPools.remove(handleId(queryPool));
    device.table.DestroyQueryPool(handle, queryPool, pAllocator);
}

}  // namespace

// Statistics that compute shaders do not have; those of newer headers may be anything.
bool QueryPool::countsOnlyDraws() const
{
    constexpr VkQueryPipelineStatisticFlags kOfDraws =
        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
        VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |
        VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT | VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT |
        VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_EVALUATION_SHADER_INVOCATIONS_BIT;
    switch (type) {
        case VK_QUERY_TYPE_OCCLUSION:
        case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
        case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
            return true;
        case VK_QUERY_TYPE_PIPELINE_STATISTICS:
            return (statistics & ~kOfDraws) == 0;
        default:
            return false;
    }
}

EntryPoints queryPoolEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateQueryPool, kUseState),
        MILLRACE_ENTRY(DestroyQueryPool, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
