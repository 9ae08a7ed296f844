// SPDX-License-Identifier: Apache-2.0
// In dynamic instances barriers name no stages that run in front, so that only those of render pass objects have to
// wait.
#include "layer/recording/divided_instance.h"

#include "layer/objects/render_passes.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

// What is open inside of an instance would have to be interrupted as well.
bool canBeDivided(const CommandBuffer& commandBuffer)
{
    const RenderingScope& scope = commandBuffer.rendering;
    if (!commandBuffer.primary || !scope.queries.empty() || scope.transformFeedback ||
        (scope.conditional && scope.conditionalInRendering))
        return false;
    return scope.legacyPass && scope.again;
}

// An instance has all of its subpasses, also where nothing is drawn in them.
void endPart(const CommandBuffer& commandBuffer)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    for (uint32_t i = scope.subpass + 1; i < scope.renderPass->subpassCount; ++i)
        table.CmdNextSubpass(commandBuffer.current, VK_SUBPASS_CONTENTS_INLINE);
    table.CmdEndRenderPass(commandBuffer.current);
}

void waitForPart(const Device& device, VkCommandBuffer stream)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    device.table.CmdPipelineBarrier(stream, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                    1, &barrier, 0, nullptr, 0, nullptr);
}

void beginNextPart(const CommandBuffer& commandBuffer)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    const auto contents = [&](uint32_t subpass) {
        return subpass == scope.subpass ? scope.contents : VK_SUBPASS_CONTENTS_INLINE;
    };
    commandBuffer.device.tellUnknown("vkCmdBeginRenderPass", scope.notKept,
                                     "where draws wait for something inside, it goes on without that");
    table.CmdBeginRenderPass(commandBuffer.current, scope.again.get(), contents(0));
    for (uint32_t i = 1; i <= scope.subpass; ++i)
        table.CmdNextSubpass(commandBuffer.current, contents(i));
    // Where there are several views, a subpass begins without any state.
    if (scope.renderPass->viewMasks)
        commandBuffer.log.replay(kScopeOutsideRendering, table, commandBuffer.current);
}

void settleWait(CommandBuffer& commandBuffer)
{
    commandBuffer.current.recordUnminding();
    Front& front = commandBuffer.front;
    if (!front.waits || !front.stream || front.obstacle)
        return;
    if (!canBeDivided(commandBuffer)) {
        front.obstacle = front.waits;
        return;
    }
    endPart(commandBuffer);
    closeFront(commandBuffer);
    waitForPart(commandBuffer.device, commandBuffer.current);
    openFront(commandBuffer, false, true);
    beginNextPart(commandBuffer);
}

}  // namespace millrace::layer
