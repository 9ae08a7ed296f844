// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "abi/mesh_nodes.h"
#include "layer/loader/device.h"
#include "layer/mesh/mesh_objects.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/vertex_state.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkPipelineStageFlags kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
// Of the commands that draw, from one draw to the next: multiples of abi::kMeshAreaAlignment.
constexpr uint32_t kDrawStride = 32;
constexpr uint32_t kIndexedStride = 64;
static_assert(sizeof(abi::MeshDrawCommand) <= kDrawStride && kDrawStride % abi::kMeshAreaAlignment == 0);
static_assert(sizeof(abi::MeshDrawCommand) + sizeof(abi::MeshIndexedCommand) <= kIndexedStride &&
              kIndexedStride % abi::kMeshAreaAlignment == 0);

void recordBarrier(const Device& device, VkCommandBuffer commandBuffer, VkPipelineStageFlags from,
                   VkPipelineStageFlags to)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    device.table.CmdPipelineBarrier(commandBuffer, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void runSeries(CommandBuffer& commandBuffer)
{
    static_cast<MeshMemory*>(commandBuffer.drawMemory.get())->series.run(commandBuffer);
}

template <typename Element>
bool uploadAll(CommandBuffer& commandBuffer, const std::vector<Element>& elements, MeshMemory::Part& out)
{
    const uint64_t bytes = elements.size() * sizeof(Element);
    const VkResult result = static_cast<MeshMemory*>(commandBuffer.drawMemory.get())->takeUpload(bytes, out);
    if (result == VK_SUCCESS)
        std::memcpy(out.data, elements.data(), bytes);
    else
        commandBuffer.fail(result);
    return result == VK_SUCCESS;
}

// A kernel of ours is bound in front instead; it has no descriptor sets.
void forgetPipelines(Front& front)
{
    for (Front::Bound& bound : front.bound)
        bound.pipeline = VK_NULL_HANDLE;
}

// How many workgroups write the indices of each draw. Of those that share, the host does not know how many there are.
uint32_t shareWriters(std::vector<abi::MeshIndexing>& indexings, uint32_t most)
{
    constexpr uint32_t kLeast = 16;
    const auto shared = static_cast<uint32_t>(std::ranges::count(indexings, 1u, &abi::MeshIndexing::isShared));
    const uint32_t ofShared = shared == 0 ? 0 : std::max(std::min(most, 4 * most / shared), kLeast);
    uint32_t writers = 0;
    for (abi::MeshIndexing& indexing : indexings) {
        const uint32_t perWriter = kIndexWriterInvocations * indexing.corners;
        indexing.writers = indexing.isShared ? ofShared : std::min(most, indexing.most / perWriter + 1);
        indexing.firstWriter = writers;
        writers += indexing.writers;
    }
    return writers;
}

// What is to be listed of draws with such counts. False without memory.
bool uploadListings(CommandBuffer& commandBuffer, MeshCount groups, uint64_t indexings, abi::ListArguments& out)
{
    auto* const memory = static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
    const std::vector<abi::MeshListing> listings = std::exchange(memory->listings[static_cast<size_t>(groups)], {});
    MeshMemory::Part part, sums;
    if (listings.empty())
        return true;
    if (!uploadAll(commandBuffer, listings, part))
        return false;
    const auto count = static_cast<uint32_t>(listings.size());
    const uint32_t parts = groups == MeshCount::Many ? commandBuffer.device.meshShaders->partsOf(listings.size()) : 0;
    const uint64_t sumBytes = uint64_t{count} * parts * sizeof(uint32_t);
    const VkResult result = sumBytes == 0 ? VK_SUCCESS : memory->takeResults(sumBytes, sums);
    if (result != VK_SUCCESS)
        commandBuffer.fail(result);
    out = {part.address, indexings, sums.address, count, parts};
    return result == VK_SUCCESS;
}

// Null: the host waits until everything in front has run.
const MeshArena* decidingArena(const CommandBuffer& commandBuffer, const MeshMemory& memory)
{
    const bool isOnce = commandBuffer.primary && !(commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    return isOnce && commandBuffer.front.repeat ? memory.madeArena() : nullptr;
}

// Behind all mesh shaders of a front, or those that depend on a condition, behind which others may follow.
void listDraws(CommandBuffer& commandBuffer, bool isLast)
{
    auto* const memory = static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
    if (!memory || std::ranges::all_of(memory->listings, [](const auto& listings) { return listings.empty(); }))
        return;
    recordRest(commandBuffer);
    const Device& device = commandBuffer.device;
    const std::array<VkCommandBuffer, 2> streams = {commandBuffer.front.stream, commandBuffer.front.repeat};
    for (const VkCommandBuffer stream : streams)
        if (stream)
            recordBarrier(device, stream, kComputeStage, kComputeStage);
    std::vector<abi::MeshIndexing> indexings = std::exchange(memory->indexings, {});
    const uint32_t writers = shareWriters(indexings, device.meshShaders->mostIndexWriters());
    MeshMemory::Part ofIndexings;
    if (writers > 0 && !uploadAll(commandBuffer, indexings, ofIndexings))
        return;
    const MeshArena* const decides = isLast ? decidingArena(commandBuffer, *memory) : nullptr;
    MeshShaders::Lists lists{};
    for (size_t groups = 0; groups < kMeshCounts; ++groups)
        if (!uploadListings(commandBuffer, static_cast<MeshCount>(groups), ofIndexings.address, lists[groups]))
            return;
    for (const VkCommandBuffer stream : streams) {
        if (!stream)
            continue;
        device.meshShaders->listPrimitives(stream, lists);
        if (decides && stream == commandBuffer.front.stream)
            decides->recordDecision(stream);
        device.meshShaders->listParts(stream, lists);
        if (writers == 0)
            continue;
        recordBarrier(device, stream, kComputeStage, kComputeStage);
        device.meshShaders->writeIndices(stream,
                                         {ofIndexings.address, static_cast<uint32_t>(indexings.size()), writers});
    }
    forgetPipelines(commandBuffer.front);
}

std::shared_ptr<MeshPipeline> findBound(const CommandBuffer& commandBuffer)
{
    const MeshPipelines& pipelines = *commandBuffer.device.meshShaders->pipelines;
    const std::vector<VkShaderEXT> shaders = commandBuffer.bound.shaders(kGraphics);
    return shaders.empty() ? pipelines.find(commandBuffer.bound.pipeline(kGraphics))
                           : pipelines.objects().find(shaders);
}

// In place of the application's, with the vertex state that goes with them. Of the other stages between, an application
// that draws with mesh shaders need not say that there are none.
void bindObjects(const Device& device, const MeshPipeline& pipeline, VkCommandBuffer commandBuffer)
{
    const VkuDeviceDispatchTable& table = device.table;
    std::vector<VkShaderStageFlagBits> stages = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    std::vector<VkShaderEXT> shaders = {pipeline.vertex, pipeline.fragment};
    if (device.enabled.tessellation)
        stages.insert(stages.end(),
                      {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT});
    if (device.enabled.geometry || device.addsGeometryShaders())
        stages.push_back(VK_SHADER_STAGE_GEOMETRY_BIT);
    shaders.resize(stages.size());
    table.CmdBindShadersEXT(commandBuffer, static_cast<uint32_t>(stages.size()), stages.data(), shaders.data());
    table.CmdSetVertexInputEXT(commandBuffer, 0, nullptr, 0, nullptr);
    table.CmdSetPrimitiveTopology(commandBuffer, topologyOf(pipeline.outputs));
    table.CmdSetPrimitiveRestartEnable(commandBuffer, VK_FALSE);
}

}  // namespace

MeshDraw::MeshDraw(CommandBuffer& commandBuffer)
    : m_commandBuffer(commandBuffer), m_device(commandBuffer.device), m_pipeline(findBound(commandBuffer))
{
}

MeshDraw::MeshDraw(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, VkPipeline drawing,
                   const ListedDraws& listed)
    : m_commandBuffer(commandBuffer),
      m_device(commandBuffer.device),
      m_pipeline(std::move(pipeline)),
      m_drawing(drawing),
      m_listed(&listed)
{
}

void MeshDraw::complain(const std::string& text) const
{
    if (m_commandBuffer.isNews("Millrace-mesh-shaders", text))
        m_device.messages().error(
            "Millrace-mesh-shaders", m_commandBuffer.reference(),
            std::string(m_listed ? m_listed->what : "a draw with mesh shaders") + " is left out: " + text,
            "docs/mesh-shaders.md says what is there");
}

bool MeshDraw::check()
{
    if (!m_pipeline) {
        complain("no pipeline or shader object with a mesh shader is bound");
        return false;
    }
    openCompanion(m_commandBuffer);
    settleWait(m_commandBuffer);
    divideInstance(m_commandBuffer);
    const Front& front = m_commandBuffer.front;
    if (front.isOpen())
        return true;
    complain(std::string("it is ") + (front.obstacle ? front.obstacle : "in no render pass instance"));
    return false;
}

// vkEndCommandBuffer tells of errors.
bool MeshDraw::isGood(VkResult result)
{
    if (result != VK_SUCCESS)
        m_commandBuffer.fail(result);
    return result == VK_SUCCESS;
}

MeshMemory& MeshDraw::memory()
{
    if (!m_commandBuffer.drawMemory)
        m_commandBuffer.drawMemory = std::make_shared<MeshMemory>(m_device, m_commandBuffer.reference());
    return *static_cast<MeshMemory*>(m_commandBuffer.drawMemory.get());
}

// With push constants as they are now, since the application may change them behind this command.
bool MeshDraw::createUpload()
{
    const size_t bytes = m_listed ? m_listed->pushConstants.size() : m_pipeline->layout->pushConstantBytes;
    MeshMemory::Part part;
    if (!isGood(memory().takeUpload(sizeof(abi::MeshUpload) + bytes, part)))
        return false;
    constexpr VkShaderStageFlags kStages =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    const std::span constants(reinterpret_cast<uint8_t*>(part.data) + sizeof(abi::MeshUpload), bytes);
    if (m_listed)
        std::ranges::copy(m_listed->pushConstants, constants.begin());
    else
        m_commandBuffer.bound.readPushConstants(kStages, constants);
    m_upload = part.address;
    m_pushConstants = m_upload + sizeof(abi::MeshUpload);
    m_uploaded = new (part.data) abi::MeshUpload{};
    return true;
}

void MeshDraw::barrier(VkCommandBuffer commandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to) const
{
    recordBarrier(m_device, commandBuffer, from, to);
}

// For a draw of which the host does not know how much memory it needs.
bool MeshDraw::useArena()
{
    if (!isGood(memory().arena(m_arena)))
        return false;
    m_arena->need(m_pipeline->outputs.mostUnits);
    shareIndices();
    return true;
}

// What the instance waits for when it begins, its shaders in front of it wait for as well: dependencies of a render
// pass, which may be that of a secondary command buffer, and where the command buffer may still run, what reads the
// same memory. Draws of an instance before may read what is in the arena.
void MeshDraw::beginFront()
{
    recordRest(m_commandBuffer);
    const RenderingScope& scope = m_commandBuffer.rendering;
    Front& front = m_commandBuffer.front;
    const bool isPending = m_commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    const bool mayWait = scope.legacyPass || isPending || !m_commandBuffer.primary || front.isBehindPart;
    if ((!front.isUsed && mayWait) || (m_arena && m_arena->isNew(front.stream)))
        barrier(front.stream, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kComputeStage | VK_PIPELINE_STAGE_TRANSFER_BIT);
    front.isUsed = true;
    m_commandBuffer.countsMeshes = m_device.shaderCounter != nullptr;
    m_streams = {front.stream};
    if (m_arena && repeatFront(m_commandBuffer, m_arena))
        m_streams.push_back(front.repeat);
    if (scope.conditional)
        listDraws(m_commandBuffer, false);
    for (const VkCommandBuffer stream : m_streams) {
        if (scope.conditional)
            m_device.table.CmdBeginConditionalRenderingEXT(stream, &scope.conditionalInfo);
        m_commandBuffer.log.replay(kScopeDescriptorBuffers, m_device.table, stream);
    }
}

void MeshDraw::beginMemory(MeshRoom* room)
{
    for (const VkCommandBuffer stream : m_streams)
        if (room ? room->begin(m_device.table, stream) : m_arena->begin(stream))
            barrier(stream, VK_PIPELINE_STAGE_TRANSFER_BIT, kComputeStage);
}

void MeshDraw::endFront()
{
    if (!m_commandBuffer.rendering.conditional)
        return;
    for (const VkCommandBuffer stream : m_streams)
        m_device.table.CmdEndConditionalRenderingEXT(stream);
}

abi::SequenceArguments MeshDraw::arguments(const Dispatch& dispatch, uint32_t view) const
{
    return {0, m_pushConstants, dispatch.work + offsetof(abi::MeshWork, table), dispatch.stride, view};
}

// For each view, if there is a mask of them, else once.
void MeshDraw::run(VkCommandBuffer commandBuffer, VkPipeline pipeline, const Dispatch& dispatch, uint32_t viewMask)
{
    bindInFront(commandBuffer, pipeline);
    do {
        const auto view = viewMask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(viewMask));
        launch(commandBuffer, dispatch, view);
        viewMask &= viewMask - 1;
    } while (viewMask != 0);
}

