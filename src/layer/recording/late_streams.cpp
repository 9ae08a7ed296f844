// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/late_streams.h"

#include <utility>

#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"
#include "layer/recording/divided_instance.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr char kName[] = "generated commands with an execution set";

using WatchedList = std::vector<std::shared_ptr<Watched>>;

void takeBehind(WatchedList& list, size_t first, WatchedList& out)
{
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    out.assign(begin, list.end());
    list.erase(begin, list.end());
}

bool continuesPass(const CommandBuffer& commandBuffer)
{
    return commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
}

// A command buffer of its own to the layer, with the state and the names of another.
std::unique_ptr<CommandBuffer> createBody(CommandBuffer& owner, const CommandBuffer& state)
{
    auto body = std::make_unique<CommandBuffer>(owner.pool, owner.handle, true);
    body->reporter = &owner;
    body->usage = owner.usage;
    body->log.assign(state.log);
    body->layouts = state.layouts.empty() ? layoutsOf(state) : state.layouts;
    body->labels = state.labels;
    body->generations = state.generations;
    // In force for all of it.
    const RenderingScope& scope = state.rendering.conditional ? state.rendering : owner.rendering;
    body->rendering.conditional = scope.conditional;
    body->rendering.conditionalInfo = scope.conditionalInfo;
    return body;
}

// Null if the driver has no memory. Requires: the pool's mutex is held.
VkCommandBuffer take(CommandPool& pool)
{
    const Device& device = pool.device;
    LatePool& late = pool.late;
    if (!late.free.empty()) {
        const VkCommandBuffer taken = late.free.back();
        late.free.pop_back();
        return taken;
    }
    if (!late.handle) {
        VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        info.queueFamilyIndex = pool.queueFamily;
        if (device.table.CreateCommandPool(device.handle, &info, runtime::hostMemory(), &late.handle) != VK_SUCCESS)
            late.handle = VK_NULL_HANDLE;
        device.names.set(VK_OBJECT_TYPE_COMMAND_POOL, late.handle, {"command pool"});
    }
    return allocateHidden(device, late.handle, kName);
}

}  // namespace

LateStreams::~LateStreams()
{
    clear();
}

VkResult LateStreams::record(Piece& piece)
{
    CommandBuffer& body = *piece.body;
    const VkuDeviceDispatchTable& table = body.device.table;
    body.forgetCommands();
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = m_owner.usage & ~VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (const VkResult result = table.BeginCommandBuffer(piece.handle, &info); result != VK_SUCCESS)
        return result;
    body.current = piece.handle;
    body.generations = piece.generations;
    const bool isPredicated = body.rendering.conditional;
    if (isPredicated)
        table.CmdBeginConditionalRenderingEXT(piece.handle, &body.rendering.conditionalInfo);
    body.log.replay(kScopeDescriptorBuffers, table, piece.handle);
    piece.commands->record(body);
    body.makeVisibleToHost();
    body.makeCountsVisible();
    if (isPredicated)
        table.CmdEndConditionalRenderingEXT(piece.handle);
    const VkResult result = table.EndCommandBuffer(piece.handle);
    return result == VK_SUCCESS ? body.failure : result;
}

VkCommandBuffer LateStreams::add(std::unique_ptr<LateCommands> commands, const CommandBuffer& state, size_t index)
{
    const std::lock_guard lock(m_mutex);
    const std::lock_guard poolLock(m_owner.pool.late.mutex);
    const VkCommandBuffer handle = take(m_owner.pool);
    if (!handle) {
        m_owner.fail(VK_ERROR_OUT_OF_HOST_MEMORY);
        return VK_NULL_HANDLE;
    }
    rememberOrUndo(
        [&] { m_owner.pool.late.free.push_back(handle); },
        [&] {
            m_pieces.push_back({std::move(commands), createBody(m_owner, state), handle, index, state.generations});
        });
    if (const VkResult result = record(m_pieces.back()); result != VK_SUCCESS)
        m_owner.fail(result);
    return handle;
}

// Unless it may be submitted while it is pending, the device does not use it any more.
VkResult LateStreams::renew(Piece& piece)
{
    if ((m_owner.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) == 0)
        return record(piece);
    m_replaced.reserve(m_replaced.size() + 1);
    std::unique_ptr<CommandBuffer> body = createBody(m_owner, *piece.body);
    const VkCommandBuffer handle = take(m_owner.pool);
    if (!handle)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    m_replaced.push_back(
        {nullptr, std::exchange(piece.body, std::move(body)), std::exchange(piece.handle, handle), 0, 0});
    return record(piece);
}

VkResult LateStreams::renew()
{
    const std::lock_guard lock(m_mutex);
    for (Piece& piece : m_pieces) {
        if (!piece.commands->isOutdated())
            continue;
        const std::lock_guard poolLock(m_owner.pool.late.mutex);
        if (const VkResult result = renew(piece); result != VK_SUCCESS)
            return result;
        m_owner.streams[piece.index] = piece.handle;
    }
    return VK_SUCCESS;
}

