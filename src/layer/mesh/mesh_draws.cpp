// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_draws.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkPipelineStageFlags kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

uint64_t tableOf(uint64_t work)
{
    return work + offsetof(abi::MeshWork, table);
}

// Behind all mesh shaders of a front, or those that depend on a condition.
void listDraws(CommandBuffer& commandBuffer)
{
    auto* const memory = static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
    if (!memory || memory->listings.empty())
        return;
    const std::vector<abi::MeshListing> listings = std::exchange(memory->listings, {});
    MeshMemory::Part part;
    const uint64_t bytes = listings.size() * sizeof listings[0];
    if (const VkResult result = memory->takeUpload(bytes, part); result != VK_SUCCESS) {
        commandBuffer.fail(result);
        return;
    }
    std::memcpy(part.data, listings.data(), bytes);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const Device& device = commandBuffer.device;
    const VkCommandBuffer front = commandBuffer.front.stream;
    device.table.CmdPipelineBarrier(front, kComputeStage, kComputeStage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    device.meshShaders->list(front, {part.address, static_cast<uint32_t>(listings.size()), 0});
}

}  // namespace

MeshDraw::MeshDraw(CommandBuffer& commandBuffer)
    : m_commandBuffer(commandBuffer),
      m_device(commandBuffer.device),
      m_pipeline(m_device.meshShaders->pipelines->find(commandBuffer.bound.pipeline(kGraphics)))
{
}

void MeshDraw::complain(const std::string& text) const
{
    if (m_commandBuffer.isNews("Millrace-mesh-shaders", text))
        m_device.messages().error("Millrace-mesh-shaders", m_commandBuffer.reference(),
                                  "a draw with mesh shaders is left out: " + text,
                                  "docs/mesh-shaders.md says what is there");
}

bool MeshDraw::check()
{
    openCompanion(m_commandBuffer);
    const Front& front = m_commandBuffer.front;
    if (!m_pipeline) {
        complain("no pipeline with a mesh shader is bound");
        return false;
    }
    if (front.isOpen())
        return true;
    const char* where = m_commandBuffer.primary ? "in no render pass instance" : "in a secondary command buffer";
    complain(std::string("it is ") + (front.obstacle ? front.obstacle : where));
    return false;
}

// For as long as the command buffer may run. Null if there is no memory.
std::shared_ptr<runtime::Buffer> MeshDraw::createBuffer(runtime::BufferUse use, uint64_t bytes)
{
    auto buffer = std::make_shared<runtime::Buffer>();
    const VkResult result = m_device.meshShaders->memory.createBuffer(use, bytes, *buffer);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return nullptr;
    }
    m_commandBuffer.keepAlive.push_back(buffer);
    return buffer;
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
    const uint32_t bytes = m_pipeline->layout->pushConstantBytes;
    MeshMemory::Part part;
    if (!isGood(memory().takeUpload(sizeof(MeshUpload) + bytes, part)))
        return false;
    constexpr VkShaderStageFlags kStages =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    m_commandBuffer.bound.readPushConstants(kStages,
                                            {reinterpret_cast<uint8_t*>(part.data) + sizeof(MeshUpload), bytes});
    m_upload = part.address;
    m_pushConstants = m_upload + sizeof(MeshUpload);
    m_uploaded = new (part.data) MeshUpload{};
    return true;
}

void MeshDraw::barrier(VkPipelineStageFlags from, VkPipelineStageFlags to) const
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    m_device.table.CmdPipelineBarrier(m_commandBuffer.front.stream, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

// What the instance waits for when it begins, its shaders in front of it wait for as well: dependencies of a render
// pass, which may be that of a secondary command buffer, and where the command buffer may still run, what reads the
// same memory.
void MeshDraw::beginFront()
{
    const bool isPending = m_commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    const bool mayWait = m_commandBuffer.rendering.legacyPass || isPending || !m_commandBuffer.primary;
    if (!m_commandBuffer.front.isUsed && mayWait)
        barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kComputeStage | VK_PIPELINE_STAGE_TRANSFER_BIT);
    m_commandBuffer.front.isUsed = true;
    if (m_commandBuffer.rendering.conditional) {
        listDraws(m_commandBuffer);
        m_device.table.CmdBeginConditionalRenderingEXT(m_commandBuffer.front.stream,
                                                       &m_commandBuffer.rendering.conditionalInfo);
    }
    m_commandBuffer.log.replay(kScopeDescriptorBuffers, m_device.table, m_commandBuffer.front.stream);
}

