// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_batch.h"

#include <utility>

#include "layer/mesh/mesh_draws.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

bool MeshBatch::takes(const MeshPipeline& pipeline, uint64_t groups) const
{
    const uint64_t all = m_groups + groups;
    return m_pipeline.get() == &pipeline && all <= abi::kMaxMeshGroups &&
           all * pipeline.outputs.marks * abi::kMeshMarkPrimitives < abi::kMaxListedPrimitives;
}

void MeshBatch::begin(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, uint64_t address)
{
    m_commandBuffer = &commandBuffer;
    m_pipeline = std::move(pipeline);
    m_address = address;
    m_groups = 0;
    m_draws.clear();
}

void MeshBatch::add(const Draw& draw)
{
    m_draws.push_back(draw);
    m_groups += draw.groups;
}

void MeshBatch::record(VkCommandBuffer stream)
{
    MeshDraw(*m_commandBuffer, std::exchange(m_pipeline, nullptr), m_address).record(m_draws, stream);
}

}  // namespace millrace::layer
