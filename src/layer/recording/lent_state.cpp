// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/lent_state.h"

#include <utility>

#include "layer/recording/bound_state.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kPoints[] = {VK_PIPELINE_BIND_POINT_GRAPHICS, VK_PIPELINE_BIND_POINT_COMPUTE};

constexpr uint32_t bitOf(VkPipelineBindPoint bindPoint)
{
    return 1u << bindPoint;
}

}  // namespace

void LentState::use(VkCommandBuffer stream)
{
    if (stream != m_stream)
        *this = {};
    m_stream = stream;
}

void LentState::mark(VkCommandBuffer stream, VkPipelineBindPoint bindPoint)
{
    use(stream);
    m_points |= bitOf(bindPoint);
}

void LentState::lend(VkCommandBuffer stream, VkPipelineBindPoint bindPoint)
{
    mark(stream, bindPoint);
    m_sets = {};
    m_pipeline = {};
}

void LentState::lendSets(VkCommandBuffer stream, VkPipelineLayout layout, uint64_t order)
{
    mark(stream, VK_PIPELINE_BIND_POINT_GRAPHICS);
    m_sets = {layout, order};
}

void LentState::lendPipeline(VkCommandBuffer stream, VkPipeline pipeline, uint64_t order)
{
    mark(stream, VK_PIPELINE_BIND_POINT_GRAPHICS);
    m_pipeline = {pipeline, order};
}

void LentState::lendIndexBuffer(VkCommandBuffer stream, VkBuffer buffer, uint64_t order)
{
    use(stream);
    m_indexBuffer = {buffer, order};
}

void LentState::settle(const BoundState& bound, const VkuDeviceDispatchTable& table, VkCommandBuffer stream)
{
    const LentState lent = std::exchange(*this, {});
    if (lent.m_stream != stream)
        return;
    for (const VkPipelineBindPoint bindPoint : kPoints)
        if (lent.m_points & bitOf(bindPoint))
            bound.restore(bindPoint, table, stream);
    if (lent.m_indexBuffer != IndexBuffer())
        bound.restoreIndexBuffer(table, stream);
}

}  // namespace millrace::layer
