// SPDX-License-Identifier: Apache-2.0
// Draws whose grids the host knows: nothing waits for them, as far as there is room for all that they may give out.
#include <cstddef>
#include <string>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_draws.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

constexpr uint32_t kIndexedBytes = sizeof(abi::MeshDrawCommand) + sizeof(abi::MeshIndexedCommand);

void runSeries(CommandBuffer& commandBuffer)
{
    static_cast<MeshMemory*>(commandBuffer.drawMemory.get())->series.run(commandBuffer);
}

}  // namespace

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

// Memory for what so many workgroups leave, and for the commands that draw. False without it.
bool MeshDraw::takeDrawn(uint64_t groups, MeshMemory::Part& table, Drawn& drawn)
{
    const uint64_t tableBytes = (groups * m_pipeline->outputs.resultBytes() + 15) / 16 * 16;
    MeshMemory::Part commands;
    if (!isGood(memory().takeResults(tableBytes, table)) ||
        !isGood(memory().takeResults(m_indexed ? kIndexedBytes : sizeof(abi::MeshDrawCommand), commands)))
        return false;
    drawn = {commands.address, commands.buffer, commands.offset};
    return true;
}

void MeshDraw::recordKnown(uint64_t groups, const abi::MeshGrid& grid)
{
    const uint64_t runs = groups * m_pipeline->outputs.runs();
    MeshRoom* const room = memory().roomFor(runs * m_pipeline->outputs.mostUnits);
    if (!room) {
        recordInArena(grid);
        return;
    }
    const bool isInSeries = mayBeInSeries();
    if (isInSeries && m_pipeline->outputs.mayBeBatched && !m_pipeline->hasObjects) {
        joinBatch(*room, groups, grid);
        return;
    }
    takeIndices(groups);
    MeshMemory::Part table;
    Drawn drawn{};
    Dispatch dispatch{};
    if (!takeDrawn(groups, table, drawn) || !upload(groups, grid, table.address, room->address(), dispatch))
        return;
    if (isInSeries) {
        joinSeries(*room, groups);
    } else {
        beginFront();
        beginMemory(room);
        runMeshes(dispatch);
    }
    finish(dispatch, drawn);
}

// Where its results are is chosen with the others.
void MeshDraw::joinBatch(MeshRoom& room, uint64_t groups, const abi::MeshGrid& grid)
{
    Dispatch dispatch{};
    if (!upload(groups, grid, 0, room.address(), dispatch))
        return;
    joinSeries(room, groups);
    listAtEnd();
    MeshBatch& batch = memory().batch;
    if (!m_commandBuffer.current.hasPutOff() || !batch.takes(*m_pipeline, groups)) {
        bindInside(m_commandBuffer.current);
        batch.begin(m_commandBuffer, m_pipeline, m_upload);
        m_commandBuffer.current.putOff(batch);
    }
    batch.add({m_uploaded, static_cast<uint32_t>(groups)});
}

// The first upload stands for all of them: its own mesh shaders read of it what is the same.
void MeshDraw::record(std::span<const MeshBatch::Draw> batch, VkCommandBuffer inside)
{
    uint64_t groups = 0;
    for (const MeshBatch::Draw& draw : batch)
        groups += draw.groups;
    takeIndices(groups);
    MeshMemory::Part table;
    Drawn drawn{};
    if (!takeDrawn(groups, table, drawn))
        return;
    batch.front().upload->work.table.groupCount = static_cast<uint32_t>(groups);
    uint64_t results = table.address;
    for (const MeshBatch::Draw& draw : batch) {
        draw.upload->work.results = results;
        results += draw.groups * sizeof(abi::MeshGroup);
    }
    const Dispatch dispatch{m_upload + offsetof(abi::MeshUpload, work), sizeof(abi::MeshGrid), VK_NULL_HANDLE, 0,
                            groups};
    addListing(dispatch, drawn);
    draw(inside, dispatch, drawn);
}

bool MeshDraw::mayBeInSeries() const
{
    return m_pipeline->outputs.mayBeSeries() && keepsSets() && !m_commandBuffer.rendering.conditional;
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
void MeshDraw::joinSeries(MeshRoom& room, uint64_t groups)
{
    const MeshSeries::Common common{m_pipeline, &room, m_commandBuffer.bound.setsOrder(), uploadStride()};
    MeshSeries& series = memory().series;
    if (series.isEmpty() || !series.takes(common, m_upload, groups)) {
        beginFront();
        beginMemory(&room);
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
    m_tasks = tasks.work;
    run(m_streams[0], m_pipeline->task, tasks, 0);
    drawListed({results.address, static_cast<uint32_t>(gridBytes), static_cast<uint32_t>(groups), 0, 0});
}

}  // namespace millrace::layer
