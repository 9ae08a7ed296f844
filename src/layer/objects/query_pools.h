// SPDX-License-Identifier: Apache-2.0
// Query pools of the application.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

namespace millrace::layer {

struct CommandBuffer;

// Queries of which a feature counts something, beside the driver or alone. The driver has a pool with as many of them:
// of what it counts itself, or of timestamps, that say when a query has ended.
class OwnQueries {
public:
    virtual ~OwnQueries() = default;
    // What is counted by the driver; 0: nothing, and its pool is one of timestamps.
    virtual VkQueryPipelineStatisticFlags driverStatistics() const = 0;

    // Records vkCmdResetQueryPool and vkCmdCopyQueryPoolResults.
    virtual void reset(CommandBuffer& commandBuffer, uint32_t first, uint32_t count) const = 0;
    virtual void copyResults(CommandBuffer& commandBuffer, uint32_t first, uint32_t count, VkBuffer buffer,
                             VkDeviceSize offset, VkDeviceSize stride, VkQueryResultFlags flags) const = 0;
    // vkResetQueryPool and vkGetQueryPoolResults.
    virtual void reset(uint32_t first, uint32_t count) const = 0;
    virtual VkResult results(uint32_t first, uint32_t count, void* data, VkDeviceSize stride,
                             VkQueryResultFlags flags) const = 0;
};

// Called during the application's commands, on their threads.
class QueryMaker {
public:
    // Of those, what the driver knows.
    virtual VkQueryPipelineStatisticFlags driverStatistics(VkQueryPipelineStatisticFlags statistics) const = 0;
    // Null with VK_SUCCESS: all of it is the driver's. Else the driver's pool is created.
    virtual VkResult create(const VkQueryPoolCreateInfo& info, const VkAllocationCallbacks* allocator,
                            VkQueryPool* pool, std::unique_ptr<OwnQueries>& out) = 0;

protected:
    ~QueryMaker() = default;
};

struct QueryPool {
    VkQueryType type;
    VkQueryPipelineStatisticFlags statistics;  // of pipelines, as the driver counts them
    std::unique_ptr<OwnQueries> own{};         // null: the driver counts all

    // True if the driver has a query that begins and ends with the application's.
    bool isDrivers() const { return !own || own->driverStatistics() != 0; }
    // True if nothing counts that is recorded outside of render pass instances.
    bool countsOnlyDraws() const;
};

}  // namespace millrace::layer
