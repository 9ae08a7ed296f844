// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/rendering.h"

#include <algorithm>
#include <span>
#include <string>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

enum class Aspect { Color, Depth, Stencil };

bool isReadOnly(VkImageLayout layout, Aspect aspect)
{
    switch (layout) {
        case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
        case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
        case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
        case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
            return true;
        case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
            return aspect == Aspect::Depth;
        case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
            return aspect == Aspect::Stencil;
        default:
            return false;
    }
}

// What was in the attachment stays there, unless something is drawn: neither the begin nor the end of the instance
// touches it, so neither may ours.
bool isLeftAlone(VkAttachmentLoadOp loadOp, VkAttachmentStoreOp storeOp)
{
    return loadOp == VK_ATTACHMENT_LOAD_OP_NONE && storeOp == VK_ATTACHMENT_STORE_OP_NONE;
}

// A graph may interrupt the instance, so what is in the attachments must survive its end.
bool mustBeStored(const VkRenderingAttachmentInfo& attachment, Aspect aspect)
{
    const bool isRead = isReadOnly(attachment.imageLayout, aspect) && attachment.loadOp != VK_ATTACHMENT_LOAD_OP_CLEAR;
    const bool isNotWritten = isRead || isLeftAlone(attachment.loadOp, attachment.storeOp);
    return attachment.imageView && (attachment.storeOp == VK_ATTACHMENT_STORE_OP_DONT_CARE ||
                                    (attachment.storeOp == VK_ATTACHMENT_STORE_OP_NONE && !isNotWritten));
}

std::span<const VkRenderingAttachmentInfo> colorsOf(const VkRenderingInfo& info)
{
    return {info.pColorAttachments, info.colorAttachmentCount};
}

// The application's structures, chains included, with attachments that are stored.
class StoredRendering {
public:
    explicit StoredRendering(const VkRenderingInfo& info) : m_info(info)
    {
        const std::span<const VkRenderingAttachmentInfo> colors = colorsOf(info);
        if (std::ranges::any_of(colors, [](const auto& color) { return mustBeStored(color, Aspect::Color); })) {
            m_colors.assign(colors.begin(), colors.end());
            for (VkRenderingAttachmentInfo& color : m_colors)
                store(color, Aspect::Color);
            m_info.pColorAttachments = m_colors.data();
        }
        m_info.pDepthAttachment = store(info.pDepthAttachment, Aspect::Depth, m_depth);
        m_info.pStencilAttachment = store(info.pStencilAttachment, Aspect::Stencil, m_stencil);
    }
    StoredRendering(const StoredRendering&) = delete;
    StoredRendering& operator=(const StoredRendering&) = delete;

    const VkRenderingInfo* get() const { return &m_info; }

private:
    static void store(VkRenderingAttachmentInfo& attachment, Aspect aspect)
    {
        if (mustBeStored(attachment, aspect))
            attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    }
    static const VkRenderingAttachmentInfo* store(const VkRenderingAttachmentInfo* attachment, Aspect aspect,
                                                  VkRenderingAttachmentInfo& copy)
    {
        if (!attachment || !mustBeStored(*attachment, aspect))
            return attachment;
        copy = *attachment;
        store(copy, aspect);
        return &copy;
    }

    VkRenderingInfo m_info;
    std::vector<VkRenderingAttachmentInfo> m_colors;
    VkRenderingAttachmentInfo m_depth{};
    VkRenderingAttachmentInfo m_stencil{};
};

void load(vku::safe_VkRenderingAttachmentInfo& attachment)
{
    if (!isLeftAlone(attachment.loadOp, attachment.storeOp))
        attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
}

void addMissing(const VkRenderingAttachmentInfo& from, const vku::safe_VkRenderingAttachmentInfo& copy,
                StructureTypes& types)
{
    for (VkStructureType type : missingStructures(from.pNext, copy.pNext))
        types.push_back(type);
}