std::vector<VkCommandBuffer> LateStreams::streams() const
{
    const std::lock_guard lock(m_mutex);
    return m_owner.streams;
}

void LateStreams::addWatched(std::vector<std::shared_ptr<Watched>>& list) const
{
    const std::lock_guard lock(m_mutex);
    for (const Piece& piece : m_pieces)
        list.insert(list.end(), piece.body->watched.begin(), piece.body->watched.end());
}

void LateStreams::clear()
{
    const std::vector<Piece> used = std::exchange(m_pieces, {});
    const std::vector<Piece> replaced = std::exchange(m_replaced, {});
    const std::lock_guard poolLock(m_owner.pool.late.mutex);
    for (const std::vector<Piece>* const pieces : {&used, &replaced})
        for (const Piece& piece : *pieces)
            m_owner.pool.late.free.push_back(piece.handle);
}

const char* obstacleToLateStream(const CommandBuffer& commandBuffer)
{
    const Device& device = commandBuffer.device;
    const RenderingScope& scope = commandBuffer.rendering;
    if (!commandBuffer.primary && (scope.inside() || continuesPass(commandBuffer)))
        return "in a render pass instance, in a secondary command buffer";
    if (commandBuffer.initialDeviceMask != 0)
        return "in a command buffer for a part of a device group";
    if (device.unknownCommands.arePassedOn())
        return "on a device for which there are more commands newer than the layer than it can redirect";
    if (!commandBuffer.keepsAll() || !scope.notKept.empty() || !scope.conditionalNotKept.empty())
        return "behind a command with structures newer than the layer";
    if (commandBuffer.hasUnknownState)
        return "behind a command newer than the layer";
    if (scope.hasBegunQueries())
        return "recorded while a query is active";
    if (const char* const obstacle = scope.obstacleBesideQueries())
        return obstacle;
    if (!scope.inside())
        return nullptr;
    if (scope.legacyPass)
        return canBeDivided(commandBuffer) ? nullptr : "in a render pass instance that cannot be divided";
    if (const char* const obstacle = scope.obstacleToDispatch())
        return obstacle;
    return losesAttachments(scope) ? "in a rendering instance with an attachment that is neither loaded nor stored"
                                   : nullptr;
}

bool insertLateStream(CommandBuffer& commandBuffer, std::unique_ptr<LateCommands> commands, const CommandBuffer& state)
{
    if (!commandBuffer.late)
        commandBuffer.late = std::make_unique<LateStreams>(commandBuffer);
    commandBuffer.device.hasLateStreams = true;
    const size_t index = commandBuffer.streams.size();
    const VkCommandBuffer stream = commandBuffer.late->add(std::move(commands), state, index);
    return stream && commandBuffer.goAround(stream);
}

LateSecondary::~LateSecondary() = default;

void recordLateSecondary(CommandBuffer& commandBuffer, MakeLateCommands make, const std::function<void()>& record)
{
    auto late = std::make_shared<LateSecondary>();
    late->make = std::move(make);
    late->state = createBody(commandBuffer, commandBuffer);
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    interruptRendering(commandBuffer, false);
    if (!commandBuffer.goOnBehind(kName))
        return;
    const size_t index = commandBuffer.streams.size() - 1;
    const size_t watched = commandBuffer.watched.size();
    const size_t forSubmission = commandBuffer.forSubmission.size();
    commandBuffer.memberVersions.clear();
    if (scope.conditional)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
    commandBuffer.log.replay(kScopeDescriptorBuffers, table, commandBuffer.current);
    record();
    if (scope.conditional)
        table.CmdEndConditionalRenderingEXT(commandBuffer.current);
    takeBehind(commandBuffer.watched, watched, late->watched);
    takeBehind(commandBuffer.forSubmission, forSubmission, late->forSubmission);
    commandBuffer.memberVersions.clear();
    commandBuffer.lateSecondaries.emplace_back(index, std::move(late));
    if (!commandBuffer.goOnBehind("behind generated commands with an execution set"))
        return;
    commandBuffer.log.replay(kScopeOutsideRendering, table, commandBuffer.current);
    resumeRendering(commandBuffer, false);
}

bool executeLateSecondary(CommandBuffer& commandBuffer, const LateSecondary& secondary)
{
    if (!commandBuffer.primary || commandBuffer.rendering.inside() || obstacleToLateStream(commandBuffer)) {
        const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
        append(commandBuffer.watched, secondary.watched);
        append(commandBuffer.forSubmission, secondary.forSubmission);
        return false;
    }
    interruptRendering(commandBuffer, false);
    insertLateStream(commandBuffer, secondary.make(), *secondary.state);
    resumeRendering(commandBuffer, false);
    return true;
}

}  // namespace millrace::layer