// What the draw before has bound there stays.
void MeshDraw::bindInFront(VkCommandBuffer commandBuffer, VkPipeline pipeline)
{
    Front& front = m_commandBuffer.front;
    Front::Bound& bound = front.bound[commandBuffer == front.stream ? 0 : 1];
    const VkPipelineLayout layout = m_pipeline->layout->handle;
    const uint64_t order = m_commandBuffer.bound.setsOrder();
    if (!keepsSets() || bound.layout != layout || bound.order != order)
        bindSets(commandBuffer, kCompute);
    if (bound.pipeline != pipeline)
        m_device.table.CmdBindPipeline(commandBuffer, kCompute, pipeline);
    bound = {pipeline, keepsSets() ? layout : VK_NULL_HANDLE, order};
}

// The same in the instance.
void MeshDraw::bindInside(VkCommandBuffer inside)
{
    CommandBuffer& own = m_commandBuffer;
    const VkPipelineLayout layout = m_pipeline->layout->handle;
    const uint64_t order = own.bound.setsOrder();
    if (!keepsSets() || !own.lent.hasSets(inside, layout, order))
        bindSets(inside, kGraphics);
    own.lent.lend(inside, kGraphics);
    if (keepsSets())
        own.lent.lendSets(inside, layout, order);
}

