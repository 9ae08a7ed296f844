// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_buffer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "layer/chains/chain.h"
#include "layer/loader/entry_points.h"
#include "layer/objects/query_pools.h"
#include "layer/recording/command_pool.h"
#include "layer/submission/held_work.h"

namespace millrace::layer {

namespace {

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo* pBeginInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.reset();
    VkCommandBufferBeginInfo info = *pBeginInfo;
    const QueryMaker* const queries = commandBuffer.device.queryMaker.get();
    VkCommandBufferInheritanceInfo inherited;
    if (queries && !commandBuffer.primary && info.pInheritanceInfo) {
        inherited = *info.pInheritanceInfo;
        inherited.pipelineStatistics = queries->driverStatistics(inherited.pipelineStatistics);
        info.pInheritanceInfo = &inherited;
    }
    commandBuffer.begin(info);
    return commandBuffer.device.table.BeginCommandBuffer(handle, &info);
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer handle)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.makeVisibleToHost();
    closeFront(commandBuffer);
    commandBuffer.makeCountsVisible();
    const VkResult result = commandBuffer.device.table.EndCommandBuffer(commandBuffer.current);
    return result == VK_SUCCESS ? commandBuffer.failure : result;
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags flags)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.reset();
    return commandBuffer.device.table.ResetCommandBuffer(handle, flags);
}

}  // namespace

NeverDestroyed<Registry<CommandBuffer>> CommandBuffer::s_all;

CommandBuffer::CommandBuffer(CommandPool& owner, VkCommandBuffer own, bool isPrimary)
    : device(owner.device),
      pool(owner),
      handle(own),
      primary(isPrimary),
      logs(isPrimary || device.usesCommands() || device.usesMesh()),
      current(own),
      streams{own}
{
}

CommandBuffer::~CommandBuffer()
{
    reset();
}

void CommandBuffer::begin(const VkCommandBufferBeginInfo& info)
{
    usage = info.flags;
    const auto* group = findInChain<VkDeviceGroupCommandBufferBeginInfo>(
        info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO);
    initialDeviceMask = group ? group->deviceMask : 0;
    if (!primary && info.pInheritanceInfo)
        keepInheritance(*info.pInheritanceInfo);
    cannotKeep("vkBeginCommandBuffer", missingStructures(info.pNext, group));
}

void CommandBuffer::keepInheritance(const VkCommandBufferInheritanceInfo& info)
{
    const auto* condition = findInChain<VkCommandBufferInheritanceConditionalRenderingInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);
    inheritedCondition.conditionalRenderingEnable = condition && condition->conditionalRenderingEnable;
    inheritance.pNext = inheritedCondition.conditionalRenderingEnable ? &inheritedCondition : nullptr;
    inheritance.occlusionQueryEnable = info.occlusionQueryEnable;
    inheritance.queryFlags = info.queryFlags;
    inheritance.pipelineStatistics = info.pipelineStatistics;
}

void CommandBuffer::forgetCommands()
{
    for (const std::shared_ptr<Watched>& run : runs)
        run->report();
    for (const std::shared_ptr<Watched>& one : watched)
        one->report();
    pool.freeHidden(m_hidden);
    m_hidden.clear();
    if (m_isSplit)
        device.held->countSplit(-1);
    m_isSplit = false;
    boundaries.clear();
    runs.clear();
    watched.clear();
    forSubmission.clear();
    keepAlive.clear();
    graphMemory.clear();
    streams = {handle};
    current.drop();
    current = handle;
    lent.clear();
    front = {};
    companion = VK_NULL_HANDLE;
    companionRepeat = VK_NULL_HANDLE;
    companionContinuations.clear();
    lostVertexState = false;
    drawMemory.reset();
    executed = nullptr;
    initialized.clear();
    memberVersions.clear();
    lateSecondaries.clear();
    copies = {};
    isReadByHost = false;
    countsMeshes = false;
    failure = VK_SUCCESS;
}

