// SPDX-License-Identifier: Apache-2.0
// Draws whose grids the device knows, or that have no room of their own: kernels number their workgroups and take
// memory of the arena.
#include <cstddef>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_draws.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineStageFlags kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

}  // namespace

// For a draw of which the host does not know how much memory it needs.
bool MeshDraw::useArena()
{
    if (!isGood(memory().arena(m_arena)))
        return false;
    m_arena->need(m_pipeline->outputs.mostUnits);
    shareIndices();
    return true;
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

// A grid that the host knows, as if the device did.
void MeshDraw::recordInArena(const abi::MeshGrid& grid)
{
    if (!useArena() || !createUpload())
        return;
    m_uploaded->grid = grid;
    beginFront();
    drawListed({m_upload + offsetof(abi::MeshUpload, grid), sizeof(abi::MeshGrid), 1, 0, 0});
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
    m_commandBuffer.front.forgetPipelines();
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
    m_tasks = dispatch.work;
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