// Lists have sets of their own. Descriptor buffers are bound anew in front of each draw, and so are offsets into them.
bool MeshDraw::keepsSets() const
{
    return !m_listed && !m_commandBuffer.log.has(kScopeDescriptorBuffers);
}

void MeshDraw::runMeshes(const Dispatch& dispatch)
{
    for (const VkCommandBuffer stream : m_streams)
        run(stream, m_pipeline->compute, dispatch, m_pipeline->outputs.viewMask);
}

void MeshDraw::bindSets(VkCommandBuffer target, VkPipelineBindPoint bindPoint)
{
    if (m_listed)
        m_listed->bindSets(target, bindPoint, *m_pipeline->layout);
    else
        bindBorrowedSets(m_commandBuffer, kGraphics, *m_pipeline->layout, target, bindPoint);
}

void MeshDraw::launch(VkCommandBuffer commandBuffer, const Dispatch& dispatch, uint32_t view) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    const abi::SequenceArguments pushed = arguments(dispatch, view);
    table.CmdPushConstants(commandBuffer, m_pipeline->layout->handle, kSequenceStages, 0, sizeof pushed, &pushed);
    if (dispatch.indirect) {
        table.CmdDispatchIndirect(commandBuffer, dispatch.indirect, dispatch.offset);
        return;
    }
    const uint64_t rows = (dispatch.groups + abi::kRowGroups - 1) / abi::kRowGroups;
    table.CmdDispatch(commandBuffer, static_cast<uint32_t>(std::min<uint64_t>(dispatch.groups, abi::kRowGroups)),
                      static_cast<uint32_t>(rows), 1);
}

