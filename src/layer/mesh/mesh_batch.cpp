// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_batch.h"

#include <cstddef>
#include <utility>

#include "layer/objects/pipeline_layouts.h"

namespace millrace::layer {

bool MeshBatch::takes(const Draw& draw, VkCommandBuffer stream) const
{
    Draw next = m_first;
    next.upload += uint64_t{m_count} * m_uploadStride;
    next.offset += VkDeviceSize{m_count} * m_stride;
    return m_count > 0 && m_count < m_most && stream == m_stream && draw == next;
}

void MeshBatch::begin(const Draw& first, uint32_t stride, uint32_t uploadStride, VkCommandBuffer stream)
{
    m_first = first;
    m_stride = stride;
    m_uploadStride = uploadStride;
    m_stream = stream;
    m_count = 1;
}

void MeshBatch::record(VkCommandBuffer stream)
{
    const uint32_t count = std::exchange(m_count, 0);
    const abi::SequenceArguments pushed{
        m_uploadStride, m_first.upload + sizeof(abi::MeshUpload),
        m_first.upload + offsetof(abi::MeshUpload, work) + offsetof(abi::MeshWork, table), sizeof(abi::MeshGrid),
        m_first.indices ? 1u : 0u};
    m_table.CmdPushConstants(stream, m_first.layout, kSequenceStages, 0, sizeof pushed, &pushed);
    if (m_first.indices)
        m_table.CmdDrawIndexedIndirect(stream, m_first.commands, m_first.offset, count, m_stride);
    else
        m_table.CmdDrawIndirect(stream, m_first.commands, m_first.offset, count, m_stride);
}

}  // namespace millrace::layer
