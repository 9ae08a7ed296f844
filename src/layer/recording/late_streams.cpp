// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/late_streams.h"

#include <algorithm>
#include <utility>

#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"
#include "layer/recording/divided_instance.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr char kName[] = "generated commands with an execution set";
constexpr char kBehind[] = "behind generated commands with an execution set";

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

// Null if the driver has no memory. Requires: the pool's mutex is held.
VkCommandBuffer takeFrom(CommandPool& pool)
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

// The instance ends here, and what is in force in it.
void interruptInstance(CommandBuffer& commandBuffer)
{
    if (commandBuffer.rendering.legacyPass)
        endPart(commandBuffer);
    interruptRendering(commandBuffer, false);
    closeFront(commandBuffer);
}

void resumeInstance(CommandBuffer& commandBuffer)
{
    const bool isInPass = commandBuffer.rendering.legacyPass;
    if (isInPass)
        waitForPart(commandBuffer.device, commandBuffer.current);
    resumeRendering(commandBuffer, false);
    if (!isInPass)
        return;
    openFront(commandBuffer, false, true);
    beginNextPart(commandBuffer);
}

}  // namespace

bool LateStreams::Piece::isOutdated() const
{
    return std::ranges::any_of(versions, [](const auto& one) { return *one.first != one.second; });
}

LateStreams::~LateStreams()
{
    clear();
}

// Requires: the mutexes are held, as for all that records.
bool LateStreams::take(const LateSeries& series, Handles& handles)
{
    handles.stream = takeFrom(m_owner.pool);
    if (series.isInInstance())
        handles.front = takeFrom(m_owner.pool);
    const bool areThere = handles.stream && (handles.front || !series.isInInstance());
    if (!areThere)
        giveBack(handles);
    return areThere;
}

void LateStreams::giveBack(const Handles& handles)
{
    for (const VkCommandBuffer one : {handles.front, handles.stream})
        if (one)
            m_owner.pool.late.free.push_back(one);
}

bool LateStreams::addPiece(std::shared_ptr<const LateSeries> series)
{
    Piece& piece = m_pieces.emplace_back();
    piece.series = std::move(series);
    piece.body = piece.series->createBody(m_owner);
    if (take(*piece.series, piece.handles))
        return true;
    m_pieces.pop_back();
    m_owner.fail(VK_ERROR_OUT_OF_HOST_MEMORY);
    return false;
}

VkResult LateStreams::begin(Piece& piece)
{
    piece.series->reset(*piece.body);
    piece.versions.clear();
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = m_owner.usage & ~VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    for (const VkCommandBuffer one : {piece.handles.front, piece.handles.stream})
        if (one)
            if (const VkResult result = m_owner.device.table.BeginCommandBuffer(one, &info); result != VK_SUCCESS)
                return result;
    piece.series->begin(*piece.body, piece.handles.stream, piece.handles.front);
    return VK_SUCCESS;
}

// Where a set changes between two commands with it, the earlier one is outdated already.
void LateStreams::recordNext(Piece& piece, size_t index)
{
    const std::atomic<uint64_t>* const version = piece.series->command(index).version.get();
    if (!version) {
        piece.series->record(*piece.body, index);
        return;
    }
    if (piece.versions.empty() || piece.versions.back().first != version)
        piece.versions.emplace_back(version, *version);
    piece.series->record(*piece.body, index);
}

VkResult LateStreams::end(Piece& piece)
{
    piece.series->end(*piece.body);
    const VkResult result = m_owner.device.table.EndCommandBuffer(piece.handles.stream);
    return result == VK_SUCCESS ? piece.body->failure : result;
}

VkResult LateStreams::recordAll(Piece& piece)
{
    if (const VkResult result = begin(piece); result != VK_SUCCESS)
        return result;
    for (size_t i = 0; i < piece.series->size(); ++i)
        recordNext(piece, i);
    return end(piece);
}

