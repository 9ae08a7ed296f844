// SPDX-License-Identifier: Apache-2.0
// Commands that begin and end something, beside dynamic rendering and queries.
#include <span>
#include <vector>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/loader/entry_points.h"
#include "layer/objects/render_passes.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

// Calls the driver, then notes what has begun or ended.
template <auto Member, auto Note>
struct Scope;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...), auto Note>
struct Scope<Member, Note> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        (commandBuffer.device.table.*Member)(commandBuffer.current, args...);
        Note(commandBuffer, args...);
    }
};

void beginConditional(CommandBuffer& commandBuffer, const VkConditionalRenderingBeginInfoEXT* info)
{
    RenderingScope& scope = commandBuffer.rendering;
    scope.conditional = true;
    scope.conditionalInRendering = scope.inside();
    scope.conditionalInfo = *info;
    scope.conditionalInfo.pNext = nullptr;
    // No known structure extends it.
    scope.conditionalNotKept = missingStructures(info->pNext, nullptr);
}

void endConditional(CommandBuffer& commandBuffer)
{
    commandBuffer.rendering.conditional = false;
}

void beginTransformFeedback(CommandBuffer& commandBuffer, uint32_t, uint32_t, const VkBuffer*, const VkDeviceSize*)
{
    commandBuffer.rendering.transformFeedback = true;
}

void endTransformFeedback(CommandBuffer& commandBuffer, uint32_t, uint32_t, const VkBuffer*, const VkDeviceSize*)
{
    commandBuffer.rendering.transformFeedback = false;
}

void beginVideo(CommandBuffer& commandBuffer, const VkVideoBeginCodingInfoKHR*)
{
    commandBuffer.rendering.videoCoding = true;
}

void endVideo(CommandBuffer& commandBuffer, const VkVideoEndCodingInfoKHR*)
{
    commandBuffer.rendering.videoCoding = false;
}

// All state is undefined behind secondary command buffers, but for the render pass instance.
VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                              const VkCommandBuffer* pCommandBuffers)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    beginHeldQueries(commandBuffer);
    std::vector<VkCommandBuffer> whole;  // those that one of the driver's is enough for
    const auto executeWhole = [&] {
        if (!whole.empty())
            commandBuffer.device.table.CmdExecuteCommands(commandBuffer.current, static_cast<uint32_t>(whole.size()),
                                                          whole.data());
        whole.clear();
    };
    for (const VkCommandBuffer secondary : executeInFront(commandBuffer, {pCommandBuffers, count})) {
        if (const CommandBuffer& own = CommandBuffer::of(secondary); own.streams.size() > 1) {
            executeWhole();
            commandBuffer.execute(own);
        } else {
            whole.push_back(secondary);
        }
    }
    executeWhole();
    for (const VkCommandBuffer secondary : std::span(pCommandBuffers, count)) {
        const CommandBuffer& own = CommandBuffer::of(secondary);
        commandBuffer.watched.insert(commandBuffer.watched.end(), own.watched.begin(), own.watched.end());
        commandBuffer.forSubmission.insert(commandBuffer.forSubmission.end(), own.forSubmission.begin(),
                                           own.forSubmission.end());
        commandBuffer.countsMeshes = commandBuffer.countsMeshes || own.countsMeshes;
        if (own.executed && !own.companion)
            own.executed(commandBuffer, own);
    }
    commandBuffer.log.clear();
    commandBuffer.graph.clear();
}

VkSubpassContents contentsOf(VkSubpassContents contents)
{
    return contents;
}
VkSubpassContents contentsOf(const VkSubpassBeginInfo* info)
{
    return info->contents;
}

// Only where it may become necessary to go on with another: because of what is in front, or of what has a stream of its
// own.
void keepForLater(CommandBuffer& commandBuffer, const VkRenderPassBeginInfo& info, bool isStored)
{
    RenderingScope& scope = commandBuffer.rendering;
    if (!scope.renderPass || !scope.renderPass->again || (!commandBuffer.front.stream && !isStored) ||
        (scope.renderPass->stored && !isStored))
        return;
    auto copy = std::make_shared<vku::safe_VkRenderPassBeginInfo>(&info);
    scope.notKept = missingStructures(info.pNext, copy->pNext);
    copy->renderPass = scope.renderPass->again;
    const VkRenderPassBeginInfo* plain = copy->ptr();
    scope.again = std::shared_ptr<const VkRenderPassBeginInfo>(std::move(copy), plain);
}

