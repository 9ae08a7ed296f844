// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_series.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_memory.h"
#include "layer/mesh/mesh_pipelines.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

bool MeshSeries::takes(const Common& common, uint64_t upload, uint64_t groups) const
{
    return common == m_common && upload == m_first + m_groups.size() * m_common.bytes &&
           m_total + groups <= abi::kMaxMeshGroups;
}

void MeshSeries::add(const Common& common, uint64_t upload, uint64_t groups)
{
    if (isEmpty()) {
        m_common = common;
        m_first = upload;
    }
    m_groups.push_back(static_cast<uint32_t>(groups));
    m_total += groups;
}

// A draw alone has all that its dispatch needs.
abi::SequenceArguments MeshSeries::arguments(CommandBuffer& commandBuffer) const
{
    const uint64_t pushConstants = m_first + sizeof(abi::MeshUpload), grids = m_first + offsetof(abi::MeshUpload, grid);
    const uint64_t table = offsetof(abi::MeshWork, table);
    if (m_groups.size() == 1)
        return {0, pushConstants, m_first + offsetof(abi::MeshUpload, work) + table, sizeof(abi::MeshGrid), 0};
    const uint64_t entryBytes = m_groups.size() * sizeof(abi::SequenceEntry);
    MeshMemory::Part part;
    const VkResult result =
        static_cast<MeshMemory*>(commandBuffer.drawMemory.get())->takeTable(sizeof(abi::MeshWork) + entryBytes, part);
    if (result != VK_SUCCESS) {
        commandBuffer.fail(result);
        return {};
    }
    auto* const work = new (part.data) abi::MeshWork{};
    work->grids = grids;
    work->table = {static_cast<uint32_t>(m_groups.size()), static_cast<uint32_t>(m_total),
                   part.address + sizeof(abi::MeshWork)};
    auto* const entries = reinterpret_cast<abi::SequenceEntry*>(part.data + sizeof(abi::MeshWork));
    uint32_t before = 0;
    for (uint32_t i = 0; i < m_groups.size(); ++i) {
        new (entries + i) abi::SequenceEntry{i, before};
        before += m_groups[i];
    }
    return {m_common.bytes, pushConstants, part.address + table, m_common.bytes, 0};
}

void MeshSeries::run(CommandBuffer& commandBuffer)
{
    if (isEmpty())
        return;
    const abi::SequenceArguments pushed = arguments(commandBuffer);
    if (pushed.table != 0) {
        const VkuDeviceDispatchTable& table = commandBuffer.device.table;
        const VkCommandBuffer stream = commandBuffer.front.stream;
        table.CmdPushConstants(stream, m_common.pipeline->layout->handle, kSequenceStages, 0, sizeof pushed, &pushed);
        const uint64_t rows = (m_total + abi::kRowGroups - 1) / abi::kRowGroups;
        table.CmdDispatch(stream, static_cast<uint32_t>(std::min<uint64_t>(m_total, abi::kRowGroups)),
                          static_cast<uint32_t>(rows), 1);
    }
    m_common = {};
    m_groups.clear();
    m_total = 0;
}

}  // namespace millrace::layer