// What continues the instance where a graph has interrupted it.
void keepForLater(const VkRenderingInfo& info, RenderingScope& scope)
{
    auto copy = std::make_shared<vku::safe_VkRenderingInfo>(&info);
    scope.notKept = missingStructures(info.pNext, copy->pNext);
    for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
        addMissing(info.pColorAttachments[i], copy->pColorAttachments[i], scope.notKept);
    if (info.pDepthAttachment)
        addMissing(*info.pDepthAttachment, *copy->pDepthAttachment, scope.notKept);
    if (info.pStencilAttachment)
        addMissing(*info.pStencilAttachment, *copy->pStencilAttachment, scope.notKept);
    copy->flags &= ~VK_RENDERING_RESUMING_BIT;
    for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
        load(copy->pColorAttachments[i]);
    for (vku::safe_VkRenderingAttachmentInfo* attachment : {copy->pDepthAttachment, copy->pStencilAttachment})
        if (attachment)
            load(*attachment);
    const VkRenderingInfo* plain = copy->ptr();
    scope.dynamic = std::shared_ptr<const VkRenderingInfo>(std::move(copy), plain);
    scope.suspends = info.flags & VK_RENDERING_SUSPENDING_BIT;
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* pRenderingInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    // Behind a suspended instance there may be no barrier.
    if (pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT)
        commandBuffer.makeVisibleToHost();
    constexpr VkRenderingFlags kParts = VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT;
    openFront(commandBuffer, pRenderingInfo->flags & VK_RENDERING_RESUMING_BIT, pRenderingInfo->flags & kParts);
    beginHeldQueries(commandBuffer);
    if (!commandBuffer.primary) {
        table.CmdBeginRendering(commandBuffer.current, pRenderingInfo);
        commandBuffer.rendering.secondary = true;
        commandBuffer.rendering.suspends = pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT;
        commandBuffer.log.clear(kScopeInRendering);
        return;
    }
    const StoredRendering stored(*pRenderingInfo);
    table.CmdBeginRendering(commandBuffer.current, stored.get());
    keepForLater(*stored.get(), commandBuffer.rendering);
    commandBuffer.log.clear(kScopeInRendering);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer handle)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    // Nothing follows what has ended the instance for its own part already.
    const bool hasEnded = hasOpenLateStream(commandBuffer);
    if (!hasEnded)
        commandBuffer.device.table.CmdEndRendering(commandBuffer.current);
    commandBuffer.rendering.dynamic.reset();
    if (hasEnded)
        commandBuffer.current.recordPutOff();
    commandBuffer.rendering.secondary = false;
    commandBuffer.log.clear(kScopeInRendering);
    // Between the parts of a suspended instance there may be nothing.
    if (!commandBuffer.rendering.suspends)
        closeFront(commandBuffer);
}

}  // namespace

const char* RenderingScope::obstacleToDispatch() const
{
    if (legacyPass)
        return "inside a render pass begun with vkCmdBeginRenderPass; dispatch it before the pass, or use "
               "vkCmdBeginRendering";
    if (unknownPass)
        return "inside a render pass begun with a command that is newer than the layer";
    if (dynamic && suspends)
        return "inside a rendering instance with VK_RENDERING_SUSPENDING_BIT";
    if (dynamic && transformFeedback)
        return "while transform feedback is active";
    if (dynamic && std::any_of(queries.begin(), queries.end(), [](const ActiveQuery& q) { return q.inRendering; }))
        return "inside a rendering instance while a query is active that began in it";
    return nullptr;
}

bool RenderingScope::hasBegunQueries() const
{
    return !std::ranges::all_of(queries, &ActiveQuery::isHeld);
}

const char* RenderingScope::obstacleToSplit() const
{
    return queries.empty() ? obstacleBesideQueries() : "a query is active";
}

const char* RenderingScope::obstacleBesideQueries() const
{
    if (unknownScopes > 0)
        return "a scope is open that a command began which is newer than the layer";
    if (videoCoding)
        return "it is inside a video coding scope";
    return nullptr;
}