void CommandBuffer::reset()
{
    if (late)
        late->clear();
    forgetCommands();
    log.clear();
    graph.clear();
    rendering = {};
    chainsLayouts = false;
    hasUnknownState = false;
    generations = 0;
    meshFronts = 0;
    labels.clear();
    m_told.clear();
    m_notKept.clear();
}

VkCommandBuffer CommandBuffer::beginHidden(const std::string& name, VkCommandBufferUsageFlags moreUsage)
{
    m_hidden.push_back(VK_NULL_HANDLE);
    const VkCommandBuffer hidden = m_hidden.back() =
        pool.allocateHidden(name, primary ? VK_COMMAND_BUFFER_LEVEL_PRIMARY : VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    if (!hidden) {
        m_hidden.pop_back();
        fail(VK_ERROR_OUT_OF_HOST_MEMORY);
        return VK_NULL_HANDLE;
    }
    VkDeviceGroupCommandBufferBeginInfo group{VK_STRUCTURE_TYPE_DEVICE_GROUP_COMMAND_BUFFER_BEGIN_INFO};
    group.deviceMask = initialDeviceMask;
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (initialDeviceMask != 0)
        info.pNext = &group;
    if (!primary)
        info.pInheritanceInfo = &inheritance;
    // A sweep is submitted as often as its graph needs it.
    info.flags = (usage & ~VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) | moreUsage;
    const VkResult result = device.table.BeginCommandBuffer(hidden, &info);
    if (result != VK_SUCCESS) {
        fail(result);
        return VK_NULL_HANDLE;
    }
    return hidden;
}

VkCommandBuffer CommandBuffer::beginCompanion()
{
    m_hidden.push_back(VK_NULL_HANDLE);
    const VkCommandBuffer hidden = m_hidden.back() =
        pool.allocateHidden("in front of a render pass", VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    if (!hidden) {
        m_hidden.pop_back();
        fail(VK_ERROR_OUT_OF_HOST_MEMORY);
        return VK_NULL_HANDLE;
    }
    const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags =
        usage & ~(VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT | VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    info.pInheritanceInfo = &inheritance;
    const VkResult result = device.table.BeginCommandBuffer(hidden, &info);
    if (result != VK_SUCCESS) {
        fail(result);
        return VK_NULL_HANDLE;
    }
    return hidden;
}

void CommandBuffer::makeVisibleToHost()
{
    if (isReadByHost)
        runtime::recordHostBarrier(*device.runtime, current);
    isReadByHost = false;
}

// Those of a secondary one, which may be part of a render pass, are the primary one's.
void CommandBuffer::makeCountsVisible()
{
    if (!primary || !countsMeshes)
        return;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    device.table.CmdPipelineBarrier(current, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                    &barrier, 0, nullptr, 0, nullptr);
}

bool CommandBuffer::addStream(Boundary boundary, const std::string& name)
{
    const VkCommandBuffer next = beginHidden(name);
    if (!next)
        return false;
    boundaries.push_back(std::move(boundary));
    rememberOrUndo([&] { boundaries.pop_back(); }, [&] { streams.push_back(next); });
    return true;
}

bool CommandBuffer::divide(Boundary boundary, const std::string& name)
{
    // All that needs memory comes first: a command buffer that has ended takes no more commands.
    if (!addStream(std::move(boundary), name))
        return false;
    makeVisibleToHost();
    if (const VkResult result = device.table.EndCommandBuffer(current); result != VK_SUCCESS)
        fail(result);
    markSplit();
    current = streams.back();
    return true;
}

// Secondary ones are not submitted.
void CommandBuffer::markSplit()
{
    if (primary && !std::exchange(m_isSplit, true))
        device.held->countSplit(1);
}

void CommandBuffer::complete(size_t boundary, std::shared_ptr<Continuation> continuation, VkCommandBuffer more)
{
    boundaries[boundary] = {std::move(continuation), {more}, false};
    markSplit();
}

void CommandBuffer::execute(const CommandBuffer& secondary)
{
    for (size_t i = 0; i < secondary.streams.size(); ++i) {
        const auto late =
            std::ranges::find_if(secondary.lateSecondaries, [=](const auto& one) { return one.first == i; });
        if (late == secondary.lateSecondaries.end() || !executeLateSecondary(*this, *late->second))
            device.table.CmdExecuteCommands(current, 1, &secondary.streams[i]);
        if (i < secondary.boundaries.size() && secondary.boundaries[i].kind() == Boundary::Kind::Completes)
            executeBoundary(secondary.boundaries[i]);
    }
}

// Where this one cannot be divided nothing waits: what had no room is told when the secondary one is reset.
void CommandBuffer::executeBoundary(const Boundary& boundary)
{
    if (rendering.obstacleToSplit() || initialDeviceMask != 0)
        return;
    const VkCommandBuffer again = primary ? executeAgain(boundary.more) : VK_NULL_HANDLE;
    if (primary && !again)
        return;
    if (rendering.conditional)
        device.table.CmdEndConditionalRenderingEXT(current);
    divide({boundary.continuation, primary ? std::vector{again} : boundary.more, false},
           "behind a secondary command buffer");
    if (rendering.conditional)
        device.table.CmdBeginConditionalRenderingEXT(current, &rendering.conditionalInfo);
}

VkCommandBuffer CommandBuffer::executeAgain(const std::vector<VkCommandBuffer>& secondaries)
{
    const VkCommandBuffer again = beginHidden("secondary command buffers, again");
    if (!again)
        return VK_NULL_HANDLE;
    if (rendering.conditional)
        device.table.CmdBeginConditionalRenderingEXT(again, &rendering.conditionalInfo);
    device.table.CmdExecuteCommands(again, static_cast<uint32_t>(secondaries.size()), secondaries.data());
    if (rendering.conditional)
        device.table.CmdEndConditionalRenderingEXT(again);
    if (const VkResult result = device.table.EndCommandBuffer(again); result != VK_SUCCESS)
        fail(result);
    return again;
}

bool CommandBuffer::goOn(const std::string& name)
{
    if (!addStream(Boundary::following(), name))
        return false;
    makeVisibleToHost();
    current = streams.back();
    return true;
}

bool CommandBuffer::goOnBehind(const std::string& name)
{
    const VkCommandBuffer before = current;
    if (!goOn(name))
        return false;
    if (const VkResult result = device.table.EndCommandBuffer(before); result != VK_SUCCESS)
        fail(result);
    return true;
}

void CommandBuffer::fail(VkResult result)
{
    if (failure == VK_SUCCESS)
        failure = result;
}

void CommandBuffer::cannotKeep(const char* command, const StructureTypes& types)
{
    if (types.empty() || !logs)
        return;
    const auto same = [&](const auto& told) { return command == std::string_view(told.first) && told.second == types; };
    if (std::none_of(m_notKept.begin(), m_notKept.end(), same))
        m_notKept.emplace_back(command, types);
}

void CommandBuffer::tellWhatIsNotKept(const std::string& place) const
{
    for (const auto& [command, types] : m_notKept)
        device.tellUnknown(command, types, place + ", what the command set is set again without it");
}

void noteFailure(VkCommandBuffer handle) noexcept
{
    // Where nothing uses graphs there are no command buffers.
    if (CommandBuffer* commandBuffer = CommandBuffer::s_all.value.find(handleId(handle)))
        commandBuffer->fail(VK_ERROR_OUT_OF_HOST_MEMORY);
}

void CommandBuffer::remember(CommandPool& pool, VkCommandBuffer handle, bool primary)
{
    s_all.value.insert(handleId(handle), std::make_shared<CommandBuffer>(pool, handle, primary));
}

void CommandBuffer::forget(VkCommandBuffer handle)
{
    s_all.value.remove(handleId(handle));
}

EntryPoints commandBufferEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(BeginCommandBuffer, kUseState),
        MILLRACE_ENTRY(EndCommandBuffer, kUseState),
        MILLRACE_ENTRY(ResetCommandBuffer, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
