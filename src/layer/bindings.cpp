// SPDX-License-Identifier: Apache-2.0
// Pipelines, descriptor sets and push constants.
#include <algorithm>

#include "layer/bind_points.h"
#include "layer/chain.h"
#include "layer/pipelines.h"
#include "layer/state_commands.h"
#include "layer/validate.h"
#include "layer/wrapped_struct.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kGraphPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint bindPoint, VkPipeline pipeline)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (bindPoint == kGraphPoint) {
        commandBuffer.graph.pipeline = findGraph(commandBuffer.device, pipeline, "vkCmdBindPipeline");
        return;
    }
    commandBuffer.device.table.CmdBindPipeline(commandBuffer.current, bindPoint, pipeline);
    if (commandBuffer.logs())
        logCall<&Table::CmdBindPipeline>(commandBuffer.log, {StateKind::Pipeline, keyOf(bindPoint)}, scopeOf(bindPoint),
                                         bindPoint, pipeline);
}

// A part of a pipeline, in place of one.
VKAPI_ATTR void VKAPI_CALL CmdBindPipelineShaderGroupNV(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                        VkPipeline pipeline, uint32_t group)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdBindPipelineShaderGroupNV(commandBuffer.current, bindPoint, pipeline, group);
    if (commandBuffer.logs())
        logCall<&Table::CmdBindPipelineShaderGroupNV>(commandBuffer.log, {StateKind::Pipeline, keyOf(bindPoint)},
                                                      scopeOf(bindPoint), bindPoint, pipeline, group);
}

void logSets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
             uint32_t count, const VkDescriptorSet* sets, uint32_t dynamicCount, const uint32_t* dynamicOffsets)
{
    struct Header {
        VkPipelineBindPoint bindPoint;
        VkPipelineLayout layout;
        uint32_t first;
        uint32_t count;
        uint32_t dynamicCount;
    };
    const Header header{bindPoint, layout, first, count, dynamicCount};
    const size_t setBytes = alignPayload(count * sizeof *sets);
    std::byte* payload = commandBuffer.log.add(
        {StateKind::DescriptorSets, keyOf(bindPoint), first, count}, scopeOf(bindPoint),
        [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
            const auto& value = *reinterpret_cast<const Header*>(bytes);
            const std::byte* storedSets = bytes + alignPayload(sizeof(Header));
            const std::byte* offsets = storedSets + alignPayload(value.count * sizeof(VkDescriptorSet));
            table.CmdBindDescriptorSets(target, value.bindPoint, value.layout, value.first, value.count,
                                        reinterpret_cast<const VkDescriptorSet*>(storedSets), value.dynamicCount,
                                        reinterpret_cast<const uint32_t*>(offsets));
        },
        alignPayload(sizeof header) + setBytes + dynamicCount * sizeof *dynamicOffsets);
    std::memcpy(payload, &header, sizeof header);
    payload += alignPayload(sizeof header);
    if (count > 0)
        std::memcpy(payload, sets, count * sizeof *sets);
    if (dynamicCount > 0)
        std::memcpy(payload + setBytes, dynamicOffsets, dynamicCount * sizeof *dynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                 VkPipelineLayout layout, uint32_t firstSet, uint32_t setCount,
                                                 const VkDescriptorSet* pSets, uint32_t dynamicOffsetCount,
                                                 const uint32_t* pDynamicOffsets)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (bindPoint == kGraphPoint) {
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, layout))
            commandBuffer.graph.bindSets(GraphBindings::Source::Named, *graphLayout, firstSet, setCount, pSets,
                                         dynamicOffsetCount, pDynamicOffsets);
        return;
    }
    commandBuffer.device.table.CmdBindDescriptorSets(commandBuffer.current, bindPoint, layout, firstSet, setCount,
                                                     pSets, dynamicOffsetCount, pDynamicOffsets);
    if (commandBuffer.logs())
        logSets(commandBuffer, bindPoint, layout, firstSet, setCount, pSets, dynamicOffsetCount, pDynamicOffsets);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL bindDescriptorSets2(VkCommandBuffer handle, const VkBindDescriptorSetsInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
    if (!commandBuffer.logs())
        return;
    const VkBindDescriptorSetsInfo& info = *pInfo;
    // The calls that set it again have no chain.
    if (info.layout)
        commandBuffer.cannotKeep("vkCmdBindDescriptorSets2", unknownStructures(info.pNext));
    if (!info.layout) {
        // The layout is chained instead (dynamicPipelineLayout); execution graphs need a layout object.
        logWrapped<Member>(commandBuffer, "vkCmdBindDescriptorSets2",
                           {StateKind::DescriptorSets, keyOf(info.stageFlags), info.firstSet, info.descriptorSetCount},
                           scopeOf(info.stageFlags), info);
        return;
    }
    for (VkPipelineBindPoint bindPoint : bindPointsOf(info.stageFlags))
        logSets(commandBuffer, bindPoint, info.layout, info.firstSet, info.descriptorSetCount, info.pDescriptorSets,
                info.dynamicOffsetCount, info.pDynamicOffsets);
    if (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, info.layout))
            commandBuffer.graph.bindSets(GraphBindings::Source::Stages, *graphLayout, info.firstSet,
                                         info.descriptorSetCount, info.pDescriptorSets, info.dynamicOffsetCount,
                                         info.pDynamicOffsets);
}