void MeshDraw::endFront()
{
    if (m_commandBuffer.rendering.conditional)
        m_device.table.CmdEndConditionalRenderingEXT(m_commandBuffer.front.stream);
}

void MeshDraw::run(VkPipeline pipeline, const Dispatch& dispatch)
{
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer front = m_commandBuffer.front.stream;
    bindBorrowedSets(m_commandBuffer, kGraphics, *m_pipeline->layout, front, kCompute);
    table.CmdBindPipeline(front, kCompute, pipeline);
    abi::SequenceArguments arguments{dispatch.grids, m_pushConstants, dispatch.table, dispatch.stride, 0};
    table.CmdPushConstants(front, m_pipeline->layout->handle, kSequenceStages, 0, sizeof arguments, &arguments);
    if (dispatch.indirect) {
        table.CmdDispatchIndirect(front, dispatch.indirect, dispatch.offset);
        return;
    }
    const uint64_t rows = (dispatch.groups + abi::kRowGroups - 1) / abi::kRowGroups;
    table.CmdDispatch(front, static_cast<uint32_t>(std::min<uint64_t>(dispatch.groups, abi::kRowGroups)),
                      static_cast<uint32_t>(rows), 1);
}

// The grids of a dispatch become a table, and its workgroups get memory. `arguments`: without what is here.
std::optional<MeshDraw::Dispatch> MeshDraw::list(const Grids& grids, abi::ReserveArguments arguments, Drawn* drawn)
{
    const MeshListMemory memory(grids.most);
    const auto buffer = createBuffer(runtime::BufferUse::Indirect, memory.bytes);
    if (!buffer)
        return std::nullopt;
    const uint64_t base = buffer->address();
    abi::SortArguments sort{};
    sort.stream = grids.address;
    sort.sequenceCount = grids.count;
    sort.dispatches = base + memory.dispatch;
    sort.tables = tableOf(base);
    sort.entries = base + memory.entries;
    sort.sums = base + memory.sums;
    sort.stride = grids.stride;
    sort.setOffset = abi::kNoExecutionSet;
    sort.maxSequenceCount = grids.most;
    sort.pipelineCount = 1;
    sort.blockCount = memory.blockCount;
    arguments.work = base;
    arguments.dispatch = base + memory.dispatch;
    const VkCommandBuffer front = m_commandBuffer.front.stream;
    barrier(kComputeStage | VK_PIPELINE_STAGE_TRANSFER_BIT, kComputeStage);
    m_device.meshShaders->sortKernels.sort(front, sort);
    barrier(kComputeStage, kComputeStage);
    m_device.meshShaders->reserve(front, arguments);
    barrier(kComputeStage, kComputeStage | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT);
    if (drawn)
        *drawn = {base + memory.draw, buffer->handle(), memory.draw};
    return Dispatch{tableOf(base), grids.address, grids.stride, buffer->handle(), memory.dispatch, 0};
}

std::optional<MeshDraw::Dispatch> MeshDraw::listMesh(const Grids& grids, Drawn& drawn)
{
    MeshArena* arena = nullptr;
    if (!isGood(memory().limitedArena(arena)))
        return std::nullopt;
    begin(*arena);
    abi::ReserveArguments arguments{};
    arguments.memory = arena->address();
    arguments.resultBytes = sizeof(abi::MeshGroup);
    arguments.maxGroups = kMaxMeshGroups;
    return list(grids, arguments, &drawn);
}

