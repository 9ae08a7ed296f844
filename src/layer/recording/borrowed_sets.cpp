// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/borrowed_sets.h"

#include <algorithm>
#include <span>
#include <vector>

#include "layer/loader/device.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

using Sets = std::vector<std::shared_ptr<DescriptorSetLayout>>;

// Recording replays commands that know nothing of each other, so what they are replayed for is found here.
thread_local const SequenceLayout* t_target = nullptr;
thread_local VkPipelineBindPoint t_bindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;

// What was known of the layouts when they were given, where that is kept.
thread_local const KeptLayouts* t_kept = nullptr;

// Where that is asked for, nothing is bound.
thread_local KeptLayouts* t_collected = nullptr;
thread_local const Device* t_device = nullptr;

void addLayout(const Device& device, VkPipelineLayout layout, KeptLayouts& layouts)
{
    const auto isSame = [=](const auto& known) { return known.first == layout; };
    if (std::ranges::none_of(layouts, isSame))
        layouts.emplace_back(layout, device.pipelineLayouts.share(handleId(layout)));
}

bool isCollected(VkPipelineLayout layout)
{
    if (!t_collected)
        return false;
    addLayout(*t_device, layout, *t_collected);
    return true;
}

// Where it is asked which sets fit, nothing is bound.
thread_local std::vector<bool>* t_found = nullptr;

// True if the set is to be bound.
bool takes(uint32_t set)
{
    if (t_found)
        (*t_found)[set] = true;
    return !t_found;
}

class Target {
public:
    Target(const CommandBuffer& commandBuffer, const SequenceLayout& layout, VkPipelineBindPoint bindPoint)
    {
        t_target = &layout;
        t_bindPoint = bindPoint;
        t_kept = &commandBuffer.layouts;
    }
    ~Target()
    {
        t_target = nullptr;
        t_kept = nullptr;
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
};

// The set layouts that the application's layout has, null if it is gone: then nobody can compare them any more.
const Sets* setsOf(VkPipelineLayout layout)
{
    const auto kept = std::ranges::find_if(*t_kept, [=](const auto& one) { return one.first == layout; });
    const PipelineLayout* known =
        kept != t_kept->end() ? kept->second.get() : t_target->device.pipelineLayouts.find(handleId(layout));
    return known && known->sequences ? &known->sequences->sets : nullptr;
}

bool fits(const Sets* sets, uint32_t set)
{
    if (set >= t_target->sets.size())
        return false;
    return !sets || (set < sets->size() && isSameSetLayout((*sets)[set].get(), t_target->sets[set].get()));
}

VKAPI_ATTR void VKAPI_CALL bindDescriptorSets(VkCommandBuffer commandBuffer, VkPipelineBindPoint,
                                              VkPipelineLayout layout, uint32_t first, uint32_t count,
                                              const VkDescriptorSet* sets, uint32_t offsetCount,
                                              const uint32_t* offsets)
{
    if (isCollected(layout))
        return;
    const Sets* known = setsOf(layout);
    std::span<const uint32_t> left(offsets, offsetCount);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t set = first + i;
        // Of sets that do not fit the offsets are skipped.
        const DescriptorSetLayout* own = known && set < known->size()            ? (*known)[set].get()
                                         : !known && set < t_target->sets.size() ? t_target->sets[set].get()
                                                                                 : nullptr;
        const auto taken = std::min<size_t>(own ? own->dynamicDescriptors : 0, left.size());
        if (fits(known, set) && takes(set))
            t_target->device.table.CmdBindDescriptorSets(commandBuffer, t_bindPoint, t_target->handle, set, 1, &sets[i],
                                                         static_cast<uint32_t>(taken), left.data());
        left = left.subspan(taken);
    }
}

VKAPI_ATTR void VKAPI_CALL pushDescriptorSet(VkCommandBuffer commandBuffer, VkPipelineBindPoint,
                                             VkPipelineLayout layout, uint32_t set, uint32_t count,
                                             const VkWriteDescriptorSet* writes)
{
    if (!isCollected(layout) && fits(setsOf(layout), set) && takes(set))
        t_target->device.table.CmdPushDescriptorSet(commandBuffer, t_bindPoint, t_target->handle, set, count, writes);
}

VKAPI_ATTR void VKAPI_CALL setDescriptorBufferOffsets(VkCommandBuffer commandBuffer, VkPipelineBindPoint,
                                                      VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                      const uint32_t* indices, const VkDeviceSize* offsets)
{
    if (isCollected(layout))
        return;
    const Sets* known = setsOf(layout);
    for (uint32_t i = 0; i < count; ++i)
        if (fits(known, first + i) && takes(first + i))
            t_target->device.table.CmdSetDescriptorBufferOffsetsEXT(commandBuffer, t_bindPoint, t_target->handle,
                                                                    first + i, 1, &indices[i], &offsets[i]);
}

