// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/unknown_commands.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>
#include <vulkan/vulkan_hpp_macros.hpp>
// Needs those before it.
#include <vulkan/vulkan_extension_inspection.hpp>

#include "layer/base/guard.h"
#include "layer/loader/unknown_thunks.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/queue.h"

namespace millrace::layer {

namespace {

constexpr std::string_view kOfQueue = "vkQueue";
constexpr std::string_view kOfCommandBuffer = "vkCmd";

PFN_vkVoidFunction thunk([[maybe_unused]] size_t slot)
{
#if MILLRACE_HAS_THUNKS
    return reinterpret_cast<PFN_vkVoidFunction>(
        reinterpret_cast<uintptr_t>(millraceUnknownThunks + slot * kThunkBytes));
#else
    return nullptr;
#endif
}

// An instance that nobody can divide has no front, and queries of draws count in it.
void beginUnknownPass(CommandBuffer& commandBuffer)
{
    beginHeldQueries(commandBuffer);
    closeFront(commandBuffer);
    commandBuffer.front.obstacle = "in a render pass instance that a command began which is newer than the layer";
    commandBuffer.rendering.unknownPass = true;
}

// Of an instance of any kind. Between the parts of a suspended one there may be nothing.
void endPass(CommandBuffer& commandBuffer)
{
    RenderingScope& scope = commandBuffer.rendering;
    scope.unknownPass = scope.legacyPass = scope.secondary = false;
    scope.renderPass = nullptr;
    scope.again = nullptr;
    scope.dynamic.reset();
    commandBuffer.log.clear(kScopeInRendering);
    if (!std::exchange(scope.suspends, false))
        closeFront(commandBuffer);
}

// What a name says of scopes that it begins or ends. A graph must not be dispatched in a render pass that cannot be
// interrupted, nor a command buffer be split in what nobody can end and begin again.
[[maybe_unused]] void noteScope(CommandBuffer& commandBuffer, std::string_view name)
{
    RenderingScope& scope = commandBuffer.rendering;
    for (const char* const setter : {"vkCmdSet", "vkCmdBind", "vkCmdPush"})
        commandBuffer.hasUnknownState = commandBuffer.hasUnknownState || name.starts_with(setter);
    if (name.starts_with("vkCmdBeginRender"))
        beginUnknownPass(commandBuffer);
    else if (name.starts_with("vkCmdEndRender"))
        endPass(commandBuffer);
    else if (name.starts_with("vkCmdBegin"))
        ++scope.unknownScopes;
    else if (name.starts_with("vkCmdEnd") && scope.unknownScopes > 0)
        --scope.unknownScopes;
}

}  // namespace

PFN_vkVoidFunction UnknownCommands::get(std::string_view name, PFN_vkVoidFunction next)
{
    if (!next || (!name.starts_with(kOfQueue) && !name.starts_with(kOfCommandBuffer)))
        return next;
    std::lock_guard lock(m_mutex);
    for (size_t slot = 0; slot < m_count; ++slot)
        if (m_commands[slot].name == name)
            return thunk(slot);
    if (!MILLRACE_HAS_THUNKS || m_count == kMost) {
        m_passedOn = true;
        return next;
    }
    m_commands[m_count] = {std::string(name), next};
    return thunk(m_count++);
}

std::string unknownExtensions(std::span<const char* const> names)
{
    std::string unknown;
    for (const char* name : names)
        if (!VULKAN_HPP_NAMESPACE::isDeviceExtension(name))
            unknown += (unknown.empty() ? "" : ", ") + std::string(name);
    return unknown;
}

#if MILLRACE_HAS_THUNKS
extern "C" {
struct MillraceUnknownTarget {
    void* handle;
    PFN_vkVoidFunction next;
};
}

namespace {

// In place of the driver's function, whatever its arguments are: those are the caller's.
VkResult failUnknown()
{
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

// It may be a draw, so it finds bound what the application has bound.
void* prepare(void* handle, Device& device, const std::string& name)
{
    if (name.starts_with(kOfQueue)) {
        if (Queue* queue = device.queues.find(handleId(handle)))
            queue->drain();
        return handle;
    }
    CommandBuffer& commandBuffer = CommandBuffer::of(static_cast<VkCommandBuffer>(handle));
    commandBuffer.settle();
    commandBuffer.current.recordPutOff();
    noteScope(commandBuffer, name);
    return commandBuffer.current;
}

}  // namespace

// As base/guard.h has it: what is thrown is a failure of the command.
extern "C" __attribute__((visibility("hidden"), used)) MillraceUnknownTarget millraceFindUnknown(void* handle,
                                                                                                 size_t slot) noexcept
{
    Device& device = *Device::of(*static_cast<void**>(handle));
    const UnknownCommands::Command& command = device.unknownCommands[slot];
    try {
        return {prepare(handle, device, command.name), command.next};
    } catch (...) {
        if (command.name.starts_with(kOfCommandBuffer))
            noteFailure(static_cast<VkCommandBuffer>(handle));
        return {handle, reinterpret_cast<PFN_vkVoidFunction>(failUnknown)};
    }
}
#endif

}  // namespace millrace::layer