// What is behind the mesh shaders, and the draw. Draws under a condition are listed under it: where it does not hold,
// nothing has written what is read.
void MeshDraw::finish(const Dispatch& dispatch, const Drawn& drawn)
{
    MeshBatch& batch = memory().batch;
    const std::optional<MeshBatch::Draw> own = batched(drawn);
    const bool isNext = own && batch.takes(*own, m_commandBuffer.current.inFrontOfPutOff());
    addListing(dispatch, drawn, isNext ? batch.count() : 0);
    m_commandBuffer.front.finish = [](CommandBuffer& commandBuffer) { listDraws(commandBuffer, true); };
    if (m_commandBuffer.rendering.conditional)
        listDraws(m_commandBuffer, false);
    endFront();
    if (isNext) {
        batch.add();
        return;
    }
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer inside = m_commandBuffer.current;
    bindInside(inside);
    if (own) {
        bindIndices(inside);
        batch.begin(*own, m_indexed ? kIndexedStride : kDrawStride, uploadStride(), inside);
        m_commandBuffer.current.putOff(batch);
        return;
    }
    if (m_drawing)
        table.CmdBindPipeline(inside, kGraphics, m_drawing);
    if (m_pipeline->hasObjects)
        bindObjects(m_device, *m_pipeline, inside);
    draw(inside, dispatch, drawn);
    if (m_pipeline->hasObjects)
        restoreVertexState(m_commandBuffer.log, table, inside);
}

