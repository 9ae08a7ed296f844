// SPDX-License-Identifier: Apache-2.0
// Push descriptors, with and without templates.
#include <span>

#include "layer/bind_points.h"
#include "layer/pipelines.h"
#include "layer/state_commands.h"
#include "layer/update_templates.h"
#include "layer/wrapped_struct.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kGraphPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
using Source = GraphBindings::Source;

// Each write is remembered by itself, since a later push may replace some of them.
void logPush(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t set,
             const std::vector<DescriptorWrite>& writes)
{
    struct Payload {
        VkPipelineBindPoint bindPoint;
        VkPipelineLayout layout;
        uint32_t set;
        const VkWriteDescriptorSet* write;
    };
    for (const DescriptorWrite& write : writes) {
        const VkWriteDescriptorSet& plain = write.get();
        commandBuffer.keepAlive.push_back(write.keepAlive());
        const Payload payload{bindPoint, layout, set, &plain};
        // Set and count share a word: both are small, and an unlucky clash would need the same binding and element.
        const StateKey key{StateKind::PushDescriptor, keyOf(bindPoint), set << 24 | plain.dstBinding,
                           plain.dstArrayElement << 16 | plain.descriptorCount};
        std::byte* stored = commandBuffer.log.add(
            key, scopeOf(bindPoint),
            [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
                const auto& value = *reinterpret_cast<const Payload*>(bytes);
                table.CmdPushDescriptorSet(target, value.bindPoint, value.layout, value.set, 1, value.write);
            },
            sizeof payload);
        std::memcpy(stored, &payload, sizeof payload);
    }
}

// What is pushed to a graph, or pushed again behind one, is a copy.
void noteUnknown(CommandBuffer& commandBuffer, const void* chain, std::span<const VkWriteDescriptorSet> writes)
{
    commandBuffer.cannotKeep("vkCmdPushDescriptorSet", unknownStructures(chain));
    for (const VkWriteDescriptorSet& write : writes)
        commandBuffer.cannotKeep("vkCmdPushDescriptorSet", unknownStructures(write.pNext));
}

void pushToGraph(CommandBuffer& commandBuffer, Source source, VkPipelineLayout layout, uint32_t set,
                 std::vector<DescriptorWrite> writes)
{
    if (auto graphLayout = graphLayoutOf(commandBuffer.device, layout))
        commandBuffer.graph.push(source, *graphLayout, set, std::move(writes));
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushSet(VkCommandBuffer handle, VkPipelineBindPoint bindPoint, VkPipelineLayout layout,
                                   uint32_t set, uint32_t count, const VkWriteDescriptorSet* pWrites)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    noteUnknown(commandBuffer, nullptr, {pWrites, count});
    if (bindPoint == kGraphPoint) {
        pushToGraph(commandBuffer, Source::Named, layout, set, copyWrites({pWrites, count}));
        return;
    }
    (commandBuffer.device.table.*Member)(commandBuffer.current, bindPoint, layout, set, count, pWrites);
    if (commandBuffer.logs())
        logPush(commandBuffer, bindPoint, layout, set, copyWrites({pWrites, count}));
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushSet2(VkCommandBuffer handle, const VkPushDescriptorSetInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
    if (!commandBuffer.logs())
        return;
    noteUnknown(commandBuffer, pInfo->pNext, {pInfo->pDescriptorWrites, pInfo->descriptorWriteCount});
    if (!pInfo->layout) {
        logWrapped<Member>(commandBuffer, "vkCmdPushDescriptorSet2",
                           {StateKind::PushDescriptor, keyOf(pInfo->stageFlags), pInfo->set << 24},
                           scopeOf(pInfo->stageFlags), *pInfo);
        return;
    }
    const std::vector<DescriptorWrite> writes = copyWrites({pInfo->pDescriptorWrites, pInfo->descriptorWriteCount});
    for (VkPipelineBindPoint bindPoint : bindPointsOf(pInfo->stageFlags))
        logPush(commandBuffer, bindPoint, pInfo->layout, pInfo->set, writes);
    if (pInfo->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        pushToGraph(commandBuffer, Source::Stages, pInfo->layout, pInfo->set, writes);
}

// True if the driver should see the command as well.
bool pushTemplate(CommandBuffer& commandBuffer, VkDescriptorUpdateTemplate handle, VkPipelineLayout layout,
                  uint32_t set, const void* data)
{
    const UpdateTemplate* known = commandBuffer.device.updateTemplates.find(handleId(handle));
    if (!known)
        return true;
    if (known->bindPoint == kGraphPoint) {
        pushToGraph(commandBuffer, Source::Named, layout, set, copyWrites(*known, data));
        return false;
    }
    if (commandBuffer.logs() && layout)
        logPush(commandBuffer, known->bindPoint, layout, set, copyWrites(*known, data));
    return true;
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushWithTemplate(VkCommandBuffer handle, VkDescriptorUpdateTemplate updateTemplate,
                                            VkPipelineLayout layout, uint32_t set, const void* pData)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (pushTemplate(commandBuffer, updateTemplate, layout, set, pData))
        (commandBuffer.device.table.*Member)(commandBuffer.current, updateTemplate, layout, set, pData);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushWithTemplate2(VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (pushTemplate(commandBuffer, pInfo->descriptorUpdateTemplate, pInfo->layout, pInfo->set, pInfo->pData))
        (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
}

}  // namespace

EntryPoints pushDescriptorEntryPoints()
{
    static const EntryPoint entries[] = {
        {"vkCmdPushDescriptorSet", guarded<&pushSet<&Table::CmdPushDescriptorSet>>(), kUseGraphs},
        {"vkCmdPushDescriptorSetKHR", guarded<&pushSet<&Table::CmdPushDescriptorSetKHR>>(), kUseGraphs},
        {"vkCmdPushDescriptorSet2", guarded<&pushSet2<&Table::CmdPushDescriptorSet2>>(), kUseGraphs},
        {"vkCmdPushDescriptorSet2KHR", guarded<&pushSet2<&Table::CmdPushDescriptorSet2KHR>>(), kUseGraphs},
        {"vkCmdPushDescriptorSetWithTemplate", guarded<&pushWithTemplate<&Table::CmdPushDescriptorSetWithTemplate>>(),
         kUseGraphs},
        {"vkCmdPushDescriptorSetWithTemplateKHR",
         guarded<&pushWithTemplate<&Table::CmdPushDescriptorSetWithTemplateKHR>>(), kUseGraphs},
        {"vkCmdPushDescriptorSetWithTemplate2",
         guarded<&pushWithTemplate2<&Table::CmdPushDescriptorSetWithTemplate2>>(), kUseGraphs},
        {"vkCmdPushDescriptorSetWithTemplate2KHR",
         guarded<&pushWithTemplate2<&Table::CmdPushDescriptorSetWithTemplate2KHR>>(), kUseGraphs},
    };
    return entries;
}

}  // namespace millrace::layer
