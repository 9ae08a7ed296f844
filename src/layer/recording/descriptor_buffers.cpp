// SPDX-License-Identifier: Apache-2.0
// VK_EXT_descriptor_buffer.
#include <deque>

#include "layer/chains/chain_copy.h"
#include "layer/objects/buffers.h"
#include "layer/objects/driver_stages.h"
#include "layer/recording/bind_points.h"
#include "layer/recording/state_commands.h"
#include "layer/recording/wrapped_struct.h"

namespace millrace::layer {

namespace {

using Source = GraphBindings::Source;
using BufferBinding = DriverBufferUsage<VkDescriptorBufferBindingInfoEXT>;

// Bound for all bind points at once. The structures are translated for the driver and kept that way.
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBuffersEXT(VkCommandBuffer handle, uint32_t count,
                                                       const VkDescriptorBufferBindingInfoEXT* pInfos)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    struct Bindings {
        std::vector<ChainCopy> chains;
        std::vector<VkDescriptorBufferBindingInfoEXT> infos;
    };
    const UsageRules rules = usageRules(commandBuffer.device);
    std::deque<BufferBinding> translated;
    std::vector<VkDescriptorBufferBindingInfoEXT> infos;
    for (uint32_t i = 0; i < count; ++i) {
        infos.push_back(*translated.emplace_back(pInfos[i], rules).get());
        commandBuffer.device.tellLost("vkCmdBindDescriptorBuffersEXT", translated.back().lost());
    }
    commandBuffer.device.table.CmdBindDescriptorBuffersEXT(commandBuffer.current.forState(), count, infos.data());
    if (!commandBuffer.logs)
        return;
    auto kept = std::make_shared<Bindings>();
    for (const VkDescriptorBufferBindingInfoEXT& info : infos) {
        kept->chains.emplace_back(info.pNext);
        kept->infos.push_back(info);
        kept->infos.back().pNext = const_cast<void*>(kept->chains.back().get());
        commandBuffer.cannotKeep("vkCmdBindDescriptorBuffersEXT",
                                 missingStructures(info.pNext, kept->chains.back().get()));
    }
    const VkDescriptorBufferBindingInfoEXT* keptInfos = kept->infos.data();
    // Offsets that were set before are not valid any more (VK_EXT_descriptor_buffer): in the log they would come in
    // front of the buffers.
    commandBuffer.log.clear(kScopeBufferOffsets);
    commandBuffer.graph.clearBufferOffsets();
    logOwned<&Table::CmdBindDescriptorBuffersEXT>(commandBuffer.log, {StateKind::DescriptorBuffers},
                                                  kScopeDescriptorBuffers, std::move(kept), count, keptInfos);
}

void logOffsets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                uint32_t count, const uint32_t* indices, const VkDeviceSize* offsets)
{
    struct Payload {
        VkPipelineBindPoint bindPoint;
        VkPipelineLayout layout;
        uint32_t set;
        uint32_t index;
        VkDeviceSize offset;
    };
    for (uint32_t i = 0; i < count; ++i) {
        const Payload payload{bindPoint, layout, first + i, indices[i], offsets[i]};
        std::byte* stored = commandBuffer.log.add(
            {StateKind::DescriptorSets, keyOf(bindPoint), first + i, 1}, scopeOf(bindPoint) | kScopeBufferOffsets,
            [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
                const auto& value = *reinterpret_cast<const Payload*>(bytes);
                table.CmdSetDescriptorBufferOffsetsEXT(target, value.bindPoint, value.layout, value.set, 1,
                                                       &value.index, &value.offset);
            },
            sizeof payload);
        std::memcpy(stored, &payload, sizeof payload);
    }
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                            VkPipelineLayout layout, uint32_t firstSet, uint32_t count,
                                                            const uint32_t* pIndices, const VkDeviceSize* pOffsets)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (bindPoint == kGraphPoint) {
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, layout))
            commandBuffer.graph.setBufferOffsets(Source::Named, *graphLayout, firstSet, count, pIndices, pOffsets);
        return;
    }
    commandBuffer.device.table.CmdSetDescriptorBufferOffsetsEXT(commandBuffer.current.forState(), bindPoint, layout,
                                                                firstSet, count, pIndices, pOffsets);
    if (commandBuffer.logs)
        logOffsets(commandBuffer, bindPoint, layout, firstSet, count, pIndices, pOffsets);
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer handle,
                                                             const VkSetDescriptorBufferOffsetsInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkSetDescriptorBufferOffsetsInfoEXT info = withDriverStages(commandBuffer.device, *pInfo);
    commandBuffer.device.table.CmdSetDescriptorBufferOffsets2EXT(commandBuffer.current.forState(), &info);
    if (!commandBuffer.logs)
        return;
    if (info.layout)
        commandBuffer.cannotKeep("vkCmdSetDescriptorBufferOffsets2EXT", unknownStructures(info.pNext));
    if (!info.layout) {
        logWrapped<&Table::CmdSetDescriptorBufferOffsets2EXT>(
            commandBuffer, "vkCmdSetDescriptorBufferOffsets2EXT",
            {StateKind::DescriptorSets, keyOf(info.stageFlags), info.firstSet, info.setCount},
            scopeOf(info.stageFlags) | kScopeBufferOffsets, info);
        return;
    }
    for (VkPipelineBindPoint bindPoint : bindPointsOf(commandBuffer.pool, info.stageFlags))
        logOffsets(commandBuffer, bindPoint, info.layout, info.firstSet, info.setCount, info.pBufferIndices,
                   info.pOffsets);
    if (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, info.layout))
            commandBuffer.graph.setBufferOffsets(Source::Stages, *graphLayout, info.firstSet, info.setCount,
                                                 info.pBufferIndices, info.pOffsets);
}