// What can be put off until it is known whether one command may draw the next ones as well: whatever else is recorded
// in the instance comes behind it. None: it cannot.
std::optional<MeshBatch::Draw> MeshDraw::batched(const Drawn& drawn) const
{
    if (!m_isInSeries || !m_pipeline->outputs.mayBeBatched || m_pipeline->hasObjects)
        return std::nullopt;
    return MeshBatch::Draw{m_pipeline->layout->handle, m_upload, drawn.buffer,
                           drawn.offset + (m_indexed ? sizeof(abi::MeshDrawCommand) : 0),
                           m_indexed ? m_indexed->buffer : VK_NULL_HANDLE};
}

void MeshDraw::addListing(const Dispatch& dispatch, const Drawn& drawn, uint32_t number)
{
    abi::MeshListing listing{dispatch.work, drawn.address, m_pipeline->outputs.corners, m_pipeline->outputs.runs(), 0,
                             number};
    if (m_indexed) {
        m_indexed->indexing.work = dispatch.work;
        m_indexed->indexing.draw = drawn.address;
        memory().indexings.push_back(m_indexed->indexing);
        listing.indexing = static_cast<uint32_t>(memory().indexings.size());
    }
    const MeshCount groups = dispatch.indirect ? MeshCount::Many : meshCountOf(dispatch.groups);
    memory().listings[static_cast<size_t>(groups)].push_back(listing);
}

// Where indices are shared, the device decides how many primitives have some: those come first.
void MeshDraw::draw(VkCommandBuffer inside, const Dispatch& dispatch, const Drawn& drawn)
{
    const VkuDeviceDispatchTable& table = m_device.table;
    abi::SequenceArguments pushed = arguments(dispatch, 0);
    const auto push = [&](bool hasIndices) {
        pushed.firstSequence = hasIndices;
        table.CmdPushConstants(inside, m_pipeline->layout->handle, kSequenceStages, 0, sizeof pushed, &pushed);
    };
    if (m_indexed) {
        push(true);
        bindIndices(inside);
        table.CmdDrawIndexedIndirect(inside, drawn.buffer, drawn.offset + sizeof(abi::MeshDrawCommand), 1,
                                     sizeof(abi::MeshIndexedCommand));
    }
    if (!m_indexed || m_indexed->indexing.isShared) {
        push(false);
        table.CmdDrawIndirect(inside, drawn.buffer, drawn.offset, 1, sizeof(abi::MeshDrawCommand));
    }
}

void MeshDraw::bindIndices(VkCommandBuffer inside)
{
    if (!m_indexed)
        return;
    CommandBuffer& own = m_commandBuffer;
    const uint64_t order = own.bound.indexBufferOrder();
    if (!own.lent.hasIndexBuffer(inside, m_indexed->buffer, order))
        m_device.table.CmdBindIndexBuffer(inside, m_indexed->buffer, 0, VK_INDEX_TYPE_UINT32);
    own.lent.lendIndexBuffer(inside, m_indexed->buffer, order);
}