bool LateStreams::open()
{
    const auto series = std::make_shared<LateSeries>(m_owner);
    const std::lock_guard lock(m_mutex);
    const std::lock_guard poolLock(m_owner.pool.late.mutex);
    if (!addPiece(series))
        return false;
    if (const VkResult result = begin(m_pieces.back()); result != VK_SUCCESS) {
        m_owner.fail(result);
        return false;
    }
    interruptInstance(m_owner);
    m_open = series;
    m_owner.current.putOffUnminding(*this);
    return true;
}

void LateStreams::add(LateCommand command)
{
    if (!m_open && !open())
        return;
    addToOpen(std::move(command));
    ++m_owner.generations;
}

bool LateStreams::addDraw(std::function<void(CommandBuffer& body)> record)
{
    if (!m_open || !m_open->takesDraw(m_owner))
        return false;
    addToOpen({std::move(record), nullptr});
    return true;
}

void LateStreams::addToOpen(LateCommand command)
{
    m_open->add(m_owner, std::move(command));
    const std::lock_guard lock(m_mutex);
    const std::lock_guard poolLock(m_owner.pool.late.mutex);
    recordNext(m_pieces.back(), m_open->size() - 1);
}

void LateStreams::record(VkCommandBuffer)
{
    m_open = nullptr;
    Piece& piece = m_pieces.back();
    {
        const std::lock_guard lock(m_mutex);
        const std::lock_guard poolLock(m_owner.pool.late.mutex);
        if (const VkResult result = end(piece); result != VK_SUCCESS)
            m_owner.fail(result);
    }
    place(piece);
    resumeInstance(m_owner);
}

void LateStreams::place(Piece& piece)
{
    for (const VkCommandBuffer one : {piece.handles.front, piece.handles.stream}) {
        if (!one)
            continue;
        m_owner.boundaries.push_back(Boundary::following());
        rememberOrUndo([&] { m_owner.boundaries.pop_back(); }, [&] { m_owner.streams.push_back(one); });
    }
    piece.index = m_owner.streams.size() - 1;
    if (m_owner.goOnBehind(kBehind))
        m_owner.log.replay(kScopeOutsideRendering, m_owner.device.table, m_owner.current);
}

void LateStreams::insert(std::shared_ptr<const LateSeries> series)
{
    m_owner.current.recordPutOff();
    {
        const std::lock_guard lock(m_mutex);
        const std::lock_guard poolLock(m_owner.pool.late.mutex);
        if (!addPiece(std::move(series)))
            return;
        if (const VkResult result = recordAll(m_pieces.back()); result != VK_SUCCESS)
            m_owner.fail(result);
    }
    interruptInstance(m_owner);
    place(m_pieces.back());
    resumeInstance(m_owner);
}

// Unless it may be submitted while it is pending, the device does not use it any more.
VkResult LateStreams::renew(Piece& piece)
{
    if ((m_owner.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) == 0)
        return recordAll(piece);
    std::unique_ptr<CommandBuffer> body = piece.series->createBody(m_owner);
    Piece& replaced = m_replaced.emplace_back();
    Handles handles;
    if (!take(*piece.series, handles))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    replaced.body = std::exchange(piece.body, std::move(body));
    replaced.handles = std::exchange(piece.handles, handles);
    return recordAll(piece);
}

