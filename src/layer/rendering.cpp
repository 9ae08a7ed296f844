// SPDX-License-Identifier: Apache-2.0
#include "layer/rendering.h"

#include <algorithm>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/command_buffer.h"
#include "layer/entry_points.h"

namespace millrace::layer {

namespace {

bool isReadOnly(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL || layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL || layout == VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
}

// Applies to every attachment of a rendering instance.
template <typename Visit>
void forEachAttachment(vku::safe_VkRenderingInfo& info, const Visit& visit)
{
    for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
        visit(info.pColorAttachments[i]);
    for (vku::safe_VkRenderingAttachmentInfo* attachment : {info.pDepthAttachment, info.pStencilAttachment})
        if (attachment)
            visit(*attachment);
}

// A dispatch may interrupt the instance, so what is in the attachments must survive its end.
void keepContents(vku::safe_VkRenderingAttachmentInfo& attachment)
{
    const bool lost = attachment.storeOp == VK_ATTACHMENT_STORE_OP_DONT_CARE ||
                      (attachment.storeOp == VK_ATTACHMENT_STORE_OP_NONE && !isReadOnly(attachment.imageLayout));
    if (attachment.imageView && lost)
        attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* pRenderingInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    // Behind a suspended instance there may be no barrier.
    if (pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT)
        commandBuffer.makeVisibleToHost();
    if (!commandBuffer.primary) {
        table.CmdBeginRendering(commandBuffer.current, pRenderingInfo);
        return;
    }
    auto copy = std::make_shared<vku::safe_VkRenderingInfo>(pRenderingInfo);
    forEachAttachment(*copy, keepContents);
    table.CmdBeginRendering(commandBuffer.current, copy->ptr());

    RenderingScope& scope = commandBuffer.rendering;
    scope.suspends = pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT;
    copy->flags &= ~VK_RENDERING_RESUMING_BIT;
    forEachAttachment(
        *copy, [](vku::safe_VkRenderingAttachmentInfo& attachment) { attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD; });
    const VkRenderingInfo* plain = copy->ptr();
    scope.dynamic = std::shared_ptr<const VkRenderingInfo>(std::move(copy), plain);
    commandBuffer.log.clear(kScopeInRendering);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer handle)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdEndRendering(commandBuffer.current);
    commandBuffer.rendering.dynamic.reset();
    commandBuffer.log.clear(kScopeInRendering);
}

}  // namespace

const char* RenderingScope::obstacleToDispatch() const
{
    if (legacyPass)
        return "inside a render pass begun with vkCmdBeginRenderPass; dispatch it before the pass, or use "
               "vkCmdBeginRendering";
    if (dynamic && suspends)
        return "inside a rendering instance with VK_RENDERING_SUSPENDING_BIT";
    if (dynamic && transformFeedback)
        return "while transform feedback is active";
    if (dynamic && std::any_of(queries.begin(), queries.end(), [](const ActiveQuery& q) { return q.inRendering; }))
        return "inside a rendering instance while a query is active that began in it";
    return nullptr;
}

const char* RenderingScope::obstacleToSplit() const
{
    if (!queries.empty())
        return "a query is active";
    if (videoCoding)
        return "it is inside a video coding scope";
    return nullptr;
}

void interruptRendering(CommandBuffer& commandBuffer, bool predicated)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    const bool nested = scope.conditional && scope.conditionalInRendering;
    if (scope.conditional && (nested || !predicated))
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
    if (scope.dynamic)
        table.CmdEndRendering(commandBuffer.current);
    if (nested && predicated)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
}

void interruptPredicate(CommandBuffer& commandBuffer, bool predicated)
{
    if (commandBuffer.rendering.conditional && predicated)
        commandBuffer.device.table.CmdEndConditionalRenderingEXT(commandBuffer.current);
}

void resumeRendering(CommandBuffer& commandBuffer, bool predicated)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    const bool nested = scope.conditional && scope.conditionalInRendering;
    if (nested && predicated)
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
    if (scope.conditional && !nested && !predicated)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
    if (scope.dynamic) {
        table.CmdBeginRendering(commandBuffer.current, scope.dynamic.get());
        commandBuffer.log.replay(kScopeInRendering, table, commandBuffer.current);
    }
    if (nested)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
}

EntryPoints renderingEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdBeginRendering, kUseGraphs),
        {"vkCmdBeginRenderingKHR", erase(CmdBeginRendering), kUseGraphs},
        MILLRACE_ENTRY(CmdEndRendering, kUseGraphs),
        {"vkCmdEndRenderingKHR", erase(CmdEndRendering), kUseGraphs},
    };
    return entries;
}

}  // namespace millrace::layer