void MeshDraw::record(uint32_t x, uint32_t y, uint32_t z)
{
    const uint64_t groups = uint64_t{x} * y * z;
    if (groups == 0 || !check())
        return;
    if (groups > abi::kMaxMeshGroups) {
        complain("it has more workgroups than maxMeshWorkGroupTotalCount, " + std::to_string(abi::kMaxMeshGroups));
        return;
    }
    if (!m_pipeline->task)
        recordKnown(groups, {x, y, z, 0});
    else if (groups * m_pipeline->outputs.gridBytes <= kMaxOwnTaskBytes)
        recordOwnTasks(groups, {x, y, z, 0});
    else
        recordListedTasks(groups, {x, y, z, 0});
}

// A grid that the host knows.
bool MeshDraw::upload(uint64_t groups, const abi::MeshGrid& grid, uint64_t results, uint64_t memory, Dispatch& out)
{
    if (!createUpload())
        return false;
    m_uploaded->grid = grid;
    m_uploaded->work.results = results;
    m_uploaded->work.memory = memory;
    m_uploaded->work.grids = m_upload + offsetof(abi::MeshUpload, grid);
    m_uploaded->work.table = {1, static_cast<uint32_t>(groups), m_upload + offsetof(abi::MeshUpload, entry)};
    out = {m_upload + offsetof(abi::MeshUpload, work), sizeof(abi::MeshGrid), VK_NULL_HANDLE, 0, groups};
    return true;
}

std::optional<abi::MeshIndexing> MeshDraw::describeIndices() const
{
    const std::optional<mesh::MeshIndices>& own = m_pipeline->outputs.indices;
    if (!own)
        return std::nullopt;
    const uint64_t numbers = uint64_t{m_device.support.meshLimits.mostIndex} + 1;
    abi::MeshIndexing indexing{};
    indexing.mostGroups = static_cast<uint32_t>(numbers >> own->vertexBits);
    indexing.vertexBits = own->vertexBits;
    indexing.corners = m_pipeline->outputs.corners;
    indexing.vertexBytes = own->vertexBytes;
    indexing.primitivesOffset = own->primitivesOffset;
    indexing.primitiveBytes = own->primitiveBytes;
    indexing.indicesOffset = own->indicesOffset;
    indexing.cullOffset = own->cullOffset;
    return indexing;
}

// Of its own, for all that so many workgroups may give out.
void MeshDraw::takeIndices(uint64_t groups)
{
    std::optional<abi::MeshIndexing> indexing = describeIndices();
    const uint64_t primitives = indexing ? groups * m_pipeline->outputs.indices->mostPrimitives : 0;
    MeshMemory::Part part;
    if (primitives < kLeastIndexedPrimitives || groups > indexing->mostGroups ||
        !memory().takeIndices(primitives * indexing->corners, part))
        return;
    indexing->indices = part.address - part.offset;
    indexing->first = static_cast<uint32_t>(part.offset / sizeof(uint32_t));
    indexing->most = static_cast<uint32_t>(primitives * indexing->corners);
    m_indexed = {*indexing, part.buffer};
}

// Where only the device knows how many there are.
void MeshDraw::shareIndices()
{
    std::optional<abi::MeshIndexing> indexing = describeIndices();
    const MeshMemory::SharedIndices* const shared = indexing ? memory().sharedIndices() : nullptr;
    if (!shared)
        return;
    indexing->indices = shared->buffer.address();
    indexing->most = shared->count;
    indexing->isShared = 1;
    m_indexed = {*indexing, shared->buffer.handle()};
}