VkResult LateStreams::renew()
{
    const std::lock_guard lock(m_mutex);
    for (Piece& piece : m_pieces) {
        if (piece.index == 0 || !piece.isOutdated())
            continue;
        const std::lock_guard poolLock(m_owner.pool.late.mutex);
        if (const VkResult result = renew(piece); result != VK_SUCCESS)
            return result;
        m_owner.streams[piece.index] = piece.handles.stream;
        if (piece.handles.front)
            m_owner.streams[piece.index - 1] = piece.handles.front;
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

// What is recording still is not ended, since it may lack what has to come first.
void LateStreams::clear()
{
    const std::vector<Piece> used = std::exchange(m_pieces, {});
    const std::vector<Piece> replaced = std::exchange(m_replaced, {});
    m_open = nullptr;
    const std::lock_guard poolLock(m_owner.pool.late.mutex);
    for (const Piece& piece : used) {
        if (piece.index == 0)
            for (const VkCommandBuffer one : {piece.handles.front, piece.handles.stream})
                if (one)
                    m_owner.device.table.ResetCommandBuffer(one, 0);
        giveBack(piece.handles);
    }
    for (const Piece& piece : replaced)
        giveBack(piece.handles);
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

LateSecondary::LateSecondary(CommandBuffer& owner) : m_owner(owner), m_series(std::make_shared<LateSeries>(owner)) {}

void LateSecondary::add(LateCommand command)
{
    const VkuDeviceDispatchTable& table = m_owner.device.table;
    const RenderingScope& scope = m_owner.rendering;
    if (m_series->size() > 0) {
        m_owner.current.drop();
    } else {
        m_watched = m_owner.watched.size();
        m_forSubmission = m_owner.forSubmission.size();
        m_owner.memberVersions.clear();
        if (scope.conditional)
            table.CmdBeginConditionalRenderingEXT(m_owner.current, &scope.conditionalInfo);
        m_owner.log.replay(kScopeDescriptorBuffers, table, m_owner.current);
    }
    m_series->add(m_owner, command);
    command.record(m_owner);
    m_owner.current.putOffUnminding(*this);
}

void LateSecondary::record(VkCommandBuffer stream)
{
    m_isOpen = false;
    if (m_owner.rendering.conditional)
        m_owner.device.table.CmdEndConditionalRenderingEXT(stream);
    takeBehind(m_owner.watched, m_watched, watched);
    takeBehind(m_owner.forSubmission, m_forSubmission, forSubmission);
    m_owner.memberVersions.clear();
    if (!m_owner.goOnBehind(kBehind))
        return;
    m_owner.log.replay(kScopeOutsideRendering, m_owner.device.table, m_owner.current);
    resumeRendering(m_owner, false);
}

namespace {

// The one that takes more; else null.
LateSecondary* openOf(const CommandBuffer& secondary)
{
    LateSecondary* const last =
        secondary.lateSecondaries.empty() ? nullptr : secondary.lateSecondaries.back().second.get();
    return last && last->isOpen() ? last : nullptr;
}

// Null after a failure.
LateSecondary* openIn(CommandBuffer& secondary)
{
    const auto late = std::make_shared<LateSecondary>(secondary);
    secondary.lateSecondaries.emplace_back(secondary.streams.size(), late);
    interruptRendering(secondary, false);
    if (secondary.goOnBehind(kName))
        return late.get();
    secondary.lateSecondaries.pop_back();
    return nullptr;
}

}  // namespace

bool hasOpenLateStream(const CommandBuffer& commandBuffer)
{
    return commandBuffer.primary ? commandBuffer.late && commandBuffer.late->isOpen()
                                 : openOf(commandBuffer) != nullptr;
}

namespace {

LateStreams& lateStreamsOf(CommandBuffer& primary)
{
    if (!primary.late)
        primary.late = std::make_unique<LateStreams>(primary);
    primary.device.hasLateStreams = true;
    return *primary.late;
}

}  // namespace

void recordLate(CommandBuffer& commandBuffer, LateCommand command)
{
    if (commandBuffer.primary) {
        lateStreamsOf(commandBuffer).add(std::move(command));
        return;
    }
    LateSecondary* const open = openOf(commandBuffer);
    if (LateSecondary* const late = open ? open : openIn(commandBuffer))
        late->add(std::move(command));
}

bool drawLate(CommandBuffer& commandBuffer, std::function<void(CommandBuffer& body)> draw)
{
    if (!commandBuffer.late || !commandBuffer.keepsAll() || commandBuffer.hasUnknownState)
        return false;
    return commandBuffer.late->addDraw(std::move(draw));
}

bool executeLateSecondary(CommandBuffer& commandBuffer, const LateSecondary& secondary)
{
    if (!commandBuffer.primary || commandBuffer.rendering.inside() || obstacleToLateStream(commandBuffer)) {
        const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
        append(commandBuffer.watched, secondary.watched);
        append(commandBuffer.forSubmission, secondary.forSubmission);
        return false;
    }
    lateStreamsOf(commandBuffer).insert(secondary.series());
    return true;
}

}  // namespace millrace::layer
