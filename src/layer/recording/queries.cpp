// SPDX-License-Identifier: Apache-2.0
// Queries: those of the driver's, and such as a feature counts in.
#include <algorithm>

#include "layer/loader/entry_points.h"
#include "layer/objects/query_pools.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

void begin(const CommandBuffer& commandBuffer, const ActiveQuery& query)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    if (query.isIndexed)
        table.CmdBeginQueryIndexedEXT(commandBuffer.current, query.pool, query.query, query.flags, query.index);
    else
        table.CmdBeginQuery(commandBuffer.current, query.pool, query.query, query.flags);
}

// What was drawn before does not count in it.
void addOwn(CommandBuffer& commandBuffer, const QueryPool* pool, uint32_t query)
{
    if (!pool || !pool->own)
        return;
    commandBuffer.current.recordPutOff();
    commandBuffer.rendering.ownQueries.push_back({pool->own.get(), query});
}

void addQuery(CommandBuffer& commandBuffer, ActiveQuery query)
{
    RenderingScope& scope = commandBuffer.rendering;
    const Device& device = commandBuffer.device;
    const QueryPool* const pool = device.queryPools.find(handleId(query.pool));
    addOwn(commandBuffer, pool, query.query);
    if (pool && !pool->isDrivers())
        return;
    query.inRendering = scope.inside();
    const bool mayHaveFronts = device.needsFronts || device.needsPassFronts;
    query.isHeld = mayHaveFronts && commandBuffer.primary && !query.inRendering && pool && pool->countsOnlyDraws();
    if (!query.isHeld)
        begin(commandBuffer, query);
    scope.queries.push_back(query);
}

// Returns whether the driver has begun it. Where it has not, the timestamp is there when all in front has run: what a
// feature counts, it counts in front of what draws.
bool removeQuery(CommandBuffer& commandBuffer, VkQueryPool handle, uint32_t query, uint32_t index)
{
    RenderingScope& scope = commandBuffer.rendering;
    const Device& device = commandBuffer.device;
    const QueryPool* const pool = device.queryPools.find(handleId(handle));
    if (pool && pool->own) {
        commandBuffer.current.recordPutOff();
        std::erase(scope.ownQueries, ActiveOwnQuery{pool->own.get(), query});
    }
    if (pool && !pool->isDrivers()) {
        device.table.CmdWriteTimestamp(commandBuffer.current, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, handle, query);
        return false;
    }
    beginHeldQueries(commandBuffer);
    std::erase_if(scope.queries, [=](const ActiveQuery& active) {
        return active.pool == handle && active.query == query && active.index == index;
    });
    return true;
}

VKAPI_ATTR void VKAPI_CALL CmdBeginQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
                                         VkQueryControlFlags flags)
{
    addQuery(CommandBuffer::of(handle), {.pool = pool, .query = query, .flags = flags});
}

VKAPI_ATTR void VKAPI_CALL CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (removeQuery(commandBuffer, pool, query, 0))
        commandBuffer.device.table.CmdEndQuery(commandBuffer.current, pool, query);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
                                                   VkQueryControlFlags flags, uint32_t index)
{
    addQuery(CommandBuffer::of(handle),
             {.pool = pool, .query = query, .index = index, .isIndexed = true, .flags = flags});
}

VKAPI_ATTR void VKAPI_CALL CmdEndQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
                                                 uint32_t index)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (removeQuery(commandBuffer, pool, query, index))
        commandBuffer.device.table.CmdEndQueryIndexedEXT(commandBuffer.current, pool, query, index);
}

VKAPI_ATTR void VKAPI_CALL CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool queryPool, uint32_t first,
                                             uint32_t count)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Device& device = commandBuffer.device;
    device.table.CmdResetQueryPool(commandBuffer.current, queryPool, first, count);
    const QueryPool* const pool = device.queryPools.find(handleId(queryPool));
    if (pool && pool->own)
        pool->own->reset(commandBuffer, first, count);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool queryPool, uint32_t first,
                                                   uint32_t count, VkBuffer buffer, VkDeviceSize offset,
                                                   VkDeviceSize stride, VkQueryResultFlags flags)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Device& device = commandBuffer.device;
    const QueryPool* const pool = device.queryPools.find(handleId(queryPool));
    if (pool && pool->own)
        pool->own->copyResults(commandBuffer, first, count, buffer, offset, stride, flags);
    else
        device.table.CmdCopyQueryPoolResults(commandBuffer.current, queryPool, first, count, buffer, offset, stride,
                                             flags);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL resetOnHost(VkDevice handle, VkQueryPool queryPool, uint32_t first, uint32_t count)
{
    const Device& device = Device::of(handle);
    (device.table.*Member)(handle, queryPool, first, count);
    const QueryPool* const pool = device.queryPools.find(handleId(queryPool));
    if (pool && pool->own)
        pool->own->reset(first, count);
}

}  // namespace

void beginHeldQueries(CommandBuffer& commandBuffer)
{
    for (ActiveQuery& query : commandBuffer.rendering.queries) {
        if (query.isHeld)
            begin(commandBuffer, query);
        query.isHeld = false;
    }
}

EntryPoints queryEntryPoints()
{
    using Table = VkuDeviceDispatchTable;
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdBeginQuery, kUseState),
        MILLRACE_ENTRY(CmdEndQuery, kUseState),
        MILLRACE_ENTRY(CmdBeginQueryIndexedEXT, kUseState),
        MILLRACE_ENTRY(CmdEndQueryIndexedEXT, kUseState),
        MILLRACE_ENTRY(CmdResetQueryPool, kUseStreams),
        MILLRACE_ENTRY(CmdCopyQueryPoolResults, kUseStreams),
        {"vkResetQueryPool", guarded<&resetOnHost<&Table::ResetQueryPool>>(), kUseMesh},
        {"vkResetQueryPoolEXT", guarded<&resetOnHost<&Table::ResetQueryPoolEXT>>(), kUseMesh},
    };
    return entries;
}

}  // namespace millrace::layer
