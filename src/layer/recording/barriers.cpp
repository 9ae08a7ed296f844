// SPDX-License-Identifier: Apache-2.0
// Commands that name pipeline stages. Where the layer generates commands, the driver does not know the stage in which
// they are preprocessed, and what they read at the stage of indirect commands is read by shaders.
#include <span>
#include <vector>

#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

constexpr VkPipelineStageFlags2 kPreprocess = VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT;

// Stages and accesses as the driver may see them; those of 32 bits have the same values.
class DriverScopes {
public:
    explicit DriverScopes(const CommandBuffer& commandBuffer)
    {
        // Nothing is preprocessed inside of a render pass instance, where barriers may name few stages.
        const bool inside = commandBuffer.rendering.inside() ||
                            (commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
        if (!commandBuffer.device.usesCommands() || inside)
            return;
        const VkQueueFlags queue = commandBuffer.device.queueFamilies[commandBuffer.pool.queueFamily].queueFlags;
        if (queue & VK_QUEUE_COMPUTE_BIT)
            m_readers |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        if (!(queue & VK_QUEUE_GRAPHICS_BIT))
            return;
        m_readers |= VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        if (commandBuffer.device.enabled.tessellation)
            m_readers |= VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
                         VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT;
        if (commandBuffer.device.enabled.geometry)
            m_readers |= VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT;
    }

    // False: everything stays as it is.
    bool change() const { return m_readers != 0; }

    template <typename Flags>
    Flags stages(Flags flags) const
    {
        constexpr auto kIndirect = static_cast<Flags>(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT);
        if (!change())
            return flags;
        if (flags & static_cast<Flags>(kPreprocess))
            flags = (flags & ~static_cast<Flags>(kPreprocess)) | kIndirect;
        return flags & kIndirect ? flags | static_cast<Flags>(m_readers) : flags;
    }

    template <typename Flags>
    Flags accesses(Flags flags) const
    {
        constexpr Flags kRead = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_EXT);
        constexpr Flags kWrite = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
        constexpr Flags kIndirect = static_cast<Flags>(VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
        if (!change())
            return flags;
        if (flags & (kRead | kIndirect))
            flags |= static_cast<Flags>(VK_ACCESS_2_SHADER_READ_BIT);
        if (flags & kWrite)
            flags |= static_cast<Flags>(VK_ACCESS_2_SHADER_WRITE_BIT);
        return flags & ~(kRead | kWrite);
    }

private:
    VkPipelineStageFlags2 m_readers = 0;  // that may read what the stage of indirect commands does
};

// Copies of barriers with other accesses.
template <typename Barrier>
std::vector<Barrier> translate(const DriverScopes& scopes, const Barrier* barriers, uint32_t count)
{
    std::vector<Barrier> out(barriers, barriers + (scopes.change() ? count : 0));
    for (Barrier& barrier : out) {
        barrier.srcAccessMask = scopes.accesses(barrier.srcAccessMask);
        barrier.dstAccessMask = scopes.accesses(barrier.dstAccessMask);
        if constexpr (requires { barrier.srcStageMask; }) {
            barrier.srcStageMask = scopes.stages(barrier.srcStageMask);
            barrier.dstStageMask = scopes.stages(barrier.dstStageMask);
        }
    }
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
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const DriverScopes scopes(commandBuffer);
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
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const DriverScopes scopes(commandBuffer);
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
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Dependency dependency(DriverScopes(commandBuffer), *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current, &dependency.get());
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL setEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo* pInfo)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const Dependency dependency(DriverScopes(commandBuffer), *pInfo);
    (commandBuffer.device.table.*Member)(commandBuffer.current, event, &dependency.get());
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL waitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent* pEvents,
                                       const VkDependencyInfo* pInfos)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const DriverScopes scopes(commandBuffer);
    std::vector<Dependency> dependencies;
    std::vector<VkDependencyInfo> infos;
    dependencies.reserve(count);
    for (const VkDependencyInfo& info : std::span(pInfos, count))
        infos.push_back(dependencies.emplace_back(scopes, info).get());
    (commandBuffer.device.table.*Member)(commandBuffer.current, count, pEvents, infos.data());
}

// Events of the first version, and of the second that have only a stage.
template <auto Member, typename Flags>
VKAPI_ATTR void VKAPI_CALL eventStage(VkCommandBuffer handle, VkEvent event, Flags stages)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, event, DriverScopes(commandBuffer).stages(stages));
}

// Names one stage, not several.
template <auto Member, typename Flags>
VKAPI_ATTR void VKAPI_CALL writeTimestamp(VkCommandBuffer handle, Flags stage, VkQueryPool pool, uint32_t query)
{
    const CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesCommands() && stage == static_cast<Flags>(kPreprocess))
        stage = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
    (commandBuffer.device.table.*Member)(commandBuffer.current, stage, pool, query);
}

}  // namespace

EntryPoints barrierEntryPoints()
{
    constexpr uint32_t kUses = kUseGraphs | kUseCommands;
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
