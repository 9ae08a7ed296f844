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
#include "layer/mesh/mesh_lists.h"
#include "layer/mesh/mesh_objects.h"
#include "layer/mesh/mesh_queries.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/vertex_state.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkPipelineStageFlags kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

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

MeshDraw::MeshDraw(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, uint64_t upload)
    : m_commandBuffer(commandBuffer),
      m_device(commandBuffer.device),
      m_pipeline(std::move(pipeline)),
      m_upload(upload),
      m_pushConstants(upload + sizeof(abi::MeshUpload))
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
    Front& front = m_commandBuffer.front;
    if (front.isOpen()) {
        ++front.draws;
        return true;
    }
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
    m_device.meshShaders->wait(commandBuffer, from, to);
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

void MeshDraw::listAtEnd()
{
    m_commandBuffer.front.finish = [](CommandBuffer& commandBuffer) { listDraws(commandBuffer, true); };
}

// What is behind the mesh shaders, and the draw. Draws under a condition are listed under it: where it does not hold,
// nothing has written what is read.
void MeshDraw::finish(const Dispatch& dispatch, const Drawn& drawn)
{
    addListing(dispatch, drawn);
    listAtEnd();
    if (m_commandBuffer.rendering.conditional)
        listDraws(m_commandBuffer, false);
    endFront();
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer inside = m_commandBuffer.current;
    bindInside(inside);
    if (m_drawing)
        table.CmdBindPipeline(inside, kGraphics, m_drawing);
    if (m_pipeline->hasObjects)
        bindObjects(m_device, *m_pipeline, inside);
    draw(inside, dispatch, drawn);
    if (m_pipeline->hasObjects)
        restoreVertexState(m_commandBuffer.log, table, inside);
}

void MeshDraw::addListing(const Dispatch& dispatch, const Drawn& drawn)
{
    abi::MeshListing listing{
        dispatch.work, drawn.address, m_pipeline->outputs.corners, m_pipeline->outputs.runs(), 0, 0};
    if (m_indexed) {
        m_indexed->indexing.work = dispatch.work;
        m_indexed->indexing.draw = drawn.address;
        memory().indexings.push_back(m_indexed->indexing);
        listing.indexing = static_cast<uint32_t>(memory().indexings.size());
    }
    const MeshCount groups = dispatch.indirect ? MeshCount::Many : meshCountOf(dispatch.groups);
    memory().listings[static_cast<size_t>(groups)].push_back(listing);
    const mesh::MeshLayout& outputs = m_pipeline->outputs;
    countInQueries(m_commandBuffer, memory(),
                   {dispatch.work, m_tasks, drawn.address, 0, 0, outputs.corners, m_indexed.has_value(),
                    outputs.taskInvocations, outputs.meshInvocations * outputs.runs()});
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

}  // namespace millrace::layer