void MeshDraw::begin(MeshArena& arena) const
{
    if (arena.begin(m_commandBuffer.front.stream))
        barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, kComputeStage);
}

// Draws under a condition are listed under it: where it does not hold, nothing has written what is read.
void MeshDraw::addListing(const Dispatch& dispatch, const Drawn& drawn)
{
    memory().listings.push_back(
        {dispatch.table - offsetof(abi::MeshWork, table), drawn.address, m_pipeline->outputs.corners, 0});
    m_commandBuffer.front.finish = listDraws;
    if (m_commandBuffer.rendering.conditional)
        listDraws(m_commandBuffer);
}

void MeshDraw::draw(const Dispatch& dispatch, const Drawn& drawn)
{
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer inside = m_commandBuffer.current;
    bindBorrowedSets(m_commandBuffer, kGraphics, *m_pipeline->layout);
    abi::SequenceArguments arguments{dispatch.grids, m_pushConstants, dispatch.table, dispatch.stride, 0};
    table.CmdPushConstants(inside, m_pipeline->layout->handle, kSequenceStages, 0, sizeof arguments, &arguments);
    table.CmdDrawIndirect(inside, drawn.buffer, drawn.offset, 1, sizeof(abi::MeshDrawCommand));
    m_commandBuffer.bound.restore(kGraphics, table, inside);
}

void MeshDraw::record(uint32_t x, uint32_t y, uint32_t z)
{
    const uint64_t groups = uint64_t{x} * y * z;
    if (groups == 0 || !check())
        return;
    if (groups > kMaxMeshGroups) {
        complain("it has more workgroups than maxMeshWorkGroupTotalCount, " + std::to_string(kMaxMeshGroups));
        return;
    }
    if (m_pipeline->task)
        recordTasks(groups, {x, y, z, 0});
    else
        recordKnown(groups, {x, y, z, 0});
}

// A grid that the host knows.
std::optional<MeshDraw::Dispatch> MeshDraw::upload(uint64_t groups, const abi::MeshGrid& grid, uint64_t results,
                                                   uint64_t memory)
{
    if (!createUpload())
        return std::nullopt;
    m_uploaded->grid = grid;
    m_uploaded->work.results = results;
    m_uploaded->work.memory = memory;
    m_uploaded->work.table = {1, static_cast<uint32_t>(groups), m_upload + offsetof(MeshUpload, entry)};
    return Dispatch{
        tableOf(m_upload), m_upload + offsetof(MeshUpload, grid), sizeof(abi::MeshGrid), VK_NULL_HANDLE, 0, groups};
}

void MeshDraw::recordKnown(uint64_t groups, const abi::MeshGrid& grid)
{
    MeshMemory::Part table;
    MeshArena* arena = nullptr;
    const uint64_t tableBytes = groups * sizeof(abi::MeshGroup);
    if (!isGood(memory().takeResults(tableBytes + sizeof(abi::MeshDrawCommand), table)) ||
        !isGood(memory().arenaFor(groups * m_pipeline->outputs.mostUnits, arena)))
        return;
    const std::optional<Dispatch> dispatch = upload(groups, grid, table.address, arena->address());
    if (!dispatch)
        return;
    const Drawn drawn{table.address + tableBytes, table.buffer, table.offset + tableBytes};
    beginFront();
    begin(*arena);
    run(m_pipeline->compute, *dispatch);
    addListing(*dispatch, drawn);
    endFront();
    draw(*dispatch, drawn);
}