void MeshDraw::recordKnown(uint64_t groups, const abi::MeshGrid& grid)
{
    const uint64_t runs = groups * m_pipeline->outputs.runs();
    MeshRoom* const room = memory().roomFor(runs * m_pipeline->outputs.mostUnits);
    MeshMemory::Part table, commands;
    const uint64_t tableBytes = (groups * m_pipeline->outputs.resultBytes() + 15) / 16 * 16;
    if (!room && !useArena())
        return;
    if (room)
        takeIndices(groups);
    if (!isGood(memory().takeResults(tableBytes, table)) ||
        !isGood(memory().takeDraw(m_indexed ? kIndexedStride : kDrawStride, commands)))
        return;
    Dispatch dispatch{};
    if (!upload(groups, grid, table.address, room ? room->address() : m_arena->address(), dispatch))
        return;
    m_isInSeries = mayBeInSeries(room);
    if (m_isInSeries) {
        joinSeries(room, groups);
    } else {
        beginFront();
        beginMemory(room);
        runMeshes(dispatch);
    }
    finish(dispatch, {commands.address, commands.buffer, commands.offset});
}

bool MeshDraw::mayBeInSeries(const MeshRoom* room) const
{
    return room && m_pipeline->outputs.mayBeSeries() && keepsSets() && !m_commandBuffer.rendering.conditional;
}

// From the upload of one draw of a series to that of the next.
uint32_t MeshDraw::uploadStride() const
{
    constexpr uint32_t kStep = abi::kMeshAreaAlignment;
    const auto bytes = static_cast<uint32_t>(sizeof(abi::MeshUpload) + m_pipeline->layout->pushConstantBytes);
    return (bytes + kStep - 1) / kStep * kStep;
}

// The dispatch is recorded when something else wants to record in the front. For the first draw everything is made
// ready.
void MeshDraw::joinSeries(MeshRoom* room, uint64_t groups)
{
    const MeshSeries::Common common{m_pipeline, room, m_commandBuffer.bound.setsOrder(), uploadStride()};
    MeshSeries& series = memory().series;
    if (series.isEmpty() || !series.takes(common, m_upload, groups)) {
        beginFront();
        beginMemory(room);
        bindInFront(m_streams[0], m_pipeline->compute);
        m_commandBuffer.front.rest = runSeries;
    }
    series.add(common, m_upload, groups);
}

// What task shaders emit has memory of its own. They run once.
void MeshDraw::recordOwnTasks(uint64_t groups, const abi::MeshGrid& grid)
{
    const uint64_t gridBytes = m_pipeline->outputs.gridBytes;
    MeshMemory::Part results;
    Dispatch tasks{};
    if (!useArena() || !isGood(memory().takeResults(groups * gridBytes, results)) ||
        !upload(groups, grid, results.address, 0, tasks))
        return;
    beginFront();
    run(m_streams[0], m_pipeline->task, tasks, 0);
    drawListed({results.address, static_cast<uint32_t>(gridBytes), static_cast<uint32_t>(groups), 0, 0});
}

void MeshDraw::recordListedTasks(uint64_t groups, const abi::MeshGrid& grid)
{
    if (!useArena() || !createUpload())
        return;
    m_uploaded->grid = grid;
    beginFront();
    Grids grids{m_upload + offsetof(abi::MeshUpload, grid), sizeof(abi::MeshGrid), 1, 0, 0};
    if (runTasks(grids, groups))
        drawListed(grids);
    else
        endFront();
}

// The device writes what the dispatch is. `resultBytes`: of what each workgroup leaves.
bool MeshDraw::list(const Grids& grids, uint64_t resultBytes, bool runsOnce, Dispatch& dispatch, Drawn& drawn)
{
    MeshMemory::Part part;
    if (!isGood(memory().takeResults(sizeof(MeshListed), part)))
        return false;
    const uint32_t parts = meshCountOf(grids.most) == MeshCount::Many ? m_device.meshShaders->partsOf(1) : 0;
    MeshMemory::Part sums;
    if (parts > 0 && !isGood(memory().takeResults(abi::kMeshGridPartsBytes + parts * sizeof(uint32_t), sums)))
        return false;
    beginMemory(nullptr);
    abi::GridsArguments pushed{};
    pushed.work = part.address + offsetof(MeshListed, work);
    pushed.dispatch = part.address + offsetof(MeshListed, dispatch);
    pushed.memory = m_arena->address();
    pushed.before = grids.before;
    pushed.grids = grids.address;
    pushed.count = grids.count;
    pushed.stride = grids.stride;
    pushed.most = grids.most;
    pushed.resultBytes = static_cast<uint32_t>(resultBytes);
    pushed.runsOnce = runsOnce;
    pushed.parts = sums.address;
    pushed.partCount = parts;
    for (const VkCommandBuffer stream : m_streams) {
        barrier(stream, kComputeStage | VK_PIPELINE_STAGE_TRANSFER_BIT, kComputeStage);
        m_device.meshShaders->listGrids(stream, pushed);
        barrier(stream, kComputeStage, kComputeStage | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT);
    }
    forgetPipelines(m_commandBuffer.front);
    dispatch = {pushed.work, grids.stride, part.buffer, part.offset + offsetof(MeshListed, dispatch), 0};
    drawn = {part.address + offsetof(MeshListed, draw), part.buffer, part.offset + offsetof(MeshListed, draw)};
    return true;
}

