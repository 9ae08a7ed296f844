// SPDX-License-Identifier: Apache-2.0
// Commands that name pipeline stages.
#include <span>
#include <vector>

#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"
#include "layer/recording/driver_scopes.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

bool isInside(const CommandBuffer& commandBuffer)
{
    return commandBuffer.rendering.inside() || (commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
}

DriverScopes scopesOf(const CommandBuffer& commandBuffer)
{
    // Nothing is preprocessed inside of a render pass instance, where barriers may name few stages.
    if (isInside(commandBuffer))
        return DriverScopes::inside(commandBuffer.device);
    if (!commandBuffer.device.usesCommands() && !commandBuffer.device.usesMesh())
        return {};
    return {commandBuffer.device, commandBuffer.device.queueFamilies[commandBuffer.pool.queueFamily].queueFlags};
}

// What runs in front of a render pass instance cannot wait for what happens inside.
void noteWait(CommandBuffer& commandBuffer, VkPipelineStageFlags2 destinations)
{
    if (!isInside(commandBuffer) || !waitsInFront(destinations))
        return;
    commandBuffer.current.recordUnminding();
    Front& front = commandBuffer.front;
    (commandBuffer.primary ? front.waits : front.obstacle) =
        "behind a barrier inside the render pass instance that it has to wait at";
}

void noteWaits(CommandBuffer& commandBuffer, const VkDependencyInfo& info)
{
    const auto note = [&](const auto* barriers, uint32_t count) {
        for (const auto& barrier : std::span(barriers, count))
            noteWait(commandBuffer, barrier.dstStageMask);
    };
    note(info.pMemoryBarriers, info.memoryBarrierCount);
    note(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount);
    note(info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
}

// Copies of barriers with other accesses.
template <typename Barrier>
std::vector<Barrier> translate(const DriverScopes& scopes, const Barrier* barriers, uint32_t count)
{
    std::vector<Barrier> out(barriers, barriers + (scopes.change() ? count : 0));
    for (Barrier& barrier : out)
        scopes.translate(barrier);
    return out;
}

// The barriers of vkCmdPipelineBarrier and vkCmdWaitEvents.
struct Barriers1 {
    std::vector<VkMemoryBarrier> memory;
    std::vector<VkBufferMemoryBarrier> buffers;
    std::vector<VkImageMemoryBarrier> images;
};

class Dependency {
public:
    Dependency(const DriverScopes& scopes, const VkDependencyInfo& info)
        : m_info(info),
          m_memory(translate(scopes, info.pMemoryBarriers, info.memoryBarrierCount)),
          m_buffers(translate(scopes, info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)),
          m_images(translate(scopes, info.pImageMemoryBarriers, info.imageMemoryBarrierCount))
    {
        if (!scopes.change())
            return;
        m_info.pMemoryBarriers = m_memory.data();
        m_info.pBufferMemoryBarriers = m_buffers.data();
        m_info.pImageMemoryBarriers = m_images.data();
    }
    const VkDependencyInfo& get() const { return m_info; }

private:
    VkDependencyInfo m_info;
    std::vector<VkMemoryBarrier2> m_memory;
    std::vector<VkBufferMemoryBarrier2> m_buffers;
    std::vector<VkImageMemoryBarrier2> m_images;
};

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags sources,
                                              VkPipelineStageFlags destinations, VkDependencyFlags flags,
                                              uint32_t memoryCount, const VkMemoryBarrier* pMemory,
                                              uint32_t bufferCount, const VkBufferMemoryBarrier* pBuffers,
                                              uint32_t imageCount, const VkImageMemoryBarrier* pImages)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    noteWait(commandBuffer, destinations);
    const DriverScopes scopes = scopesOf(commandBuffer);
    const Barriers1 own{translate(scopes, pMemory, memoryCount), translate(scopes, pBuffers, bufferCount),
                        translate(scopes, pImages, imageCount)};
    const bool isOwn = scopes.change();
    commandBuffer.device.table.CmdPipelineBarrier(
        commandBuffer.current, scopes.stages(sources), scopes.stages(destinations), flags, memoryCount,
        isOwn ? own.memory.data() : pMemory, bufferCount, isOwn ? own.buffers.data() : pBuffers, imageCount,
        isOwn ? own.images.data() : pImages);
}