void MeshDraw::recordTasks(uint64_t groups, const abi::MeshGrid& grid)
{
    const uint64_t gridBytes = m_pipeline->outputs.gridBytes;
    if (groups > kMaxTaskGroups || groups * gridBytes > kMaxTaskBytes) {
        complain("what its task shaders may emit takes more than " + std::to_string(kMaxTaskBytes) + " bytes");
        return;
    }
    MeshMemory::Part results;
    if (!isGood(memory().takeResults(groups * gridBytes, results)))
        return;
    const std::optional<Dispatch> first = upload(groups, grid, results.address, 0);
    if (!first)
        return;
    beginFront();
    run(m_pipeline->task, *first);
    Drawn drawn{};
    const auto second =
        listMesh({results.address, static_cast<uint32_t>(gridBytes), static_cast<uint32_t>(groups), 0}, drawn);
    if (second) {
        run(m_pipeline->compute, *second);
        addListing(*second, drawn);
    }
    endFront();
    if (second)
        draw(*second, drawn);
}

// Kernels read a copy: the application's buffer need not have an address.
std::optional<MeshDraw::Grids> MeshDraw::copyGrids(const IndirectGrids& grids)
{
    const uint32_t stride = grids.maxDrawCount > 1 ? grids.stride : uint32_t{sizeof(abi::MeshGrid)};
    const uint64_t bytes = uint64_t{stride} * (grids.maxDrawCount - 1) + sizeof(VkDrawMeshTasksIndirectCommandEXT);
    const uint64_t count = (bytes + 15) / 16 * 16;
    const auto copy = createBuffer(runtime::BufferUse::Results, count + sizeof(uint32_t));
    if (!copy)
        return std::nullopt;
    const VkCommandBuffer front = m_commandBuffer.front.stream;
    const VkBufferCopy region{grids.offset, 0, bytes};
    m_device.table.CmdCopyBuffer(front, grids.buffer, copy->handle(), 1, &region);
    if (grids.countBuffer) {
        const VkBufferCopy countRegion{grids.countOffset, count, sizeof(uint32_t)};
        m_device.table.CmdCopyBuffer(front, grids.countBuffer, copy->handle(), 1, &countRegion);
    }
    return Grids{copy->address(), stride, grids.maxDrawCount, grids.countBuffer ? copy->address() + count : 0};
}

void MeshDraw::record(const IndirectGrids& indirect)
{
    if (indirect.maxDrawCount == 0 || !check() || !createUpload())
        return;
    beginFront();
    std::optional<Grids> grids = copyGrids(indirect);
    if (grids && m_pipeline->task)
        grids = runCountedTasks(*grids);
    Drawn drawn{};
    const std::optional<Dispatch> dispatch = grids ? listMesh(*grids, drawn) : std::nullopt;
    if (dispatch) {
        run(m_pipeline->compute, *dispatch);
        addListing(*dispatch, drawn);
    }
    endFront();
    if (dispatch)
        draw(*dispatch, drawn);
}

// Task shaders whose number the device knows, with memory of their own. Returns what they emit.
std::optional<MeshDraw::Grids> MeshDraw::runCountedTasks(const Grids& grids)
{
    const uint64_t gridBytes = m_pipeline->outputs.gridBytes;
    const auto most = static_cast<uint32_t>(std::min<uint64_t>(kMaxCountedTaskGroups, kMaxTaskBytes / gridBytes));
    auto memory = std::make_shared<MeshArena>(m_device, m_commandBuffer.reference());
    if (!isGood(memory->create(m_device.meshShaders->memory, most * gridBytes, true)))
        return std::nullopt;
    m_commandBuffer.keepAlive.push_back(memory);
    begin(*memory);
    abi::ReserveArguments arguments{};
    arguments.memory = memory->address();
    arguments.resultBytes = static_cast<uint32_t>(gridBytes);
    arguments.maxGroups = most;
    const std::optional<Dispatch> dispatch = list(grids, arguments, nullptr);
    if (!dispatch)
        return std::nullopt;
    run(m_pipeline->task, *dispatch);
    return Grids{memory->address() + abi::kMeshHeadBytes, static_cast<uint32_t>(gridBytes), most,
                 dispatch->table + offsetof(abi::SequenceTable, groupCount)};
}

}  // namespace millrace::layer