void logSamplers(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t set)
{
    logCall<&Table::CmdBindDescriptorBufferEmbeddedSamplersEXT>(commandBuffer.log,
                                                                {StateKind::DescriptorSets, keyOf(bindPoint), set, 1},
                                                                scopeOf(bindPoint), bindPoint, layout, set);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer handle,
                                                                      VkPipelineBindPoint bindPoint,
                                                                      VkPipelineLayout layout, uint32_t set)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (bindPoint == kGraphPoint) {
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, layout))
            commandBuffer.graph.bindEmbeddedSamplers(Source::Named, *graphLayout, set);
        return;
    }
    commandBuffer.device.table.CmdBindDescriptorBufferEmbeddedSamplersEXT(commandBuffer.current.forState(), bindPoint,
                                                                          layout, set);
    if (commandBuffer.logs)
        logSamplers(commandBuffer, bindPoint, layout, set);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer handle, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkBindDescriptorBufferEmbeddedSamplersInfoEXT info = withDriverStages(commandBuffer.device, *pInfo);
    commandBuffer.device.table.CmdBindDescriptorBufferEmbeddedSamplers2EXT(commandBuffer.current.forState(), &info);
    if (!commandBuffer.logs)
        return;
    if (info.layout)
        commandBuffer.cannotKeep("vkCmdBindDescriptorBufferEmbeddedSamplers2EXT", unknownStructures(info.pNext));
    if (!info.layout) {
        logWrapped<&Table::CmdBindDescriptorBufferEmbeddedSamplers2EXT>(
            commandBuffer, "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT",
            {StateKind::DescriptorSets, keyOf(info.stageFlags), info.set, 1}, scopeOf(info.stageFlags), info);
        return;
    }
    for (VkPipelineBindPoint bindPoint : bindPointsOf(commandBuffer.pool, info.stageFlags))
        logSamplers(commandBuffer, bindPoint, info.layout, info.set);
    if (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, info.layout))
            commandBuffer.graph.bindEmbeddedSamplers(Source::Stages, *graphLayout, info.set);
}

}  // namespace

EntryPoints descriptorBufferEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdBindDescriptorBuffersEXT, kUseState),
        MILLRACE_ENTRY(CmdSetDescriptorBufferOffsetsEXT, kUseState),
        MILLRACE_ENTRY(CmdSetDescriptorBufferOffsets2EXT, kUseState),
        MILLRACE_ENTRY(CmdBindDescriptorBufferEmbeddedSamplersEXT, kUseState),
        MILLRACE_ENTRY(CmdBindDescriptorBufferEmbeddedSamplers2EXT, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