template <auto Member>
struct BeginPass;
template <typename Contents, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, const VkRenderPassBeginInfo*, Contents)>
struct BeginPass<Member> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, const VkRenderPassBeginInfo* pInfo,
                                           Contents contents)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        openFront(commandBuffer, false, true);
        beginHeldQueries(commandBuffer);
        RenderingScope& scope = commandBuffer.rendering;
        scope.renderPass = commandBuffer.device.renderPasses.share(handleId(pInfo->renderPass));
        const bool isStored = commandBuffer.device.dividesPasses && commandBuffer.primary && scope.renderPass;
        VkRenderPassBeginInfo info = *pInfo;
        if (isStored && scope.renderPass->stored)
            info.renderPass = scope.renderPass->stored;
        (commandBuffer.device.table.*Member)(commandBuffer.current, &info, contents);
        scope.legacyPass = true;
        scope.subpass = 0;
        scope.contents = contentsOf(contents);
        keepForLater(commandBuffer, *pInfo, isStored);
    }
};

// What runs in front of all subpasses cannot wait for one.
void nextSubpass(CommandBuffer& commandBuffer, VkSubpassContents contents)
{
    RenderingScope& scope = commandBuffer.rendering;
    ++scope.subpass;
    scope.contents = contents;
    if (scope.renderPass && scope.renderPass->waiting.contains(scope.subpass))
        commandBuffer.front.waits = "in a subpass in which it has to wait for one before";
}

void nextSubpass2(CommandBuffer& commandBuffer, const VkSubpassBeginInfo* info, const VkSubpassEndInfo*)
{
    nextSubpass(commandBuffer, info->contents);
}

// Nothing follows what has ended the instance for its own part already.
template <auto Member>
struct EndPass;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct EndPass<Member> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        const bool hasEnded = hasOpenLateStream(commandBuffer);
        if (!hasEnded)
            (commandBuffer.device.table.*Member)(commandBuffer.current, args...);
        RenderingScope& scope = commandBuffer.rendering;
        scope.legacyPass = false;
        scope.renderPass = nullptr;
        scope.again = nullptr;
        if (hasEnded)
            commandBuffer.current.recordPutOff();
        closeFront(commandBuffer);
    }
};

#define SCOPE(name, note)                                                          \
    {                                                                              \
        "vkCmd" #name, guarded<&Scope<&Table::Cmd##name, note>::call>(), kUseState \
    }

}  // namespace

EntryPoints scopeEntryPoints()
{
    static const EntryPoint entries[] = {
        {"vkCmdBeginRenderPass", guarded<&BeginPass<&Table::CmdBeginRenderPass>::call>(), kUseState},
        {"vkCmdBeginRenderPass2", guarded<&BeginPass<&Table::CmdBeginRenderPass2>::call>(), kUseState},
        {"vkCmdBeginRenderPass2KHR", guarded<&BeginPass<&Table::CmdBeginRenderPass2KHR>::call>(), kUseState},
        SCOPE(NextSubpass, nextSubpass),
        SCOPE(NextSubpass2, nextSubpass2),
        SCOPE(NextSubpass2KHR, nextSubpass2),
        {"vkCmdEndRenderPass", guarded<&EndPass<&Table::CmdEndRenderPass>::call>(), kUseState},
        {"vkCmdEndRenderPass2", guarded<&EndPass<&Table::CmdEndRenderPass2>::call>(), kUseState},
        {"vkCmdEndRenderPass2KHR", guarded<&EndPass<&Table::CmdEndRenderPass2KHR>::call>(), kUseState},
        SCOPE(BeginConditionalRenderingEXT, beginConditional),
        SCOPE(EndConditionalRenderingEXT, endConditional),
        SCOPE(BeginTransformFeedbackEXT, beginTransformFeedback),
        SCOPE(EndTransformFeedbackEXT, endTransformFeedback),
        SCOPE(BeginVideoCodingKHR, beginVideo),
        SCOPE(EndVideoCodingKHR, endVideo),
        MILLRACE_ENTRY(CmdExecuteCommands, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