VKAPI_ATTR void VKAPI_CALL bindEmbeddedSamplers(VkCommandBuffer commandBuffer, VkPipelineBindPoint,
                                                VkPipelineLayout layout, uint32_t set)
{
    if (!isCollected(layout) && fits(setsOf(layout), set) && takes(set))
        t_target->device.table.CmdBindDescriptorBufferEmbeddedSamplersEXT(commandBuffer, t_bindPoint, t_target->handle,
                                                                          set);
}

// Their layouts are chained, and those the layer does not translate (dynamicPipelineLayout of
// VK_NV_per_stage_descriptor_set).
template <typename Info>
VKAPI_ATTR void VKAPI_CALL leaveOut(VkCommandBuffer, const Info*)
{
}

}  // namespace

VkuDeviceDispatchTable borrowingTable(const VkuDeviceDispatchTable& table)
{
    VkuDeviceDispatchTable borrowing = table;
    borrowing.CmdBindDescriptorSets = bindDescriptorSets;
    borrowing.CmdPushDescriptorSet = pushDescriptorSet;
    borrowing.CmdSetDescriptorBufferOffsetsEXT = setDescriptorBufferOffsets;
    borrowing.CmdBindDescriptorBufferEmbeddedSamplersEXT = bindEmbeddedSamplers;
    borrowing.CmdBindDescriptorSets2 = leaveOut<VkBindDescriptorSetsInfo>;
    borrowing.CmdBindDescriptorSets2KHR = leaveOut<VkBindDescriptorSetsInfo>;
    borrowing.CmdPushDescriptorSet2 = leaveOut<VkPushDescriptorSetInfo>;
    borrowing.CmdPushDescriptorSet2KHR = leaveOut<VkPushDescriptorSetInfo>;
    borrowing.CmdSetDescriptorBufferOffsets2EXT = leaveOut<VkSetDescriptorBufferOffsetsInfoEXT>;
    borrowing.CmdBindDescriptorBufferEmbeddedSamplers2EXT = leaveOut<VkBindDescriptorBufferEmbeddedSamplersInfoEXT>;
    return borrowing;
}

void bindBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, const SequenceLayout& layout)
{
    bindBorrowedSets(commandBuffer, bindPoint, layout, commandBuffer.current, bindPoint);
}

void bindBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint from, const SequenceLayout& layout,
                      VkCommandBuffer target, VkPipelineBindPoint to)
{
    const Target scope(commandBuffer, layout, to);
    commandBuffer.bound.replaySets(from, commandBuffer.device.borrowing, target);
}

namespace {

void addLayoutsOfSets(const CommandBuffer& commandBuffer, uint64_t order, KeptLayouts& layouts)
{
    t_device = &commandBuffer.device;
    t_collected = &layouts;
    for (const VkPipelineBindPoint bindPoint : {VK_PIPELINE_BIND_POINT_GRAPHICS, VK_PIPELINE_BIND_POINT_COMPUTE})
        commandBuffer.bound.replaySets(bindPoint, commandBuffer.device.borrowing, VK_NULL_HANDLE, order);
    t_collected = nullptr;
}

void addLayoutsOfConstants(const CommandBuffer& commandBuffer, uint64_t order, KeptLayouts& layouts)
{
    commandBuffer.log.forEach(StateKind::PushConstants, kScopePushConstants, [&](const StateLog::Entry& entry) {
        const auto& pushed = *reinterpret_cast<const PushedConstants*>(entry.payload);
        if (entry.order > order && pushed.layout)
            addLayout(commandBuffer.device, pushed.layout, layouts);
    });
}

}  // namespace

void addLayouts(const CommandBuffer& commandBuffer, uint64_t order, KeptLayouts& layouts)
{
    if (commandBuffer.bound.setsOrder() > order)
        addLayoutsOfSets(commandBuffer, order, layouts);
    if (commandBuffer.log.lastOrder(StateKind::PushConstants) > order)
        addLayoutsOfConstants(commandBuffer, order, layouts);
}

bool hasBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, const SequenceLayout& layout)
{
    std::vector<bool> found(layout.sets.size());
    const Target scope(commandBuffer, layout, bindPoint);
    t_found = &found;
    commandBuffer.bound.replaySets(bindPoint, commandBuffer.device.borrowing, commandBuffer.current);
    t_found = nullptr;
    for (size_t i = 0; i < found.size(); ++i)
        if (layout.sets[i] && !found[i])
            return false;
    return true;
}

}  // namespace millrace::layer