namespace {

// Neither is what such an attachment held to be touched, nor is what is drawn to it kept behind the end of an instance:
// whether something is drawn to it, nobody knows where the instance begins.
std::string attachmentsThatLose(const VkRenderingInfo& info)
{
    std::string text;
    const auto add = [&](const VkRenderingAttachmentInfo* attachment, Aspect aspect, const std::string& name) {
        if (attachment && attachment->imageView && isLeftAlone(attachment->loadOp, attachment->storeOp) &&
            !isReadOnly(attachment->imageLayout, aspect))
            text += (text.empty() ? "" : ", ") + name;
    };
    for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
        add(&info.pColorAttachments[i], Aspect::Color, "color attachment " + std::to_string(i));
    add(info.pDepthAttachment, Aspect::Depth, "the depth attachment");
    add(info.pStencilAttachment, Aspect::Stencil, "the stencil attachment");
    return text;
}

void tellWhatIsLost(CommandBuffer& commandBuffer)
{
    const std::string attachments = attachmentsThatLose(*commandBuffer.rendering.dynamic);
    if (attachments.empty() || !commandBuffer.isNews("Millrace-attachment-not-kept", attachments))
        return;
    commandBuffer.device.messages().warning(
        "Millrace-attachment-not-kept", commandBuffer.reference(),
        "a rendering instance is interrupted, as by an execution graph, and goes on: what was drawn in it before may "
        "be "
        "lost in what has both VK_ATTACHMENT_LOAD_OP_NONE and VK_ATTACHMENT_STORE_OP_NONE: " +
            attachments,
        "Give it another operation if something is drawn to it; docs/layer.md says what interrupts instances");
}

}  // namespace

void waitForAttachments(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    constexpr VkPipelineStageFlags kWriting = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                              VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                              VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    barrier.dstAccessMask = barrier.srcAccessMask | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                            VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
    table.CmdPipelineBarrier(commandBuffer, kWriting, kWriting | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 1, &barrier,
                             0, nullptr, 0, nullptr);
}

bool losesAttachments(const RenderingScope& scope)
{
    return scope.dynamic && !attachmentsThatLose(*scope.dynamic).empty();
}

void interruptRendering(CommandBuffer& commandBuffer, bool predicated)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    const bool nested = scope.conditional && scope.conditionalInRendering;
    if (scope.inside())
        commandBuffer.front.obstacle =
            "behind something that interrupts the render pass instance, such as an "
            "execution graph";
    // What began outside of an instance must not end in it (VUID-vkCmdEndConditionalRenderingEXT-None-01986).
    if (nested)
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
    if (scope.dynamic) {
        tellWhatIsLost(commandBuffer);
        table.CmdEndRendering(commandBuffer.current);
    }
    if (scope.conditional && !nested && !predicated)
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
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
    constexpr char kWithout[] = "behind what interrupts it, such as an execution graph, it goes on without that";
    if (scope.dynamic)
        commandBuffer.device.tellUnknown("vkCmdBeginRendering", scope.notKept, kWithout);
    if (scope.conditional)
        commandBuffer.device.tellUnknown("vkCmdBeginConditionalRenderingEXT", scope.conditionalNotKept, kWithout);
    const bool nested = scope.conditional && scope.conditionalInRendering;
    if (nested && predicated)
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
    if (scope.conditional && !nested && !predicated)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
    if (scope.dynamic) {
        reopenFront(commandBuffer);
        waitForAttachments(table, commandBuffer.current);
        table.CmdBeginRendering(commandBuffer.current, scope.dynamic.get());
        commandBuffer.log.replay(kScopeInRendering, table, commandBuffer.current);
    }
    if (nested)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
}

EntryPoints renderingEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdBeginRendering, kUseState),
        {"vkCmdBeginRenderingKHR", guarded<&CmdBeginRendering>(), kUseState},
        MILLRACE_ENTRY(CmdEndRendering, kUseState),
        {"vkCmdEndRenderingKHR", guarded<&CmdEndRendering>(), kUseState},
    };
    return entries;
}

}  // namespace millrace::layer
