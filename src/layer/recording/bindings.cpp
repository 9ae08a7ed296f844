// SPDX-License-Identifier: Apache-2.0
// Pipelines, descriptor sets and push constants.
#include <algorithm>

#include "layer/chains/chain.h"
#include "layer/objects/driver_stages.h"
#include "layer/objects/own_pipelines.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/objects/pipeline_observer.h"
#include "layer/recording/bind_points.h"
#include "layer/recording/state_commands.h"
#include "layer/recording/vertex_state.h"
#include "layer/recording/wrapped_struct.h"

namespace millrace::layer {

namespace {

// A pipeline with mesh shaders has no vertex input and no topology, so that those which are set stay set. In the driver
// it has, and loses them.
void setVertexStateAgain(CommandBuffer& commandBuffer, VkPipeline next)
{
    const Device& device = commandBuffer.device;
    const bool isMade = device.pipelineMaker->isMade(next);
    if (commandBuffer.lostVertexState && !isMade)
        restoreVertexState(commandBuffer.log, device.table, commandBuffer.current.forState());
    commandBuffer.lostVertexState = isMade;
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint bindPoint, VkPipeline pipeline)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (bindPoint == kGraphPoint) {
        commandBuffer.graph.pipeline = commandBuffer.device.ownPipelines->findBindable(pipeline);
        return;
    }
    if (bindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS && commandBuffer.device.pipelineMaker)
        setVertexStateAgain(commandBuffer, pipeline);
    commandBuffer.device.table.CmdBindPipeline(commandBuffer.current.forState(), bindPoint, pipeline);
    if (commandBuffer.logs)
        commandBuffer.bound.bindPipeline(bindPoint, pipeline);
}

// A part of a pipeline, in place of one.
VKAPI_ATTR void VKAPI_CALL CmdBindPipelineShaderGroupNV(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                        VkPipeline pipeline, uint32_t group)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesTokenStreams()) {
        const VkPipeline part = commandBuffer.device.pipelineObserver->findPart(pipeline, group);
        if (part)
            CmdBindPipeline(handle, bindPoint, part);
        return;
    }
    commandBuffer.device.table.CmdBindPipelineShaderGroupNV(commandBuffer.current.forState(), bindPoint, pipeline,
                                                            group);
    if (commandBuffer.logs)
        commandBuffer.bound.bindShaderGroup(bindPoint, pipeline, group);
}