// Nodes see the push constants of the compute stage, as in any compute shader; Vulkan has no bind point for them.
void shadowPushConstants(CommandBuffer& commandBuffer, VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                         const void* values)
{
    if (!(stages & VK_SHADER_STAGE_COMPUTE_BIT))
        return;
    std::vector<uint8_t>& bytes = commandBuffer.pushConstants;
    bytes.resize(std::max<size_t>(bytes.size(), offset + size));
    std::memcpy(bytes.data() + offset, values, size);
}

void logPushConstants(CommandBuffer& commandBuffer, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset,
                      uint32_t size, const void* values)
{
    struct Header {
        VkPipelineLayout layout;
        VkShaderStageFlags stages;
        uint32_t offset;
        uint32_t size;
    };
    const Header header{layout, stages, offset, size};
    const StateKey key{StateKind::PushConstants, stages, offset, size};
    std::byte* payload = commandBuffer.log.add(
        key, kScopePushConstants,
        [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
            const auto& value = *reinterpret_cast<const Header*>(bytes);
            table.CmdPushConstants(target, value.layout, value.stages, value.offset, value.size,
                                   bytes + alignPayload(sizeof(Header)));
        },
        alignPayload(sizeof header) + size);
    std::memcpy(payload, &header, sizeof header);
    std::memcpy(payload + alignPayload(sizeof header), values, size);
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                            VkShaderStageFlags stageFlags, uint32_t offset, uint32_t size,
                                            const void* pValues)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdPushConstants(commandBuffer.current, layout, stageFlags, offset, size, pValues);
    if (!commandBuffer.logs())
        return;
    shadowPushConstants(commandBuffer, stageFlags, offset, size, pValues);
    logPushConstants(commandBuffer, layout, stageFlags, offset, size, pValues);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushConstants2(VkCommandBuffer handle, const VkPushConstantsInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
    if (!commandBuffer.logs())
        return;
    if (pInfo->layout)
        commandBuffer.cannotKeep("vkCmdPushConstants2", unknownStructures(pInfo->pNext));
    shadowPushConstants(commandBuffer, pInfo->stageFlags, pInfo->offset, pInfo->size, pInfo->pValues);
    if (pInfo->layout)
        logPushConstants(commandBuffer, pInfo->layout, pInfo->stageFlags, pInfo->offset, pInfo->size, pInfo->pValues);
    else
        logWrapped<Member>(commandBuffer, "vkCmdPushConstants2",
                           {StateKind::PushConstants, pInfo->stageFlags, pInfo->offset, pInfo->size},
                           kScopePushConstants, *pInfo);
}

}  // namespace

EntryPoints bindingEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdBindPipeline, kUseGraphs),
        MILLRACE_ENTRY(CmdBindPipelineShaderGroupNV, kUseGraphs),
        MILLRACE_ENTRY(CmdBindDescriptorSets, kUseGraphs),
        {"vkCmdBindDescriptorSets2", guarded<&bindDescriptorSets2<&Table::CmdBindDescriptorSets2>>(), kUseGraphs},
        {"vkCmdBindDescriptorSets2KHR", guarded<&bindDescriptorSets2<&Table::CmdBindDescriptorSets2KHR>>(), kUseGraphs},
        MILLRACE_ENTRY(CmdPushConstants, kUseGraphs),
        {"vkCmdPushConstants2", guarded<&pushConstants2<&Table::CmdPushConstants2>>(), kUseGraphs},
        {"vkCmdPushConstants2KHR", guarded<&pushConstants2<&Table::CmdPushConstants2KHR>>(), kUseGraphs},
    };
    return entries;
}

}  // namespace millrace::layer