VKAPI_ATTR void VKAPI_CALL CmdWaitEvents(VkCommandBuffer handle, uint32_t eventCount, const VkEvent* pEvents,
                                         VkPipelineStageFlags sources, VkPipelineStageFlags destinations,
                                         uint32_t memoryCount, const VkMemoryBarrier* pMemory, uint32_t bufferCount,
                                         const VkBufferMemoryBarrier* pBuffers, uint32_t imageCount,
                                         const VkImageMemoryBarrier* pImages)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    noteWait(commandBuffer, destinations);
    const DriverScopes scopes = scopesOf(commandBuffer);
    const Barriers1 own{translate(scopes, pMemory, memoryCount), translate(scopes, pBuffers, bufferCount),
                        translate(scopes, pImages, imageCount)};
    const bool isOwn = scopes.change();
    commandBuffer.device.table.CmdWaitEvents(
        commandBuffer.current, eventCount, pEvents, scopes.stages(sources), scopes.stages(destinations), memoryCount,
        isOwn ? own.memory.data() : pMemory, bufferCount, isOwn ? own.buffers.data() : pBuffers, imageCount,
        isOwn ? own.images.data() : pImages);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL pipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    noteWaits(commandBuffer, *pInfo);
    const Dependency dependency(scopesOf(commandBuffer), *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current, &dependency.get());
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL setEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo* pInfo)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Dependency dependency(scopesOf(commandBuffer), *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current, event, &dependency.get());
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL waitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent* pEvents,
                                       const VkDependencyInfo* pInfos)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const DriverScopes scopes = scopesOf(commandBuffer);
    std::vector<Dependency> dependencies;
    std::vector<VkDependencyInfo> infos;
    dependencies.reserve(count);
    for (const VkDependencyInfo& info : std::span(pInfos, count)) {
        noteWaits(commandBuffer, info);
        infos.push_back(dependencies.emplace_back(scopes, info).get());
    }
    (commandBuffer.device.table.*Member)(commandBuffer.current, count, pEvents, infos.data());
}

// Events of the first version, and of the second that have only a stage.
template <auto Member, typename Flags>
VKAPI_ATTR void VKAPI_CALL eventStage(VkCommandBuffer handle, VkEvent event, Flags stages)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, event, scopesOf(commandBuffer).stages(stages));
}

// Names one stage, not several.
template <auto Member, typename Flags>
VKAPI_ATTR void VKAPI_CALL writeTimestamp(VkCommandBuffer handle, Flags stage, VkQueryPool pool, uint32_t query)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesCommands() &&
        stage == static_cast<Flags>(VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT))
        stage = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
    else
        stage = scopesOf(commandBuffer).singleStage(stage);
    (commandBuffer.device.table.*Member)(commandBuffer.current, stage, pool, query);
}

}  // namespace

EntryPoints barrierEntryPoints()
{
    constexpr uint32_t kUses = kUseState;
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdPipelineBarrier, kUses),
        {"vkCmdPipelineBarrier2", guarded<&pipelineBarrier2<&Table::CmdPipelineBarrier2>>(), kUses},
        {"vkCmdPipelineBarrier2KHR", guarded<&pipelineBarrier2<&Table::CmdPipelineBarrier2KHR>>(), kUses},
        {"vkCmdSetEvent", guarded<&eventStage<&Table::CmdSetEvent, VkPipelineStageFlags>>(), kUses},
        {"vkCmdSetEvent2", guarded<&setEvent2<&Table::CmdSetEvent2>>(), kUses},
        {"vkCmdSetEvent2KHR", guarded<&setEvent2<&Table::CmdSetEvent2KHR>>(), kUses},
        {"vkCmdResetEvent", guarded<&eventStage<&Table::CmdResetEvent, VkPipelineStageFlags>>(), kUses},
        {"vkCmdResetEvent2", guarded<&eventStage<&Table::CmdResetEvent2, VkPipelineStageFlags2>>(), kUses},
        {"vkCmdResetEvent2KHR", guarded<&eventStage<&Table::CmdResetEvent2KHR, VkPipelineStageFlags2>>(), kUses},
        MILLRACE_ENTRY(CmdWaitEvents, kUses),
        {"vkCmdWaitEvents2", guarded<&waitEvents2<&Table::CmdWaitEvents2>>(), kUses},
        {"vkCmdWaitEvents2KHR", guarded<&waitEvents2<&Table::CmdWaitEvents2KHR>>(), kUses},
        {"vkCmdWriteTimestamp", guarded<&writeTimestamp<&Table::CmdWriteTimestamp, VkPipelineStageFlagBits>>(), kUses},
        {"vkCmdWriteTimestamp2", guarded<&writeTimestamp<&Table::CmdWriteTimestamp2, VkPipelineStageFlags2>>(), kUses},
        {"vkCmdWriteTimestamp2KHR", guarded<&writeTimestamp<&Table::CmdWriteTimestamp2KHR, VkPipelineStageFlags2>>(),
         kUses},
    };
    return entries;
}

}  // namespace millrace::layer