// Shaders are bound by stage; each stage is kept on its own.
VKAPI_ATTR void VKAPI_CALL CmdBindShadersEXT(VkCommandBuffer handle, uint32_t stageCount,
                                             const VkShaderStageFlagBits* pStages, const VkShaderEXT* pShaders)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    // Of stages that the driver does not know, a draw finds the shaders by itself.
    std::vector<VkShaderStageFlagBits> stages;
    std::vector<VkShaderEXT> shaders;
    for (uint32_t i = 0; i < stageCount; ++i) {
        const VkShaderEXT shader = pShaders ? pShaders[i] : VK_NULL_HANDLE;
        if (commandBuffer.logs)
            commandBuffer.bound.bindShader(pStages[i], shader);
        if (hidesStages(commandBuffer.device, pStages[i]))
            continue;
        stages.push_back(pStages[i]);
        shaders.push_back(shader);
        // Who has not enabled geometry shaders need not say that there is none.
        if (pStages[i] == VK_SHADER_STAGE_VERTEX_BIT && commandBuffer.device.addsGeometryShaders()) {
            stages.push_back(VK_SHADER_STAGE_GEOMETRY_BIT);
            shaders.push_back(VK_NULL_HANDLE);
            if (commandBuffer.logs)
                commandBuffer.bound.bindShader(VK_SHADER_STAGE_GEOMETRY_BIT, VK_NULL_HANDLE);
        }
    }
    if (stages.empty())
        return;
    commandBuffer.device.table.CmdBindShadersEXT(commandBuffer.current.forState(), static_cast<uint32_t>(stages.size()),
                                                 stages.data(), pShaders ? shaders.data() : nullptr);
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
    commandBuffer.device.table.CmdBindDescriptorSets(commandBuffer.current.forState(), bindPoint, layout, firstSet,
                                                     setCount, pSets, dynamicOffsetCount, pDynamicOffsets);
    if (commandBuffer.logs)
        commandBuffer.bound.bindSets(bindPoint, layout, firstSet, {pSets, setCount},
                                     {pDynamicOffsets, dynamicOffsetCount});
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL bindDescriptorSets2(VkCommandBuffer handle, const VkBindDescriptorSetsInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkBindDescriptorSetsInfo info = withDriverStages(commandBuffer.device, *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), &info);
    if (!commandBuffer.logs)
        return;
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
    for (VkPipelineBindPoint bindPoint : bindPointsOf(commandBuffer.pool, info.stageFlags))
        commandBuffer.bound.bindSets(bindPoint, info.layout, info.firstSet,
                                     {info.pDescriptorSets, info.descriptorSetCount},
                                     {info.pDynamicOffsets, info.dynamicOffsetCount});
    if (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        if (auto graphLayout = graphLayoutOf(commandBuffer.device, info.layout))
            commandBuffer.graph.bindSets(GraphBindings::Source::Stages, *graphLayout, info.firstSet,
                                         info.descriptorSetCount, info.pDescriptorSets, info.dynamicOffsetCount,
                                         info.pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                            VkShaderStageFlags stageFlags, uint32_t offset, uint32_t size,
                                            const void* pValues)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkShaderStageFlags stages = driverPushStages(commandBuffer.device, stageFlags);
    if (stages != 0)
        commandBuffer.device.table.CmdPushConstants(commandBuffer.current.inFrontOfPutOff(), layout, stages, offset,
                                                    size, pValues);
    if (commandBuffer.logs)
        commandBuffer.bound.pushConstants(layout, stageFlags, stages, offset, size, pValues);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushConstants2(VkCommandBuffer handle, const VkPushConstantsInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    VkPushConstantsInfo info = *pInfo;
    info.stageFlags = driverPushStages(commandBuffer.device, pInfo->stageFlags);
    if (info.stageFlags != 0)
        (commandBuffer.device.table.*Member)(commandBuffer.current.inFrontOfPutOff(), &info);
    if (!commandBuffer.logs)
        return;
    if (pInfo->layout) {
        commandBuffer.cannotKeep("vkCmdPushConstants2", unknownStructures(pInfo->pNext));
        commandBuffer.bound.pushConstants(pInfo->layout, pInfo->stageFlags, info.stageFlags, pInfo->offset, pInfo->size,
                                          pInfo->pValues);
        return;
    }
    std::shared_ptr<const VkPushConstantsInfo> copy = deepCopy(*pInfo);
    commandBuffer.cannotKeep("vkCmdPushConstants2", missingStructures(pInfo->pNext, copy->pNext));
    commandBuffer.chainsLayouts = true;
    commandBuffer.bound.pushConstants(std::move(copy), Member);
}

// For quick calls.

bool bindPipelineAgain(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipeline pipeline) noexcept
{
    const bool isMade = bindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS && commandBuffer.device.pipelineMaker;
    if (bindPoint == kGraphPoint || isMade || commandBuffer.current.mindsState())
        return false;
    return !commandBuffer.logs || commandBuffer.bound.bindPipelineAgain(bindPoint, pipeline);
}

// Stages that have been remembered when one cannot be are remembered again.
bool bindShadersAgain(CommandBuffer& commandBuffer, uint32_t stageCount, const VkShaderStageFlagBits* pStages,
                      const VkShaderEXT* pShaders) noexcept
{
    // Else the driver may get others.
    if (commandBuffer.device.usesMesh() || commandBuffer.current.mindsState())
        return false;
    for (uint32_t i = 0; commandBuffer.logs && i < stageCount; ++i)
        if (!commandBuffer.bound.bindShaderAgain(pStages[i], pShaders ? pShaders[i] : VK_NULL_HANDLE))
            return false;
    return true;
}

bool bindSetsAgain(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipelineLayout layout,
                   uint32_t firstSet, uint32_t setCount, const VkDescriptorSet* pSets, uint32_t dynamicOffsetCount,
                   const uint32_t* pDynamicOffsets) noexcept
{
    if (bindPoint == kGraphPoint || commandBuffer.current.mindsState())
        return false;
    return !commandBuffer.logs || commandBuffer.bound.bindSetsAgain(bindPoint, layout, firstSet, {pSets, setCount},
                                                                    {pDynamicOffsets, dynamicOffsetCount});
}

// The driver gets the application's stages.
bool pushConstantsAgain(CommandBuffer& commandBuffer, VkPipelineLayout layout, VkShaderStageFlags stages,
                        uint32_t offset, uint32_t size, const void* pValues) noexcept
{
    if (!commandBuffer.logs)
        return driverPushStages(commandBuffer.device, stages) == stages;
    return commandBuffer.bound.pushConstantsAgain(layout, stages, offset, size, pValues);
}

}  // namespace

EntryPoints bindingEntryPoints()
{
    static const EntryPoint entries[] = {
        {"vkCmdBindPipeline", quick<&Table::CmdBindPipeline, &bindPipelineAgain, &CmdBindPipeline>(), kUseState},
        MILLRACE_ENTRY(CmdBindPipelineShaderGroupNV, kUseState, true, kUseTokenStreams),
        {"vkCmdBindShadersEXT", quick<&Table::CmdBindShadersEXT, &bindShadersAgain, &CmdBindShadersEXT>(), kUseState},
        {"vkCmdBindDescriptorSets", quick<&Table::CmdBindDescriptorSets, &bindSetsAgain, &CmdBindDescriptorSets>(),
         kUseState},
        {"vkCmdBindDescriptorSets2", guarded<&bindDescriptorSets2<&Table::CmdBindDescriptorSets2>>(), kUseState},
        {"vkCmdBindDescriptorSets2KHR", guarded<&bindDescriptorSets2<&Table::CmdBindDescriptorSets2KHR>>(), kUseState},
        {"vkCmdPushConstants", quick<&Table::CmdPushConstants, &pushConstantsAgain, &CmdPushConstants>(), kUseState},
        {"vkCmdPushConstants2", guarded<&pushConstants2<&Table::CmdPushConstants2>>(), kUseState},
        {"vkCmdPushConstants2KHR", guarded<&pushConstants2<&Table::CmdPushConstants2KHR>>(), kUseState},
    };
    return entries;
}

}  // namespace millrace::layer
