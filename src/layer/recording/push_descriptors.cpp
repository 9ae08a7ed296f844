// SPDX-License-Identifier: Apache-2.0
// Push descriptors, with and without templates.
#include <span>

#include "layer/objects/driver_stages.h"
#include "layer/recording/bind_points.h"
#include "layer/recording/state_commands.h"
#include "layer/recording/update_templates.h"
#include "layer/recording/wrapped_struct.h"

namespace millrace::layer {

namespace {

using Source = GraphBindings::Source;

// Each write is remembered by itself, since a later push may replace some of them.
StateKey pushKey(uint32_t where, uint32_t set, const VkWriteDescriptorSet& write)
{
    return {StateKind::PushDescriptor, where, set, write.descriptorCount, write.dstBinding, write.dstArrayElement};
}

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
        const Payload payload{bindPoint, layout, set, &plain};
        std::byte* stored = commandBuffer.log.add(
            pushKey(keyOf(bindPoint), set, plain), scopeOf(bindPoint),
            [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
                const auto& value = *reinterpret_cast<const Payload*>(bytes);
                table.CmdPushDescriptorSet(target, value.bindPoint, value.layout, value.set, 1, value.write);
            },
            sizeof payload, write.owner());
        std::memcpy(stored, &payload, sizeof payload);
    }
}

// The layout is chained to `info` instead (dynamicPipelineLayout).
template <auto Member>
void logPushWithoutLayout(CommandBuffer& commandBuffer, const VkPushDescriptorSetInfo& info)
{
    for (const VkWriteDescriptorSet& write : std::span(info.pDescriptorWrites, info.descriptorWriteCount)) {
        VkPushDescriptorSetInfo one = info;
        one.descriptorWriteCount = 1;
        one.pDescriptorWrites = &write;
        logWrapped<Member>(commandBuffer, "vkCmdPushDescriptorSet2", pushKey(keyOf(info.stageFlags), info.set, write),
                           scopeOf(info.stageFlags), one);
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
    (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), bindPoint, layout, set, count, pWrites);
    if (commandBuffer.logs)
        logPush(commandBuffer, bindPoint, layout, set, copyWrites({pWrites, count}));
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushSet2(VkCommandBuffer handle, const VkPushDescriptorSetInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkPushDescriptorSetInfo info = withDriverStages(commandBuffer.device, *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), &info);
    if (!commandBuffer.logs)
        return;
    noteUnknown(commandBuffer, info.pNext, {info.pDescriptorWrites, info.descriptorWriteCount});
    if (!info.layout) {
        logPushWithoutLayout<Member>(commandBuffer, info);
        return;
    }
    const std::vector<DescriptorWrite> writes = copyWrites({info.pDescriptorWrites, info.descriptorWriteCount});
    for (VkPipelineBindPoint bindPoint : bindPointsOf(commandBuffer.pool, info.stageFlags))
        logPush(commandBuffer, bindPoint, info.layout, info.set, writes);
    if (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
        pushToGraph(commandBuffer, Source::Stages, info.layout, info.set, writes);
}

void logTemplateWithoutLayout(CommandBuffer& commandBuffer, const VkPushDescriptorSetWithTemplateInfo& info,
                              VkPipelineBindPoint bindPoint, std::span<const DescriptorWrite> writes)
{
    std::vector<VkWriteDescriptorSet> plain;
    for (const DescriptorWrite& write : writes)
        plain.push_back(write.get());
    VkPushDescriptorSetInfo push{VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO, info.pNext};
    push.stageFlags = stagesOf(bindPoint);
    push.set = info.set;
    push.descriptorWriteCount = static_cast<uint32_t>(plain.size());
    push.pDescriptorWrites = plain.data();
    logPushWithoutLayout<&Table::CmdPushDescriptorSet2>(commandBuffer, push);
}

// True if the driver should see the command as well.
bool pushTemplate(CommandBuffer& commandBuffer, const VkPushDescriptorSetWithTemplateInfo& info)
{
    const UpdateTemplate* known = commandBuffer.device.updateTemplates.find(handleId(info.descriptorUpdateTemplate));
    if (!known)
        return true;
    if (known->bindPoint == kGraphPoint) {
        pushToGraph(commandBuffer, Source::Named, info.layout, info.set, copyWrites(*known, info.pData));
        return false;
    }
    if (!commandBuffer.logs)
        return true;
    const std::vector<DescriptorWrite> writes = copyWrites(*known, info.pData);
    if (info.layout)
        logPush(commandBuffer, known->bindPoint, info.layout, info.set, writes);
    else
        logTemplateWithoutLayout(commandBuffer, info, known->bindPoint, writes);
    return true;
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushWithTemplate(VkCommandBuffer handle, VkDescriptorUpdateTemplate updateTemplate,
                                            VkPipelineLayout layout, uint32_t set, const void* pData)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    VkPushDescriptorSetWithTemplateInfo info{VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO};
    info.descriptorUpdateTemplate = updateTemplate;
    info.layout = layout;
    info.set = set;
    info.pData = pData;
    if (pushTemplate(commandBuffer, info))
        (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), updateTemplate, layout, set, pData);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pushWithTemplate2(VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (pushTemplate(commandBuffer, *pInfo))
        (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), pInfo);
}

}  // namespace

EntryPoints pushDescriptorEntryPoints()
{
    static const EntryPoint entries[] = {
        {"vkCmdPushDescriptorSet", guarded<&pushSet<&Table::CmdPushDescriptorSet>>(), kUseState},
        {"vkCmdPushDescriptorSetKHR", guarded<&pushSet<&Table::CmdPushDescriptorSetKHR>>(), kUseState},
        {"vkCmdPushDescriptorSet2", guarded<&pushSet2<&Table::CmdPushDescriptorSet2>>(), kUseState},
        {"vkCmdPushDescriptorSet2KHR", guarded<&pushSet2<&Table::CmdPushDescriptorSet2KHR>>(), kUseState},
        {"vkCmdPushDescriptorSetWithTemplate", guarded<&pushWithTemplate<&Table::CmdPushDescriptorSetWithTemplate>>(),
         kUseState},
        {"vkCmdPushDescriptorSetWithTemplateKHR",
         guarded<&pushWithTemplate<&Table::CmdPushDescriptorSetWithTemplateKHR>>(), kUseState},
        {"vkCmdPushDescriptorSetWithTemplate2",
         guarded<&pushWithTemplate2<&Table::CmdPushDescriptorSetWithTemplate2>>(), kUseState},
        {"vkCmdPushDescriptorSetWithTemplate2KHR",
         guarded<&pushWithTemplate2<&Table::CmdPushDescriptorSetWithTemplate2KHR>>(), kUseState},
    };
    return entries;
}

}  // namespace millrace::layer