// Up to `most` workgroups. Afterwards the grids are what they emit.
bool MeshDraw::runTasks(Grids& grids, uint64_t most)
{
    const uint64_t gridBytes = m_pipeline->outputs.gridBytes;
    Dispatch dispatch{};
    Drawn nothing{};
    if (!list(grids, gridBytes, true, dispatch, nothing))
        return false;
    for (const VkCommandBuffer stream : m_streams)
        run(stream, m_pipeline->task, dispatch, 0);
    grids = {0, static_cast<uint32_t>(gridBytes), static_cast<uint32_t>(most), 0, dispatch.work};
    return true;
}

void MeshDraw::drawListed(const Grids& grids)
{
    Dispatch dispatch{};
    Drawn drawn{};
    if (!list(grids, m_pipeline->outputs.resultBytes(), false, dispatch, drawn)) {
        endFront();
        return;
    }
    runMeshes(dispatch);
    finish(dispatch, drawn);
}

// Kernels read a copy: the application's buffer need not have an address. It is made once.
std::optional<MeshDraw::Grids> MeshDraw::copyGrids(const IndirectGrids& grids)
{
    const uint32_t stride = grids.maxDrawCount > 1 ? grids.stride : uint32_t{sizeof(abi::MeshGrid)};
    const uint64_t bytes = uint64_t{stride} * (grids.maxDrawCount - 1) + sizeof(VkDrawMeshTasksIndirectCommandEXT);
    const uint64_t count = (bytes + 15) / 16 * 16;
    auto copy = std::make_shared<runtime::Buffer>();
    if (!isGood(
            m_device.meshShaders->memory.createBuffer(runtime::BufferUse::Results, count + sizeof(uint32_t), *copy)))
        return std::nullopt;
    m_commandBuffer.keepAlive.push_back(copy);
    const VkCommandBuffer front = m_commandBuffer.front.stream;
    const VkBufferCopy region{grids.offset, 0, bytes};
    m_device.table.CmdCopyBuffer(front, grids.buffer, copy->handle(), 1, &region);
    if (grids.countBuffer) {
        const VkBufferCopy countRegion{grids.countOffset, count, sizeof(uint32_t)};
        m_device.table.CmdCopyBuffer(front, grids.countBuffer, copy->handle(), 1, &countRegion);
    }
    return Grids{copy->address(), stride, grids.maxDrawCount, grids.countBuffer ? copy->address() + count : 0, 0};
}

void MeshDraw::record(const IndirectGrids& indirect)
{
    if (indirect.maxDrawCount == 0 || !check() || !useArena() || !createUpload())
        return;
    beginFront();
    std::optional<Grids> grids = copyGrids(indirect);
    if (grids && (!m_pipeline->task || runTasks(*grids, abi::kMaxListedGroups)))
        drawListed(*grids);
    else
        endFront();
}

// What the list says stays until the command has ended, so it needs no copy.
void MeshDraw::record()
{
    if (m_listed->most == 0 || !check() || !useArena() || !createUpload())
        return;
    beginFront();
    Grids grids{m_listed->commands, m_listed->stride, m_listed->most, m_listed->count, 0};
    if (!m_pipeline->task || runTasks(grids, abi::kMaxListedGroups))
        drawListed(grids);
    else
        endFront();
}

}  // namespace millrace::layer
