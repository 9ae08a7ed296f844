// SPDX-License-Identifier: Apache-2.0
// Queries that count task and mesh shaders of the layer's and their primitives (VkPhysicalDeviceMeshShaderFeaturesEXT::
// meshShaderQueries). Kernels add up in front of a render pass instance what its draws do.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/mesh.h"
#include "layer/objects/query_pools.h"
#include "runtime/memory.h"

namespace millrace::layer {

class MeshMemory;
struct Device;

// Statistics of pipelines that the driver does not know.
inline constexpr VkQueryPipelineStatisticFlags kMeshStatistics =
    VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
    VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT;

class MeshQueries final : public OwnQueries {
public:
    // `statistics`: 0 for queries of primitives.
    MeshQueries(const Device& device, VkQueryPipelineStatisticFlags statistics, uint32_t count)
        : m_device(device), m_statistics(statistics), m_count(count)
    {
    }
    // Creates the driver's pool as well.
    VkResult create(const VkQueryPoolCreateInfo& info, const VkAllocationCallbacks* allocator, VkQueryPool& pool);

    VkQueryPipelineStatisticFlags driverStatistics() const override { return m_statistics & ~kMeshStatistics; }
    void reset(CommandBuffer& commandBuffer, uint32_t first, uint32_t count) const override;
    void copyResults(CommandBuffer& commandBuffer, uint32_t first, uint32_t count, VkBuffer buffer, VkDeviceSize offset,
                     VkDeviceSize stride, VkQueryResultFlags flags) const override;
    void reset(uint32_t first, uint32_t count) const override;
    VkResult results(uint32_t first, uint32_t count, void* data, VkDeviceSize stride,
                     VkQueryResultFlags flags) const override;

    // Of abi::MeshQuerySums.
    uint64_t addressOf(uint32_t query) const { return m_sums.address() + query * sizeof(abi::MeshQuerySums); }

private:
    // Of a query: what the driver counts, and whether it is available.
    uint32_t driverValues() const;
    uint32_t values() const;
    VkQueryResultFlags driverFlags(VkQueryResultFlags flags) const;
    std::vector<uint64_t> valuesOf(uint32_t query, const uint64_t* drivers) const;

    const Device& m_device;
    const VkQueryPipelineStatisticFlags m_statistics;
    const uint32_t m_count;
    VkQueryPool m_pool = VK_NULL_HANDLE;  // the application's handle
    runtime::Buffer m_sums;               // abi::MeshQuerySums[]
};

class MeshQueryMaker final : public QueryMaker {
public:
    explicit MeshQueryMaker(const Device& device) : m_device(device) {}
    VkQueryPipelineStatisticFlags driverStatistics(VkQueryPipelineStatisticFlags statistics) const override
    {
        return statistics & ~kMeshStatistics;
    }
    VkResult create(const VkQueryPoolCreateInfo& info, const VkAllocationCallbacks* allocator, VkQueryPool* pool,
                    std::unique_ptr<OwnQueries>& out) override;

private:
    const Device& m_device;
};

// A draw that is listed counts in each query that is active, and in a secondary command buffer in those that may be
// where it is executed. `part`: the draw; sums and what was taken of them are filled in.
void countInQueries(CommandBuffer& commandBuffer, MeshMemory& memory, const abi::MeshQueryPart& part);
// Records what adds them up, behind the lists.
void recordQueryParts(CommandBuffer& commandBuffer, MeshMemory& memory);

}  // namespace millrace::layer
